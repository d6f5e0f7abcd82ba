"""Every claim of the paper, evaluated, with a verdict."""

from pathlib import Path

import pyarrow as pa

from attention_separation.pages.table_page import write_result
from attention_separation.results.provenance import record
from attention_separation.results.tables import table_from_rows

from ..settings.claims import ClaimsJob
from ..settings.panels import KEY
from .evaluation import evaluate_claims
from .origins import FORCED, GIVEN, GUESSED, OMITTED, READ, RECONSTRUCTED

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
    "value computed from the datasets, its bound, and whether it holds, at the sizes tested, with "
    "the parameters of the experiments.\n"
    "Sizes tested: those of the settings `claims.sizes`, some of the experiments' "
    "(cross-attention: reconstructed*; A.1, C.3, C.5: n = 4, d = 3). Every value of c, and every "
    "claim on scores or networks with attention, takes V = I* and A3 = A2*; softmax regression "
    "takes tau = 1/4*. The numbers of columns are those of the settings `claims.m`, where a claim "
    "does not say otherwise.\n"
    "With high probability means: fails with probability at most delta / n. The margin is positive "
    "where the claim holds. Of an O() the least constant C is told that is enough; a C by "
    "Hoeffding's bound is what that bound needs, and a smaller one may do.\n"
    f"Sources: {'; '.join(f'{name}: {text}' for name, text in SOURCES.items())}. "
    "Bound from says where the bound comes from. An identity is an equality that the definitions "
    "make, so it cannot fail, and that it holds is no evidence for the paper.\n"
    "Ranges: a claim is also evaluated where the parameters are at the ends of the ranges that the "
    "dataset allows (a0 from 0 to 0.1, both as limits; a1 from 0.7, in cross-attention from 1, to "
    "3, the experiments' largest; b from 0.1 to 0.9 with c = 1 - b); conditions of a lemma's own, "
    "lost in section E, may be narrower. A claim that holds at the experiments' parameters and "
    "fails in that range says so.\n"
    "Along three paths n grows to 10^9 at the experiments' parameters: with d fixed, where the "
    "theorems ask that it grows, with d growing like the square root of n, and with d a quarter of "
    "n; from n says from where on the claim holds there, as far as it was tested. That some "
    "quantity is of smaller order cannot be judged at single sizes and has no verdict.\n"
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
            "as n grows": f"{own[0]['growth']}\n{own[0]['paths']}",
        }
        for name, own in grouped.items()
    ]
    return table_from_rows(rows, pa.schema([(name, pa.string()) for name in PAGE]))


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
