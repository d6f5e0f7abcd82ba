"""Every claim of the paper, evaluated, with a verdict."""

from pathlib import Path

import pyarrow as pa

from attention_separation.pages.table_page import write_result
from attention_separation.results.provenance import record
from attention_separation.results.tables import table_from_rows

from ..settings.claims import ClaimsJob
from ..settings.panels import KEY
from .evaluation import ALONG, COLUMN_OF, evaluate_claims
from .origins import FORCED, GIVEN, GUESSED, OMITTED, READ, RECONSTRUCTED
from .paths import NAMES

TITLE = "Claims of the paper, evaluated"
SOURCES = {
    GIVEN: "the paper prints the formula, read here in a translation",
    FORCED: "an equality that follows from the printed dataset, with V = I* where c enters; "
    "nothing is left of its formula",
    READ: "the value follows from the dataset, the bound from what else the texts print",
    GUESSED: "the value follows from the dataset, but the bound is lost: where a guess fails, the "
    "guess may be wrong and not the paper, and one that holds need not be the paper's",
    OMITTED: "the paper says that it is similar and does not state it",
    RECONSTRUCTED: "the dataset itself is read out of a text without formulas, and so is all else",
}
"""What the sources of claims mean."""

ABOUT = (
    "Every part of every lemma and theorem that the surviving texts let us make out, the "
    "conclusions that section E leaves out, and steps and other readings of some, each with its "
    "value computed from the datasets and its bound computed from the formula shown, where s is "
    "the square root of log n and t the number of tokens in a class.\n"
    "Sizes tested: those of the settings `claims.sizes`, some of the experiments' "
    "(cross-attention: reconstructed*; A.1, C.3, C.5: n = 4, d = 3). Every value of c, and every "
    "claim on scores or networks with attention, takes V = I* and A3 = A2*; softmax regression "
    "takes tau = 1/4*. The numbers of columns are those of the settings `claims.m`, where a claim "
    "does not say otherwise.\n"
    "With high probability means: fails with probability at most delta / n. The margin is positive "
    "where the claim holds. Of an O() the value is the least constant C that is enough; a C by "
    "Hoeffding's bound is what that bound needs, and a smaller one may do.\n"
    f"Sources: {'; '.join(f'{name}: {text}' for name, text in SOURCES.items())}. An identity is an "
    "equality that the definitions make: it cannot fail, and is no evidence for the paper.\n"
    "Ranges: a claim is also evaluated at the ends of the ranges that the dataset allows (a0 from "
    "0 to 0.1, both as limits; a1 from 0.7, in cross-attention from 1, to 3, the experiments' "
    "largest; b from 0.1 to 0.9 with c = 1 - b); conditions of a lemma's own, lost in section E, "
    "may be narrower. One that holds at the experiments' parameters and fails there says so.\n"
    "Along three paths n grows from 100 to 10^9: with d fixed, where the theorems ask that it "
    "grows, with d like the square root of n, and with d a quarter of n. From n says from where on "
    "the claim holds there, as far as it was tested, and last n where it held last; value, bound, "
    "and the power of n like which their ratio moves, of a constant C itself, are those at the "
    "largest n. That something is of smaller order has no verdict at single sizes.\n"
    f"{KEY}"
)


PAGE = ("id", "claim", "source", "verdict", "at the sizes tested", "as n grows")


def page(claims: pa.Table) -> pa.Table:
    """One row per claim, with its values at all sizes in one cell: for people."""
    grouped: dict[str, list[dict]] = {}
    for row in claims.to_pylist():
        grouped.setdefault(row["id"], []).append(row)
    rows = [
        {
            "id": name,
            "claim": f"{own[0]['place']}\n{own[0]['statement']}\n{own[0]['formula']}",
            "source": f"{own[0]['source']}\n{own[0]['bound_from']}",
            "verdict": f"{'identity: ' if own[0]['identity'] else ''}{own[0]['verdict']}",
            "at the sizes tested": "\n".join([f"{own[0]['quantity']}:", *map(_at_size, own)]),
            "as n grows": "\n".join(_along(own[0], path) for path in NAMES),
        }
        for name, own in grouped.items()
    ]
    return table_from_rows(rows, pa.schema([(name, pa.string()) for name in PAGE]))


def _along(row: dict, path: str) -> str:
    of = {column: row[f"{column}_{COLUMN_OF[path]}"] for column in ALONG}
    if of["value"] is None:
        return ""
    start = "" if row["relation"] == "ratio" else f"from n = {of['from_n'] or 'none'}, "
    power = "" if of["power"] is None else f", n^{of['power']:.2f}"
    return f"{path}: {start}{of['value']:.3g} against {of['bound']:.3g}{power}"


HOLDS = {True: "holds", False: "fails", None: "not refuted"}


def _at_size(row: dict) -> str:
    size = f"n = {row['n']}" + ("" if row["d"] is None else f", d = {row['d']}")
    if row["relation"] == "ratio":
        return f"{size}: {row['value']:.3g} against {row['bound']:.3g}"
    sides = f"{row['value']:.3g}, {row['relation']} {row['bound']:.3g}"
    text = f"{size}: {sides}: {HOLDS[row['holds']]}"
    if not row["holds"] or row["range_margin"] is None or row["range_margin"] > 0:
        return text
    return f"{text}, and fails at {row['range_at']}"


def run(job: ClaimsJob, output: Path) -> None:
    provenance = record(job.canonical(), __name__)
    claims = evaluate_claims(job)
    stem = output.with_suffix("")
    write_result(claims, stem, provenance, TITLE, ABOUT, shown=page(claims))
