"""Asks the index whether every locked package can be installed on macOS with Apple silicon.

`python tests/portability/macos_wheels.py [--python 3.11] [--macos 14.0]` has pip look up, without
installing, what each lock asks for there, with its hashes; the index is the one pip is told of. A
package without a wheel is pure source if a wheel built from it here is for any platform. The exit
status is the number of packages that are neither.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
NAMES = ("build", "run", "test", "cluster", "explore", "rank", "publish")
LOCKS = tuple(f"locks/{name}.lock" for name in NAMES)
"""All but that of PyTorch's CPU build, which is for Linux alone."""

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
MISSING = re.compile(r"(?:No matching distribution found for|Cannot install) ([\w.-]+)==")
"""The second where pip has constraints of its own for the package, kept or not."""


def entries(text: str) -> Iterator[str]:
    """Each package of a lock: a requirement, and hashes on lines of their own."""
    yield from re.findall(r"^[\w.-]+==.*(?:\n +.*)*", text, re.M)


def asked_there(entry: str, python: str) -> str | None:
    """A lock's entry without its marker, None if macOS on arm64 does without the package."""
    pin, *hashes = entry.split("\\\n")
    wanted = Requirement(pin)
    there = {
        "implementation_name": "cpython", "implementation_version": f"{python}.0",
        "os_name": "posix", "platform_machine": "arm64", "platform_release": "",
        "platform_python_implementation": "CPython", "platform_system": "Darwin",
        "platform_version": "", "python_full_version": f"{python}.0", "python_version": python,
        "sys_platform": "darwin",
    }  # fmt: skip
    if wanted.marker and not wanted.marker.evaluate(there):
        return None
    return "\\\n".join([f"{wanted.name}{wanted.specifier} ", *hashes])


def without_wheel(asked: dict[str, str], python: str, macos: str) -> list[str]:
    """The names for which the index has no wheel with a locked hash; RuntimeError if pip fails."""
    asked, missing = dict(asked), []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "requirements.txt"
        while asked:
            path.write_text("\n".join(asked.values()) + "\n", encoding="utf-8")
            # A platform stands for all older ones too; the folder is demanded, and stays empty.
            # That Python is not the one that runs pip; uv has locked what suits each.
            done = subprocess.run(
                [
                    *PIP, "install", "--dry-run", "--ignore-installed", "--no-deps",
                    "--only-binary=:all:", "--require-hashes", "--target", folder,
                    "--ignore-requires-python",
                    "--implementation", "cp", "--python-version", python,
                    "--platform", f"macosx_{macos.replace('.', '_')}_arm64", "-r", str(path),
                ],
                text=True, capture_output=True, check=False,
            )  # fmt: skip
            if done.returncode == 0:
                break
            found = MISSING.search(done.stderr)
            if not found:
                raise RuntimeError(errors(done.stderr))
            missing.append(found[1])
            del asked[found[1]]
    return missing


def errors(said: str) -> str:
    """What pip says went wrong, without its warnings."""
    return "; ".join(line for line in said.splitlines() if re.match(r"ERROR|\w+Error", line))


def built_for(entry: str) -> str:
    """The platform of the wheel that is built here from a package's source; why not, if none."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "requirements.txt"
        path.write_text(entry, encoding="utf-8")
        done = subprocess.run(
            [
                *PIP, "wheel", "--no-deps", "--no-build-isolation", "--no-binary=:all:",
                "--no-cache-dir", "--require-hashes", "--wheel-dir", folder, "-r", str(path),
            ],
            text=True, capture_output=True, check=False,
        )  # fmt: skip
        wheels = [wheel.stem for wheel in Path(folder).glob("*.whl")]
        return wheels[0].rpartition("-")[2] if wheels else errors(done.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default="3.11", help="such as 3.11")
    parser.add_argument("--macos", default="14.0", help="the oldest there, such as 14.0")
    given = parser.parse_args()
    seen: set[str] = set()
    lacking = 0
    for name in LOCKS:
        start = time.monotonic()
        lock = ROOT / name
        there = [asked_there(e, given.python) for e in entries(lock.read_text(encoding="utf-8"))]
        asked = {e.partition("==")[0]: e for e in there if e and e not in seen}
        seen |= {*asked.values()}
        missing = without_wheel(asked, given.python, given.macos)
        print(
            f"{lock.name}: {len(asked) - len(missing)} of {len(asked)} packages have a wheel for"
            f" Python {given.python} on macOS {given.macos}, arm64"
            f" ({time.monotonic() - start:.0f} s)",
            flush=True,
        )
        for package in missing:
            platform = built_for(asked[package])
            lacking += platform != "any"
            how = "pure source" if platform == "any" else f"NOT PURE: {platform}"
            print(f"  no wheel: {asked[package].split()[0]}: {how}", flush=True)
    return lacking


if __name__ == "__main__":
    sys.exit(main())
