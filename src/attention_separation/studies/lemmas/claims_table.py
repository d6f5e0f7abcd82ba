"""Every claim of the paper, evaluated at the sizes tested and along its paths, with a verdict: the
table of claims, and the page that shows it. A path is a rule by which d grows with n; ranges are
those that the datasets allow their parameters."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from ...pages.table_page import write_result
from ...results.claims import claim_rows
from ...results.provenance import record
from ...results.tables import Row, rows_by, schema, table_from_rows
from ...settings.strict_model import subsample
from ..softmax_vs_linear.models import MODELS
from ..softmax_vs_linear.settings.panels import KEY
from . import attention, regression, tensor_trick, whp_readings
from .claim import PaperClaim, Relation, setting_of, sizes_of
from .origins import Source
from .paths import D_FIXED, PATHS, PATHS_OF_ANY_D, PathResult, paths
from .settings import ClaimsJob
from .verdicts import Evaluation, evaluate_in_ranges, power_of_n, range_text, verdict

PATH_COLUMNS = {"from_n": int, "last_n": int, "value": float, "bound": float, "power": float}
"""What is said of each path; ABOUT says how."""


def path_column(column: str, path: str) -> str:
    """The name of a path's column in the table, such as "from_n_d_fixed"."""
    return f"{column}_{path.replace(' ', '_')}"


def _columns_of_paths() -> dict[str, type]:
    """The types of the columns on paths, PATH_COLUMNS for each path, by name."""
    columns: dict[str, type] = {}
    for column, kind in PATH_COLUMNS.items():
        for path in PATHS:
            columns[path_column(column, path)] = kind
    return columns


SCHEMA = schema(
    id=str,
    place=str,
    statement=str,
    formula=str,
    source=str,
    bound_from=str,
    identity=bool,
    model=str,
    n=int,
    d=int,
    quantity=str,
    value=float,
    relation=str,
    bound=float,
    margin=float,
    holds=bool,
    range_margin=float,
    range_at=str,
    verdict=str,
    **_columns_of_paths(),
)
"""One row per claim and size. `identity`: it holds by the definitions alone and cannot fail.
`margin` and `holds` are null where one size says nothing, `holds` also where a claim over all data
is neither refuted nor proved. `range_margin` is the worst margin at the ends of the parameters'
ranges and `range_at` says where; null where the claim has no range. A null `from_n` says that the
claim does not hold up to the largest n tested, a null `last_n` that it holds at none; a null
`power`, that value or bound is 0, or that they are equal. All are null of a path along which the
claim is not tested."""


def all_claims() -> list[PaperClaim]:
    """Every claim, in the order of the paper's sections within each model."""
    return [
        *tensor_trick.claims(),
        *regression.claims(),
        *attention.self_attention(),
        *attention.cross_attention(),
    ]


@dataclass(frozen=True)
class EvaluatedClaim:
    """A claim as the table has it: evaluated at its own sizes or the job's, along its paths, and at
    the ends of its parameters' ranges."""

    claim: PaperClaim

    def rows(self, job: ClaimsJob) -> Iterator[Row]:
        """The rows of SCHEMA of the claim: one for each size tested."""
        evaluation = self._evaluation(job)
        words = self.claim.columns() | {"verdict": verdict(evaluation)}
        for result in evaluation.along_paths:
            words |= _path_columns(self.claim, result)
        for measured, end in zip(evaluation.measured, evaluation.worst_ends, strict=True):
            row = words | vars(measured) | {"holds": measured.holds}
            if end is not None:
                row |= {"range_margin": end.margin, "range_at": range_text(end.changes)}
            yield row

    def _evaluation(self, job: ClaimsJob) -> Evaluation:
        """What is computed for the claim: at its own sizes if it has any, else at the job's for its
        model and along the paths on which n grows."""
        claim = self.claim
        setting_at = partial(setting_of, job)
        if claim.sizes:
            return evaluate_in_ranges(claim, claim.sizes, [], setting_at)
        sizes = sizes_of(job, claim.model)
        names = PATHS_OF_ANY_D if claim.any_d else PATHS
        growing_paths = paths(MODELS[claim.model], sizes[0], names)
        return evaluate_in_ranges(claim, sizes, growing_paths, setting_at)


def evaluate_claims(job: ClaimsJob, claims: Iterable[PaperClaim] | None = None) -> pa.Table:
    """The table of claims, by default of all, as SCHEMA: each evaluated at a job's sizes and along
    its paths, with the verdict."""
    if claims is None:
        claims = all_claims()
    evaluated = map(EvaluatedClaim, claims)
    with np.errstate(under="ignore"):
        rows = claim_rows(evaluated, job)
    _say_what_is_proved(rows, job.tau)
    return table_from_rows(rows, SCHEMA)


def _say_what_is_proved(rows: list[Row], tau: float) -> None:
    """Write into the rows of claims over all data what is proved and what is refuted of them.

    The value of such a claim is a lower bound of the worst case, and that of the claim ID.every an
    upper bound: it is refuted where the lower one is too large, proved where the upper suffices.
    """
    upper_bounds = {(row["id"], row["n"]): row for row in rows}
    from_n = path_column("from_n", D_FIXED)
    for row in rows:
        upper = upper_bounds.get((f"{row['id']}.every", row["n"]))
        if upper is None:
            continue
        if row["holds"] and not upper["holds"]:
            row["holds"] = None
        refuted_below = row[from_n]
        proved_from = upper[from_n]
        if refuted_below is not None and proved_from is not None:
            row["verdict"] = (
                f"with τ = {Fraction(str(tau))}*: refuted below n = {refuted_below}, "
                f"proved from n = {proved_from}"
            )


def _path_columns(claim: PaperClaim, result: PathResult) -> Row:
    """The columns on one path of a claim's rows, as PATH_COLUMNS."""
    last = result.measured[-1]
    holding_n = [measured.n for measured in result.measured if measured.holds]
    numbers = {
        "from_n": result.from_n,
        "last_n": max(holding_n, default=None),
        "value": last.value,
        "bound": last.bound,
        "power": None if claim.relation == Relation.EQUAL else power_of_n(claim, result),
    }
    return {path_column(column, result.path.name): value for column, value in numbers.items()}


TITLE = "Claims of the paper, evaluated"
SOURCE_WORDS = {
    Source.GIVEN: "the paper prints the formula, read here in a translation",
    Source.FORCED: "an equality that follows from the printed dataset, with V = I* where c "
    "enters; nothing is left of its formula",
    Source.READ: "the value follows from the dataset, the bound from what else the texts print",
    Source.GUESSED: "the value follows from the dataset, but the bound is lost: where a guess "
    "fails, the guess may be wrong and not the paper, and one that holds need not be the paper's",
    Source.OMITTED: "the paper says that it is similar and does not state it",
    Source.RECONSTRUCTED: "the dataset itself is read out of a text without formulas, and so "
    "is all else",
}
"""What the sources of claims mean."""

ABOUT = (
    "Every part of every lemma and theorem that the surviving texts let us make out, the "
    "three networks that section E leaves out, and steps and other readings of some, each with its "
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
    f"Sources: {'; '.join(f'{name}: {text}' for name, text in SOURCE_WORDS.items())}. An identity "
    "is an equality that the definitions make: it cannot fail, and is no evidence for the paper.\n"
    "Ranges: a claim is also evaluated at the ends of the ranges that the dataset allows (a0 from "
    "0 to 0.1, both as limits; a1 from 0.7, in cross-attention from 1, to 3, the experiments' "
    "largest; b from 0.1 to 0.9 with c = 1 - b); conditions of a lemma's own, lost in section E, "
    "may be narrower. One that holds at the experiments' parameters and fails there says so.\n"
    "Along five paths n grows to 10^9, from 4, where Lemma 4.2 begins, or from the first size that "
    "has two classes of two tokens: with d fixed, where the theorems ask that it grows, and with d "
    "like the square root of n, a quarter of n, n^0.1 and log n. The last two are for claims on "
    "scores and networks alone: they are the slow end of the d = ω(n^0.02) that the theorems ask, "
    "which n^0.1 is and log n is not. No n tested shows the difference, for n^0.02 is 1.5 at "
    "n = 10^9.\n"
    "From n says from where on the claim holds there, as far as it was tested, and last n where it "
    "held last; value, bound, and the power of n like which their ratio moves, of a constant C "
    "itself, are those at the largest n. That something is o() of another has no verdict at one.\n"
    f"{KEY}"
)


def page(claims: pa.Table) -> pa.Table:
    """The table of claims for people: one row per claim, with its values at all sizes in one
    cell."""
    rows_by_claim = rows_by(claims.to_pylist(), "id")
    rows = [_page_row(rows_of_claim) for rows_of_claim in rows_by_claim.values()]
    return table_from_rows(rows, schema(**dict.fromkeys(rows[0], str)))


def _page_row(rows: list[Row]) -> Row:
    """The page's row of a claim, from the table's rows of its sizes."""
    first = rows[0]
    identity = "identity: " if first["identity"] else ""
    return {
        "id": first["id"],
        "claim": f"{first['place']}\n{first['statement']}\n{first['formula']}",
        "source": f"{first['source']}\n{first['bound_from']}",
        "verdict": f"{identity}{first['verdict']}",
        "at the sizes tested": "\n".join([f"{first['quantity']}:", *map(_size_text, rows)]),
        "as n grows": "\n".join(_path_text(first, path) for path in PATHS),
    }


def _path_text(row: Row, path: str) -> str:
    """What a claim's row says of a path, in words; "" if the claim is not tested along it."""
    numbers = {column: row[path_column(column, path)] for column in PATH_COLUMNS}
    if numbers["value"] is None:
        return ""
    start = "" if row["relation"] == Relation.RATIO else f"from n = {numbers['from_n'] or 'none'}, "
    power = "" if numbers["power"] is None else f", n^{numbers['power']:.2f}"
    return f"{path}: {start}{numbers['value']:.3g} against {numbers['bound']:.3g}{power}"


HOLDS = {True: "holds", False: "fails", None: "not refuted"}


def _size_text(row: Row) -> str:
    """What a claim's row says of its size, in words."""
    size = f"n = {row['n']}"
    if row["d"] is not None:
        size = f"{size}, d = {row['d']}"
    if row["relation"] == Relation.RATIO:
        return f"{size}: {row['value']:.3g} against {row['bound']:.3g}"
    sides = f"{row['value']:.3g}, {row['relation']} {row['bound']:.3g}"
    text = f"{size}: {sides}: {HOLDS[row['holds']]}"
    if not row["holds"] or row["range_margin"] is None or row["range_margin"] > 0:
        return text
    return f"{text}, and fails at {row['range_at']}"


def run(job: ClaimsJob, output: Path, otherwise: Path) -> None:
    """Write the claims with their verdicts, and `otherwise` the verdicts with other readings."""
    provenance = record(job.canonical(), __name__)
    every_claim = all_claims()
    chosen = subsample(every_claim, job.most)
    about = ABOUT
    if len(chosen) < len(every_claim):
        about += f"\n{len(chosen)} of {len(every_claim)} claims."
    claims = evaluate_claims(job, chosen)
    write_result(claims, output, provenance, TITLE, about, shown=page(claims))
    readings = whp_readings.evaluate_readings(job, chosen)
    write_result(readings, otherwise, provenance, whp_readings.TITLE, whp_readings.ABOUT)
