"""What a reader may install: each way gives the same package, with what it needs."""

import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest
from building import built, copy_of_source
from installing import EVERY, JOBS, NAME, RUN_EXAMPLE, command, environment, linked, python, said
from making import ROOT

from attention_separation import __version__

README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = re.findall(r"^```python\n(.*?)^```", README, re.S | re.M)[0]


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """What a build reads."""
    return copy_of_source(tmp_path_factory.mktemp("copied"))


@pytest.fixture(scope="module")
def wheel(copied):
    """The wheel, as `make wheel` builds it."""
    return built("wheel", copied)


def test_the_source_archive_makes_the_same_wheel(copied, wheel, tmp_path):
    archive = built("sdist", copied)
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    assert source.name == archive.name.removesuffix(".tar.gz")
    again = built("wheel", source)
    assert again.name == wheel.name
    one, other = (
        {each.filename: each.CRC for each in zipfile.ZipFile(path).infolist()}
        for path in (wheel, again)
    )
    assert one == other


PIP = (sys.executable, "-m", "pip", "--python", "{python}", "install", "--no-index")
UV = (sys.executable, "-m", "uv", "pip", "install", "--python", "{python}", "--offline")
INSTALLERS = {"pip": (PIP, "source"), "uv": (UV, "source"), "sdist": (PIP, "archive")}


@pytest.mark.parametrize("name", INSTALLERS)
def test_every_installer_gives_the_same_package(name, copied, wheel, tmp_path):
    """Of what a reader has: a clone, or a source archive."""
    words, what = INSTALLERS[name]
    given = copied if what == "source" else built("sdist", copied)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path], check=True)
    linked(tmp_path, "setuptools", "wheel", "packaging")
    words = [word.format(python=tmp_path / "bin/python") for word in words]
    subprocess.run([*words, "--quiet", "--no-deps", "--no-build-isolation", given], check=True)
    linked(tmp_path, "numpy", "scipy", "pandas", "numexpr", "python-dateutil", "tzdata")
    assert said(command(tmp_path, NAME, "--version")) == f"{NAME} {__version__}\n"
    said(python(tmp_path, RUN_EXAMPLE, EXAMPLE))
    (packages,) = tmp_path.glob("lib/python*/site-packages")
    there = {path.relative_to(packages).as_posix() for path in packages.rglob("*.*")}
    whole = {path for path in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in path}
    assert whole <= there


FOLDERS = (".ci", ".github", "config", "docs", "locks", "profiles", "src", "tests", "workflow")
NOT_PACKED = shutil.ignore_patterns("*.egg-info", "__pycache__", "*.part")


def test_the_source_archive_is_all_of_the_project(tmp_path):
    """A distributor tests what it has unpacked."""
    source = tmp_path / "source"
    for name in FOLDERS:
        shutil.copytree(ROOT / name, source / name, ignore=NOT_PACKED)
    (source / "results").mkdir()
    shutil.copy(ROOT / "results/.gitignore", source / "results")
    for path in ROOT.iterdir():
        if path.is_file() and path.name not in (".git", ".coverage"):
            shutil.copy(path, source)
    whole = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    with tarfile.open(built("sdist", source)) as archive:
        packed = {member.name.partition("/")[2] for member in archive if member.isfile()}
    assert whole - packed == set()
    egg_info = {name for name in packed if ".egg-info/" in name}
    assert packed - whole - egg_info == {"PKG-INFO", "setup.cfg"}


def test_with_the_extra_of_the_workflow_all_but_training_has_what_it_needs(wheel, tmp_path):
    found = environment(wheel, tmp_path / "environment", "workflow")
    ends = json.loads(python(found, EVERY).stdout)
    unable = {name for name, end in ends.items() if end != 0}
    assert unable == {name for name in JOBS if name.endswith(".training.train_cell")}
    code = "from attention_separation.explorer.pictures import draw_curve, as_svg;"
    code += "print(len(as_svg(draw_curve(['exp'], 'm', n=200))))"
    assert int(said(python(found, code))) > 1000


def test_pictures_ask_for_matplotlib_alone(wheel, tmp_path):
    found = environment(wheel, tmp_path / "environment", "plot")
    code = "import matplotlib; matplotlib.use('agg'); from attention_separation import separate;"
    code += "print(type(separate('exp', n=200).plot()).__name__)"
    assert said(python(found, code)) == "Axes\n"
    missing = "from importlib.util import find_spec; print(find_spec('snakemake'))"
    assert said(python(found, missing)) == "None\n"
