"""The wheel, installed beside what it asks for and nothing else, does what README shows."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import Distribution, PathDistribution, distribution
from pathlib import Path

import pytest
from building import built, copy_of_source
from making import CONFIG, ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from attention_separation import __version__
from attention_separation.commands import COMMANDS

NAME = "attention-separation"
IN_A_CLONE = "in a clone of the project, type: pip install"
"""No package index has the project: its name there is nobody's yet."""

JOB = "studies.softmax_vs_linear.simulation.simulate"
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = re.findall(r"^```python\n(.*?)^```", README, re.S | re.M)[0]
API_PAGE = (ROOT / "docs/api.md").read_text(encoding="utf-8")
COMMAND = re.findall(rf"^{NAME} separate .*", API_PAGE, re.M)[0]
WORKFLOW = (
    "matplotlib",
    "pyarrow",
    "pydantic",
    "snakemake",
    "torch",
    "yaml",
    "pytest",
    "pip",
    "marimo",
)
"""What there is here and the wheel's own environment must not have."""

RUN_EXAMPLE = """
import doctest, sys
text = sys.stdin.read()
if ">>>" in text:
    test = doctest.DocTestParser().get_doctest(text, {}, "README.md", None, None)
    done = doctest.DocTestRunner().run(test)
    assert done.attempted and not done.failed
else:
    exec(text, {})
"""


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """What a build reads."""
    return copy_of_source(tmp_path_factory.mktemp("copied"))


@pytest.fixture(scope="module")
def wheel(copied):
    """The wheel, as `make wheel` builds it."""
    return built("wheel", copied)


@pytest.fixture(scope="module")
def folder(wheel, tmp_path_factory):
    """An environment with the wheel, and what it asks for linked into it from this one."""
    return environment(wheel, tmp_path_factory.mktemp("environment"))


def environment(wheel: Path, folder: Path, extra: str = "") -> Path:
    """A folder made an environment with the wheel, and what that asks for, with an extra."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    pip = [sys.executable, "-m", "pip", "--python", folder / "bin/python", "install"]
    options = ["--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"]
    subprocess.run([*pip, *options, wheel], check=True)
    (info,) = packages.glob("*.dist-info")
    linked(folder, *(one.metadata["Name"] for one in closure(PathDistribution(info), extra)))
    return folder


def closure(whole: Distribution, extra: str = "") -> list[Distribution]:
    """What a distribution asks for with one of its extras, or none, and what that asks for, as
    installed here."""
    found: dict[str, Distribution] = {}
    left = [(whole, {extra})]
    while left:
        one, extras = left.pop()
        for wanted in map(Requirement, one.requires or []):
            name, marker = canonicalize_name(wanted.name), wanted.marker
            asked = not marker or any(marker.evaluate({"extra": x}) for x in extras)
            if name not in found and asked:
                found[name] = distribution(name)
                left.append((found[name], {"", *wanted.extras}))
    return list(found.values())


def linked(folder: Path, *names: str) -> None:
    """Link distributions of this environment into another."""
    (packages,) = folder.glob("lib/python*/site-packages")
    for name in names:
        one = distribution(name)
        for part in {file.parts[0] for file in one.files} - {"..", "__pycache__"}:
            (packages / part).symlink_to(one.locate_file(part))


def python(folder: Path, code: str, given: str = "") -> subprocess.CompletedProcess:
    return subprocess.run(
        [folder / "bin/python", "-I", "-W", "error", "-c", code],
        cwd=folder, input=given, text=True, capture_output=True, check=False,
    )  # fmt: skip


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    """The command that the wheel installs, by its name alone; warnings are errors."""
    environment = {"PATH": f"{folder / 'bin'}{os.pathsep}{os.defpath}", "PYTHONWARNINGS": "error"}
    return subprocess.run(
        arguments, cwd=folder, env=environment, text=True, capture_output=True, check=False,
        executable=shutil.which(arguments[0], path=environment["PATH"]),
    )  # fmt: skip


def said(done: subprocess.CompletedProcess) -> str:
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


NUMPY_ALONE = """
import sys
sys.modules.update(dict.fromkeys(("scipy", "pandas", "numexpr")))
from attention_separation import holes, largest_n, scores, separate, spans, success
assert separate("exp(x) + sin(x)", n=1000).probability > 0.98
assert success({"fires": "exp", "silent": ["linear"]}, n=1000).probability > 0.5
square = scores(lambda x: x**2)
assert spans(square)[0][-1] == largest_n("x**2") == largest_n(square)
assert holes(square) == []
"""


def test_what_needs_numpy_alone(folder):
    done = python(folder, NUMPY_ALONE)
    assert done.returncode == 0, done.stderr


def test_it_holds_the_package_whole_and_nothing_else(wheel):
    source = ROOT / "src"
    modules = {path.relative_to(source).as_posix() for path in source.rglob("*.py")}
    names = {*zipfile.ZipFile(wheel).namelist()}
    packed = {name for name in names if ".dist-info/" not in name}
    data = {"explorer/head.html", "explorer/needle_limits.csv", "py.typed"}
    more = {f"attention_separation/{name}" for name in data}
    assert packed == modules | more
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    # For any Python from 3.11 on, on any platform.
    assert wheel.name.endswith("-py3-none-any.whl")


@pytest.mark.whole_run
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


@pytest.mark.whole_run
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


def test_no_installer_is_told_for_which_python_to_install():
    """uv would take wheels of another Python than the one at hand, and say nothing."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert "uv" not in tools


FOLDERS = (".ci", ".github", "config", "docs", "locks", "profiles", "src", "tests", "workflow")
NOT_PACKED = shutil.ignore_patterns("*.egg-info", "__pycache__", "*.part")


@pytest.mark.whole_run
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


@pytest.mark.whole_run
def test_with_the_extra_of_the_workflow_all_but_training_has_what_it_needs(wheel, tmp_path):
    found = environment(wheel, tmp_path / "environment", "workflow")
    ends = json.loads(python(found, EVERY).stdout)
    unable = {name for name, end in ends.items() if end != 0}
    assert unable == {name for name in JOBS if name.endswith(".training.train_cell")}
    code = "from attention_separation.explorer.pictures import draw_curve, as_svg;"
    code += "print(len(as_svg(draw_curve(['exp'], 'm', n=200))))"
    assert int(said(python(found, code))) > 1000


def test_what_it_asks_for(folder):
    (info,) = folder.glob("lib/python*/site-packages/attention_separation-*.dist-info")
    whole = PathDistribution(info)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {*whole.metadata.get_all("Provides-Extra")} == {*project["optional-dependencies"]}
    names = {canonicalize_name(one.metadata["Name"]) for one in closure(whole)}
    own = {Requirement(text).name for text in project["dependencies"]}
    assert own == {"numpy", "scipy", "pandas", "numexpr"}
    assert own <= names <= own | {"python-dateutil", "pytz", "six", "tzdata"}


def test_the_environment_has_nothing_of_this_one(folder):
    code = f"from importlib.util import find_spec\nprint([n for n in {WORKFLOW} if find_spec(n)])"
    assert said(python(folder, code)) == "[]\n"
    code = "import attention_separation as a; print(a.__file__)"
    assert Path(said(python(folder, code)).strip()).is_relative_to(folder)


def test_the_example_of_readme(folder):
    said(python(folder, RUN_EXAMPLE, EXAMPLE))


def test_the_command_of_the_page(folder):
    shown = said(command(folder, "sh", "-c", COMMAND))
    assert json.loads(shown)["largest_n"] == 160


def test_the_version(folder):
    assert said(command(folder, NAME, "--version")) == f"{NAME} {__version__}\n"


def test_the_commands(folder):
    found = json.loads(
        said(command(folder, NAME, "separate", "--kernel", "exp", "--n", "200", "--json"))
    )
    assert found["probability"] == pytest.approx(0.986637, abs=1e-6)
    table = said(command(folder, NAME, "compare", "--kernel", "exp", "x**4", "--n", "200"))
    assert re.search(r"^x\*\*4 .* 2,?680$", table, re.M)
    assert "elu_plus_one" in said(command(folder, NAME, "kernels"))


def test_a_job_says_which_extra_is_missing(folder):
    done = command(folder, NAME, "job", JOB, "--settings", "{}", "--output", "x.parquet")
    assert done.returncode == 1
    assert all(line.startswith("# ") for line in done.stdout.splitlines())
    assert re.fullmatch(
        rf"job {JOB}: needs \w+, which is not installed; {IN_A_CLONE} '\.\[workflow\]'\n",
        done.stderr,
    )


def test_the_explorer_says_which_extra_it_needs(folder):
    done = command(folder, NAME, "explore", "--headless")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(
        rf"explore: needs \w+, which is not installed; {IN_A_CLONE} '\.\[explore\]'\n",
        done.stderr,
    )


JOBS = {
    f"job {one.module}" for study in CONFIG.studies().values() for one in study.results.values()
}
NOT_OF_API = JOBS | COMMANDS.keys() - {"separate", "compare", "kernels", "explore"}
EVERY = f"""
import contextlib, io, json
from attention_separation.__main__ import main
ends = {{}}
for command in {sorted(NOT_OF_API)}:
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            ends[command] = main([*command.split(), "--help"])
        except SystemExit as end:
            ends[command] = end.code
print(json.dumps(ends))
"""


@pytest.mark.whole_run
def test_every_command_and_job_has_what_it_needs_or_says_so(folder):
    ends = json.loads(said(python(folder, EVERY)))
    assert ends.keys() == NOT_OF_API
    unable = {name: end for name, end in ends.items() if end != 0}
    assert JOBS & unable.keys() == JOBS
    assert all(f"{IN_A_CLONE} '.[workflow]'" in end for end in unable.values())


@pytest.mark.whole_run
def test_pictures_ask_for_matplotlib_alone(wheel, tmp_path):
    found = environment(wheel, tmp_path / "environment", "plot")
    code = "import matplotlib; matplotlib.use('agg'); from attention_separation import separate;"
    code += "print(type(separate('exp', n=200).plot()).__name__)"
    assert said(python(found, code)) == "Axes\n"
    missing = "from importlib.util import find_spec; print(find_spec('snakemake'))"
    assert said(python(found, missing)) == "None\n"


def test_a_picture_says_that_it_needs_matplotlib(folder):
    code = "from attention_separation import separate; separate('exp').plot()"
    done = python(folder, code)
    assert done.returncode == 1
    words = f"pictures need matplotlib, which is not installed; {IN_A_CLONE} '.[plot]'"
    assert done.stderr.splitlines()[-1] == f"ImportError: {words}"
