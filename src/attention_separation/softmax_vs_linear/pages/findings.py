"""The results that tell something: their columns, and what is said of them."""

from collections.abc import Callable

import pyarrow as pa

from ..audits import choices as choices_audit
from ..audits import theta, verdicts, whp
from ..audits import threshold as threshold_audit
from ..claims import evaluation
from .claim_findings import claim_findings
from .panel_findings import (
    choice_findings,
    reconstruction_findings,
    verdict_findings,
    whp_findings,
    width_findings,
)
from .threshold_findings import theta_findings, threshold_findings

TABLES: dict[str, tuple[pa.Schema, Callable[[pa.Table], list[str]]]] = {
    "verdicts": (verdicts.SCHEMA, verdict_findings),
    "claims": (evaluation.SCHEMA, claim_findings),
    "whp": (whp.SCHEMA, whp_findings),
    "choices": (choices_audit.SCHEMA, choice_findings),
    "threshold": (threshold_audit.SCHEMA, threshold_findings),
}

SAYING = TABLES | {"theta": (theta.SCHEMA, theta_findings)}
"""The tables, and the figure whose numbers no table has."""


def path_of(name: str) -> str:
    """Where the parquet file of one of SAYING lies, below a folder of results."""
    return f"{'tables' if name in TABLES else 'figures'}/{name}.parquet"


def findings(tables: dict[str, pa.Table], exact: list[pa.Table]) -> list[str]:
    """The sentences of the tables that there are, and of panels' exact values."""
    said = {name: say(tables[name]) for name, (_, say) in SAYING.items() if name in tables}
    first = said.pop("verdicts", [])
    rest = [text for texts in said.values() for text in texts]
    lost, marked = [], []
    if "verdicts" in tables:
        lost = reconstruction_findings(tables["verdicts"])
        marked = [
            row["panel"]
            for row in tables["verdicts"].to_pylist()
            if "theta" in row["reconstructed"].split("; ")[0].split(", ")
        ]
    return [*first, *width_findings(exact, marked), *rest, *lost]
