"""What is installed: the versions that a report states."""

import importlib.metadata
import platform
import re
from pathlib import Path

from attention_separation import __version__

from .provenance import PACKAGE

DEPENDENCIES = (
    "jinja2", "matplotlib", "numexpr", "numpy", "pandas", "pillow", "pyarrow", "pydantic", "pyyaml",
    "scipy", "snakemake",
)  # fmt: skip
"""Packages that this one asks for."""

FAMILY = {"cpu family": "family", "model": "model"}
"""Lines of Linux's /proc/cpuinfo that say which processors have the same instructions."""


def packages() -> dict[str, str]:
    """Versions of all packages that this Python finds, by name; of this one, the code that runs."""
    found = {}
    for distribution in importlib.metadata.distributions():
        name = str(distribution.metadata["Name"]).lower().replace("_", "-")
        # The first on the path is what an import takes.
        found.setdefault(name, distribution.version)
    found[PACKAGE.replace("_", "-")] = __version__
    return dict(sorted(found.items()))


def python() -> str:
    """Which Python runs, on which kind of machine."""
    return (
        f"{platform.python_implementation()} {platform.python_version()}, {platform.system()} "
        f"{platform.machine()}"
    )


def processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The processor's family: numbers of training are equal on one such family."""
    if not cpuinfo.exists():
        return platform.processor() or platform.machine()
    first = cpuinfo.read_text(encoding="utf-8").split("\n\n", 1)[0]
    said = dict(
        re.split(r"\s*:\s*", line, maxsplit=1) for line in first.splitlines() if ":" in line
    )
    parts = [said.get("vendor_id", platform.machine())]
    parts += [f"{name} {said[key]}" for key, name in FAMILY.items() if key in said]
    return " ".join(parts)
