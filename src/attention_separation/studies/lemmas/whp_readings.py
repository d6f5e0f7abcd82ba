"""Other readings of "with high probability", which the paper has as 1 − δ/poly(n), and the verdicts
on its claims that they give."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import pyarrow as pa

from ...results.tables import Row, schema, table_from_rows
from ..softmax_vs_linear.models import MODELS
from .claim import PaperClaim, SettingAt, setting_of, sizes_of
from .paths import paths
from .settings import ClaimsJob
from .verdicts import evaluate, verdict


@dataclass(frozen=True)
class Reading:
    """Failure with probability δ/n^power, with a δ of its own or the job's."""

    power: float = 1.0
    delta: float | None = None

    def setting_at(self, job: ClaimsJob) -> SettingAt:
        """The function from n and d to the job's setting at this size, with this reading."""
        changes = {} if self.delta is None else {"delta": self.delta}
        return partial(setting_of, job.model_copy(update=changes), power=self.power)


USUAL_READING = Reading()

READINGS = {
    "δ/n, δ = 0.1": Reading(delta=0.1),
    "δ/n, δ = 0.05": Reading(delta=0.05),
    "δ/n, δ = 0.001": Reading(delta=0.001),
    "δ/n²": Reading(power=2.0),
    "δ/√n": Reading(power=0.5),
}

SCHEMA = schema(id=str, place=str, reading=str, verdict=str, usual=str, changes=bool)
"""One row per claim and reading: its verdict, the one with δ/n and the job's δ, and whether they
differ in more than numbers."""

TITLE = "Claims of the paper, with high probability read otherwise"
ABOUT = (
    "Claims with δ in their formula, and their verdicts where failure may be as probable as the "
    "reading says. Usual is δ/n with the δ of the settings `claims.delta`. With δ/n² and δ/√n, "
    "m = C log(n/δ) has the logarithm of one over them too; the experiments' own m stays. A "
    "verdict changes if more than its numbers do.\n"
    "Verdicts are on the sizes tested and, in attention, on d like the square root of n alone as n "
    "grows from 4 to 10^9. Of Lemmas 5.1, 5.3 and 5.4 there is what is proved."
)


def evaluate_readings(job: ClaimsJob, claims: list[PaperClaim]) -> pa.Table:
    """The table of the verdicts on those claims in whose formula δ stands, with each of READINGS,
    as SCHEMA."""
    proved = {claim.id.removesuffix(".every") for claim in claims if claim.id.endswith(".every")}
    rows: list[Row] = []
    for claim in claims:
        if "δ" in claim.formula_text and claim.id not in proved:
            rows += _rows_of_readings(job, claim)
    return table_from_rows(rows, SCHEMA)


def _rows_of_readings(job: ClaimsJob, claim: PaperClaim) -> Iterator[Row]:
    """The rows of SCHEMA of a claim, one for each of READINGS."""
    usual = _verdict(job, claim, USUAL_READING)
    for name, reading in READINGS.items():
        text = _verdict(job, claim, reading)
        changes = _before_numbers(text) != _before_numbers(usual)
        row = {"reading": name, "verdict": text, "usual": usual, "changes": changes}
        yield claim.columns() | row


def _verdict(job: ClaimsJob, claim: PaperClaim, reading: Reading) -> str:
    """The verdict on a claim with a reading, at the job's sizes and with d like the square root of
    n."""
    sizes = sizes_of(job, claim.model)
    growing_paths = paths(MODELS[claim.model], sizes[0], names=["d sqrt"])
    return verdict(evaluate(claim, sizes, growing_paths, reading.setting_at(job)))


def _before_numbers(verdict: str) -> str:
    """The part of a verdict before its first digit."""
    return re.split(r"\d", verdict)[0]
