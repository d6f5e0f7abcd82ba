"""The machine and the packages that results come from."""

import importlib.metadata
import platform
from pathlib import Path

from .. import __version__
from .provenance import PACKAGE

FAMILY = {"cpu family": "family", "model": "model"}
"""Lines of Linux's /proc/cpuinfo that say which processors have the same instructions."""


def packages() -> dict[str, str]:
    """Versions of all packages that this Python finds, by name; of this one, the code that runs."""
    versions: dict[str, str] = {}
    for distribution in importlib.metadata.distributions():
        name = str(distribution.metadata["Name"]).lower().replace("_", "-")
        # The first on the path is what an import takes.
        versions.setdefault(name, distribution.version)
    versions[PACKAGE.replace("_", "-")] = __version__
    return dict(sorted(versions.items()))


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
    first_processor, _, _ = cpuinfo.read_text(encoding="utf-8").partition("\n\n")
    properties = {}
    for line in first_processor.splitlines():
        key, colon, value = line.partition(":")
        if colon:
            properties[key.rstrip()] = value.strip()
    parts = [properties.get("vendor_id", platform.machine())]
    parts += [f"{name} {properties[key]}" for key, name in FAMILY.items() if key in properties]
    return " ".join(parts)
