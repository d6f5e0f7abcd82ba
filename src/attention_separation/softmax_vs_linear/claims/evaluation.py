"""The audit: every claim at the sizes tested and along three paths, with its verdict."""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pyarrow as pa

from attention_separation.results.tables import table_from_rows

from ..models import MODELS
from ..settings.claims import ClaimsJob
from .claim import Measured, PaperClaim, setting_of
from .paths import NAMES, Along, Ranged, SizePath, holds_from, paths
from .sections import attention, regression, tensor_trick
from .words import power, range_text, verdict

COLUMN_OF = {name: name.replace(" ", "_") for name in NAMES}
ALONG = {
    "from_n": pa.int64(), "last_n": pa.int64(),
    "value": pa.float64(), "bound": pa.float64(), "power": pa.float64(),
}  # fmt: skip
"""What is said of each path: from which n on a claim holds at all that are tested, and the last at
which it holds; and at the largest n its value and its bound, and like which power of n their ratio
moves there, of a constant C itself."""

TEXT, WHOLE, NUMBER, TRUTH = pa.string(), pa.int64(), pa.float64(), pa.bool_()
SCHEMA = pa.schema(
    {
        **dict.fromkeys(("id", "place", "statement", "formula", "source", "bound_from"), TEXT),
        "identity": TRUTH, "model": TEXT, "n": WHOLE, "d": WHOLE,
        "quantity": TEXT, "value": NUMBER, "relation": TEXT, "bound": NUMBER, "margin": NUMBER,
        "holds": TRUTH, "range_margin": NUMBER, "range_at": TEXT, "verdict": TEXT,
        **{f"{column}_{path}": kind for column, kind in ALONG.items()
           for path in COLUMN_OF.values()},
    }
)  # fmt: skip
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


def evaluate_claims(job: ClaimsJob, claims: list[PaperClaim] | None = None) -> pa.Table:
    """Evaluate claims, by default all of them, and say of each whether and from where it holds."""
    rows = []
    with np.errstate(under="ignore"):
        for claim in all_claims() if claims is None else claims:
            rows += _rows(job, claim)
    _say_what_is_proved(rows, job)
    return table_from_rows(rows, SCHEMA)


def _say_what_is_proved(rows: list[dict], job: ClaimsJob) -> None:
    """Of claims over all data whose value is a lower bound of the worst case: they are refuted
    where it is too large, and proved from where the upper bound of ID.every suffices."""
    upper = {(row["id"], row["n"]): row for row in rows if row["id"].endswith(".every")}
    for row in rows:
        every = upper.get((f"{row['id']}.every", row["n"]))
        if every is None:
            continue
        if row["holds"] and not every["holds"]:
            row["holds"] = None
        low, start = row["from_n_d_fixed"], every["from_n_d_fixed"]
        if low is not None and start is not None:
            tau = Fraction(str(job.tau))
            row["verdict"] = f"with τ = {tau}*: refuted below n = {low}, proved from n = {start}"


def _rows(job: ClaimsJob, claim: PaperClaim) -> list[dict]:
    sizes = claim.sizes or job.sizes.of(claim.model)
    measured = [claim.evaluate(setting_of(job, *size)) for size in sizes]
    ways = [] if claim.sizes else paths(MODELS[claim.model], sizes[0])
    along = [_along(job, claim, path) for path in ways]
    worst = [_worst(job, claim, *size) for size in sizes]
    whole = {
        **claim.columns(),
        "verdict": verdict(claim, measured, along, [one for one in worst if one]),
    }
    for one in along:
        whole |= _path_columns(claim, one)
    rows = []
    for (n, d), at, end in zip(sizes, measured, worst, strict=True):
        rows.append(
            whole
            | {"n": n, "d": d, "value": at.value, "bound": at.bound, "margin": at.margin}
            | {"holds": at.holds, "range_margin": end.measured.margin if end else None}
            | {"range_at": range_text(end.changes) if end else None}
        )
    return rows


def _path_columns(claim: PaperClaim, one: Along) -> dict[str, float | None]:
    held = [size[0] for size, at in zip(one.sizes, one.measured, strict=True) if at.holds]
    found = {
        "from_n": one.from_n,
        "last_n": max(held, default=None),
        "value": one.measured[-1].value,
        "bound": one.measured[-1].bound,
        "power": None if claim.relation == "equal" else power(claim, one),
    }
    return {f"{column}_{COLUMN_OF[one.path.name]}": number for column, number in found.items()}


def _along(job: ClaimsJob, claim: PaperClaim, path: SizePath) -> Along:
    @lru_cache
    def at(size: tuple[int, int | None]) -> Measured:
        return claim.evaluate(setting_of(job, *size))

    sizes = path.doublings()
    from_n = holds_from(path, lambda size: at(size).holds)
    end = _worst(job, claim, *sizes[-1])
    return Along(path, sizes, [at(size) for size in sizes], from_n, end)


def _worst(job: ClaimsJob, claim: PaperClaim, n: int, d: int | None) -> Ranged | None:
    """The end of the parameters' ranges with the least margin."""
    setting = setting_of(job, n, d)
    found = [
        Ranged(changes, claim.evaluate(replace(setting, **dict(changes))))
        for changes in claim.ranges
    ]
    return min(found, key=lambda one: one.measured.margin, default=None)
