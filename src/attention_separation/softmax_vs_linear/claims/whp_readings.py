"""Other readings of "with high probability", which the paper has as 1 − δ/poly(n), and the verdicts
on its claims that they give."""

import re
from functools import cache, partial

import pyarrow as pa

from ...results.tables import schema, table_from_rows
from ..models import MODELS
from ..settings.claims import ClaimsJob
from .claim import PaperClaim, SettingAt, setting_of
from .paths import along, paths, verdict

READINGS = {f"δ/n, δ = {delta:g}": ({"delta": delta}, 1.0) for delta in (0.1, 0.05, 0.001)}
READINGS |= {"δ/n²": ({}, 2.0), "δ/√n": ({}, 0.5)}
"""What they change in the job, and the power of n."""

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
    """The verdicts of those claims in whose formula δ stands, with each of READINGS."""
    read_at = {
        reading: cache(partial(setting_of, job.model_copy(update=changes), power=power))
        for reading, (changes, power) in {"": ({}, 1.0), **READINGS}.items()
    }
    proved = {claim.id.removesuffix(".every") for claim in claims if claim.id.endswith(".every")}
    rows = []
    for claim in claims:
        about = claim.columns()
        if "δ" not in about["formula"] or claim.id in proved:
            continue
        found = {reading: _verdict(job, claim, at) for reading, at in read_at.items()}
        usual = found.pop("")
        for reading, said in found.items():
            row = {"reading": reading, "changes": _kind(said) != _kind(usual)}
            rows.append(about | row | {"verdict": said, "usual": usual})
    return table_from_rows(rows, SCHEMA)


def _verdict(job: ClaimsJob, claim: PaperClaim, setting_at: SettingAt) -> str:
    sizes = job.sizes.of(claim.model)
    measured = [claim.evaluate(setting_at(*size)) for size in sizes]
    ways = paths(MODELS[claim.model], sizes[0], ("d sqrt",))
    return verdict(claim, measured, [along(claim, path, setting_at) for path in ways], [])


def _kind(verdict: str) -> str:
    """What stands before the first number."""
    return re.split(r"\d", verdict)[0]
