"""The report's page of versions, code and settings, what it opens with, and what is installed."""

import json
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path

import yaml

from ..pages.table_page import document, table_element
from ..results.files import write_text
from ..results.tables import Row, chosen, read_table, schema, table_from_columns
from ..settings.strict_model import StrictModel
from ..statistics.claims import count_verdicts
from .head_rank.facts import PAPERS
from .softmax_vs_linear.facts import First

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


def opening(job: ProvenanceJob, verdicts: Mapping[str, str]) -> str:
    """What the report opens with, in reStructuredText: the verdicts on what was judged, by what
    that is, and what was run."""
    config = json.loads(job.config)
    facts = {"seed": config["seed"], **job.facts, "results": f"{job.results}/"}
    verdict_section = _section("What was found", verdicts) if verdicts else ""
    return verdict_section + _section("What was run", facts)


def _section(title: str, fields: Mapping[str, object]) -> str:
    """A section that is a list of names, each with its value."""
    lines = [title, "-" * len(title), ""]
    lines += [f":{name}: {value}" for name, value in fields.items()]
    return "\n".join(lines) + "\n\n"


JUDGED = {
    "claims": "Bounds that the first paper states",
    "verdicts": "Panels of the first paper, simulated against computed",
    "rank_claims": "Claims of the second paper, judged on runs and constructions made here",
    "kernel_laws": "Laws of kernels, against exact values",
    "needle_claims": "Claims on noise, of this project",
    "recall_claims": "Claims on recall, of this project",
}
"""Tables with verdicts, by the names of their files, in the order in which a report has them."""


def verdicts_of(paths: Iterable[Path]) -> dict[str, str]:
    """How many verdicts of each kind tables have, in words, by what they judge; of tables that are
    none of JUDGED nothing is said."""
    path_by_name = {path.stem: path for path in paths}
    verdicts = {}
    for name, words in JUDGED.items():
        if name in path_by_name:
            rows = read_table(path_by_name[name]).to_pylist()
            verdicts[words] = _in_words(name, rows)
    return verdicts


def _in_words(name: str, rows: list[Row]) -> str:
    """The verdicts of a table's rows."""
    if name == "claims":
        # A claim has a row for each size, and one verdict.
        row_by_id = {row["id"]: row for row in rows}
        bounds = First(lambda _, **wanted: chosen(row_by_id.values(), **wanted)).bounds
        return (
            f"{bounds['all']} hold at all sizes tested, {bounds['some']} at some or from an n on, "
            f"{bounds['none']} at none"
        )
    if name == "rank_claims":
        rows = chosen(rows, origin=PAPERS)
    return count_verdicts(row["verdict"] for row in rows)


def run(job: ProvenanceJob, output: Path, verdicts: list[Path] | None = None) -> None:
    write_text(output, page(job))
    write_text(output.with_name("opening.rst"), opening(job, verdicts_of(verdicts or [])))
