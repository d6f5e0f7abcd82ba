"""The machine and the packages that results come from."""

import importlib.metadata
import platform
from pathlib import Path

from .. import __version__
from .provenance import PACKAGE

FAMILY = {"cpu family": "family", "model": "model"}
"""Lines of Linux's /proc/cpuinfo that say which processors have the same instructions."""


def packages() -> dict[str, str]:
    """The version of each package that this Python finds, by its name in order; that of our own
    package is that of the code that runs."""
    versions: dict[str, str] = {}
    for distribution in importlib.metadata.distributions():
        name = str(distribution.metadata["Name"]).lower().replace("_", "-")
        # The first on the path is what an import takes.
        versions.setdefault(name, distribution.version)
    versions[PACKAGE.replace("_", "-")] = __version__
    return dict(sorted(versions.items()))


def python() -> str:
    """Which Python runs, on which kind of machine, such as "CPython 3.12.3, Linux x86_64"."""
    return (
        f"{platform.python_implementation()} {platform.python_version()}, {platform.system()} "
        f"{platform.machine()}"
    )


def processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The processor's maker, family and model, in words: two trainings on equal ones give equal
    numbers."""
    if not cpuinfo.exists():
        return platform.processor() or platform.machine()
    first_processor, _, _ = cpuinfo.read_text(encoding="utf-8").partition("\n\n")
    properties = {}
    for line in first_processor.splitlines():
        key, colon, value = line.partition(":")
        if colon:
            properties[key.rstrip()] = value.strip()
    words = [properties.get("vendor_id", platform.machine())]
    for key, name in FAMILY.items():
        if key in properties:
            words.append(f"{name} {properties[key]}")
    return " ".join(words)
