"""What is installed: the versions that a report states."""

import importlib.metadata
import platform

from attention_separation import __version__
from attention_separation.results.provenance import PACKAGE

DEPENDENCIES = (
    "matplotlib", "numexpr", "numpy", "pandas", "pyarrow", "pydantic", "pyyaml", "scipy",
    "snakemake",
)  # fmt: skip
"""Packages that this one asks for."""


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
