"""The report's page of versions, code and settings, what it opens with, and what is installed."""

import importlib.metadata
import json
import platform
from html import escape
from pathlib import Path

import yaml

from .. import __version__
from ..results.files import write_text
from ..results.provenance import PACKAGE
from ..results.tables import schema, table_from_columns
from ..settings.strict_model import StrictModel
from .table_page import document, table_element

TITLE = "Provenance: what these results come from"
ABOUT = (
    "The same configuration and code give the same bytes of every table and picture, on any number "
    "of cores, for one list of package versions, one Python and one family of processors. Every "
    "parquet file carries its seed, the digest of its settings, that of the code it depends on, "
    "and versions, in its metadata."
)
STYLE = """
pre { background: #f4f7fa; padding: 1em; overflow-x: auto; font-size: 12px; }
table { margin: 0 0 1em; } th { position: static; } .packages { columns: 16em; font-size: 13px; }
"""


DEPENDENCIES = (
    "jinja2", "matplotlib", "numexpr", "numpy", "pandas", "pillow", "pyarrow", "pydantic", "pyyaml",
    "scipy", "snakemake",
)  # fmt: skip
"""Packages that this one asks for."""

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


class ProvenanceJob(StrictModel):
    """All that the page states."""

    python: str
    packages: dict[str, str]
    code: str
    """Digest of all code that jobs run."""
    facts: dict[str, str]
    """What else a reader asks first."""
    config: str
    """All settings, as JSON in the order of the file."""
    results: str


def page(job: ProvenanceJob) -> str:
    """The page's text."""
    config = json.loads(job.config)
    facts = {
        "seed": str(config["seed"]),
        **job.facts,
        "results": f"{job.results}/",
        "code": job.code,
        "Python": job.python,
        **{name: job.packages.get(name, "not installed") for name in DEPENDENCIES},
    }
    others = "<br>\n".join(
        escape(f"{name} {version}") for name, version in sorted(job.packages.items())
    )
    columns = {"what": list(facts), "which": list(facts.values())}
    table = table_from_columns(columns, schema(what=str, which=str))
    # Innermost lists and mappings on one line, as in config.yaml.
    text = yaml.safe_dump(
        config, sort_keys=False, allow_unicode=True, width=100, default_flow_style=None
    )
    body = (
        f"<p>{escape(ABOUT)}</p>\n{table_element(table)}\n"
        f"<h2>Configuration</h2>\n<p>config.yaml with what beat it on the command line, all "
        f"defaults filled in.</p>\n<pre>{escape(text)}</pre>\n"
        f"<h2>All packages installed</h2>\n<p class='packages'>{others}</p>"
    )
    return document(TITLE, body, STYLE)


def opening(job: ProvenanceJob) -> str:
    """What the report opens with, in reStructuredText."""
    config = json.loads(job.config)
    facts = {"seed": config["seed"], **job.facts, "results": f"{job.results}/"}
    return "".join(f":{name}: {value}\n" for name, value in facts.items())


def run(job: ProvenanceJob, output: Path) -> None:
    write_text(output, page(job))
    write_text(output.with_name("opening.rst"), opening(job))
