"""Wheels and source archives of this project, built from a copy: a build leaves files behind."""

import shutil
import subprocess
import sys
from pathlib import Path

from making import ROOT


def copy_of_source(folder: Path) -> Path:
    """The folder, with what a build reads."""
    for name in ("pyproject.toml", "docs/site/long_description.md", "LICENSE"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    ignored = shutil.ignore_patterns("*.egg-info", "__pycache__")
    shutil.copytree(ROOT / "src", folder / "src", ignore=ignored)
    return folder


def built(kind: str, folder: Path) -> Path:
    """A `wheel` or an `sdist` of what lies in a folder."""
    code = f"import setuptools.build_meta; setuptools.build_meta.build_{kind}('{kind}')"
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, capture_output=True)
    (path,) = (folder / kind).iterdir()
    return path
