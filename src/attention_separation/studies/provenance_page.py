"""The report's page of versions, code and settings, what it opens with, and what is installed."""

import json
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path

import yaml
from pydantic import Field

from ..pages.table_page import document, table_element
from ..results.files import write_text
from ..results.tables import Row, read_table, schema, table_from_columns
from ..settings.strict_model import StrictModel
from ..statistics.claims import count_verdicts
from .head_rank.facts import papers_verdicts
from .lemmas.facts import bounds_in_words

TITLE = "Provenance: what these results come from"
ABOUT = (
    "The same configuration and code give the same bytes of every table and picture, on any number "
    "of cores, for one list of package versions, one Python and one family of processors. Every "
    "parquet file carries its seed, the digest of its settings, that of the code it depends on, "
    "and versions, in its metadata."
)
PROVENANCE_STYLE = """
pre { background: var(--pale); padding: 1em; overflow-x: auto; font-size: 12px; }
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
    judged: dict[str, str] = Field(default={})
    """What tables of verdicts judge, by the names of their files."""


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
        f"<p>{escape(ABOUT)}</p>\n{table_element(table, 'What was run, and with what')}\n"
        f"<h2>Configuration</h2>\n<p>The settings with what beat them on the command line, all "
        f"defaults filled in.</p>\n<pre>{escape(text)}</pre>\n"
        f"<h2>All packages installed</h2>\n<p class='packages'>{others}</p>"
    )
    return document(TITLE, body, PROVENANCE_STYLE)


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


IN_WORDS = {"claims": bounds_in_words, "rank_claims": papers_verdicts}
"""What is said of tables of which it is not how many verdicts of each kind all rows have."""


def verdicts_of(judged: Mapping[str, str], paths: Iterable[Path]) -> dict[str, str]:
    """By what tables judge, how many verdicts of each kind they have, in words; `judged` says what
    that is, by the names of files."""
    verdicts = {}
    for path in paths:
        in_words = IN_WORDS.get(path.stem, _verdicts_of_all)
        verdicts[judged[path.stem]] = in_words(read_table(path).to_pylist())
    return verdicts


def _verdicts_of_all(rows: Iterable[Row]) -> str:
    return count_verdicts(row["verdict"] for row in rows)


def run(job: ProvenanceJob, output: Path, verdicts: list[Path] | None = None) -> None:
    write_text(output, page(job))
    write_text(
        output.with_name("opening.rst"), opening(job, verdicts_of(job.judged, verdicts or []))
    )
