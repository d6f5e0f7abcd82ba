"""The wheel, installed beside what it asks for and nothing else, does what README shows."""

import json
import re
import tomllib
import zipfile
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest
from building import built, copy_of_source
from installing import (
    EVERY,
    JOBS,
    NAME,
    NOT_OF_API,
    RUN_EXAMPLE,
    closure,
    command,
    environment,
    python,
    said,
)
from making import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from attention_separation import __version__

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


NUMPY_ALONE = """
import sys
sys.modules.update(dict.fromkeys(("scipy", "pandas", "numexpr")))
from attention_separation import largest_n, scores, separate, spans, success
assert separate("exp(x) + sin(x)", n=1000).probability > 0.98
assert success({"fires": "exp", "silent": ["linear"]}, n=1000).probability > 0.5
assert spans(scores(lambda x: x**2))[0][-1] == largest_n("x**2")
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


def test_no_installer_is_told_for_which_python_to_install():
    """uv would take wheels of another Python than the one at hand, and say nothing."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert "uv" not in tools


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


def test_the_commands(folder):
    assert said(command(folder, NAME, "--version")) == f"{NAME} {__version__}\n"
    code = "from attention_separation.__main__ import main;"
    code += "main('compare --kernel exp x**4 --n 200'.split()); main(['kernels'])"
    tables = said(python(folder, code))
    assert re.search(r"^x\*\*4 .* 2,?680$", tables, re.M)
    assert "elu_plus_one" in tables


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


def test_every_command_and_job_has_what_it_needs_or_says_so(folder):
    ends = json.loads(said(python(folder, EVERY)))
    assert ends.keys() == NOT_OF_API
    unable = {name: end for name, end in ends.items() if end != 0}
    assert JOBS & unable.keys() == JOBS
    assert all(f"{IN_A_CLONE} '.[workflow]'" in end for end in unable.values())


def test_a_picture_says_that_it_needs_matplotlib(folder):
    code = "from attention_separation import separate; separate('exp').plot()"
    done = python(folder, code)
    assert done.returncode == 1
    words = f"pictures need matplotlib, which is not installed; {IN_A_CLONE} '.[plot]'"
    assert done.stderr.splitlines()[-1] == f"ImportError: {words}"
