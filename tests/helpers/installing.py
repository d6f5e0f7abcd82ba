"""The package built and installed into environments of their own."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import Distribution, PathDistribution, distribution
from pathlib import Path

from making import CONFIG
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from attention_separation.commands import COMMANDS

NAME = "attention-separation"

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
        cwd=folder,
        input=given,
        text=True,
        capture_output=True,
        check=False,
    )


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    """The command that the wheel installs, by its name alone; warnings are errors."""
    environment = {"PATH": f"{folder / 'bin'}{os.pathsep}{os.defpath}", "PYTHONWARNINGS": "error"}
    return subprocess.run(
        arguments,
        cwd=folder,
        env=environment,
        text=True,
        capture_output=True,
        check=False,
        executable=shutil.which(arguments[0], path=environment["PATH"]),
    )


def said(done: subprocess.CompletedProcess) -> str:
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout
