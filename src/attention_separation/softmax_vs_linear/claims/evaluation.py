"""The audit: every claim at the sizes tested, along three paths, and what is to be said of it."""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pyarrow as pa

from attention_separation.results.tables import table_from_rows

from ..models import MODELS
from ..settings.claims import ClaimsJob
from .claim import Claim, Measured, setting_of
from .paths import NAMES, Along, Ranged, SizePath, holds_from, paths
from .sections import cross_attention as cross_attention_claims
from .sections import regression as regression_claims
from .sections import self_attention as self_attention_claims
from .sections import tensor_trick
from .words import growth, paths_text, range_text, verdict

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("place", pa.string()),
        ("statement", pa.string()),
        ("formula", pa.string()),
        ("source", pa.string()),
        ("bound_from", pa.string()),
        ("identity", pa.bool_()),
        ("model", pa.string()),
        ("n", pa.int64()),
        ("d", pa.int64()),
        ("quantity", pa.string()),
        ("value", pa.float64()),
        ("relation", pa.string()),
        ("bound", pa.float64()),
        ("margin", pa.float64()),
        ("holds", pa.bool_()),
        ("range_margin", pa.float64()),
        ("range_at", pa.string()),
        ("verdict", pa.string()),
        ("growth", pa.string()),
        ("from_n_d_fixed", pa.int64()),
        ("from_n_d_sqrt", pa.int64()),
        ("from_n_d_quarter", pa.int64()),
        ("paths", pa.string()),
    ]
)
"""One row per claim and size. `identity`: it holds by the definitions alone and cannot fail.
`margin` and `holds` are null where one size says nothing, `holds` also where a claim over all data
is neither refuted nor proved. `range_margin` is the worst margin at the
ends of the parameters' ranges and `range_at` says where; null where the claim has no range. A null
`from_n` says that the claim does not hold up to the largest n tested, that it is not tested along
the path, or that the model has no d: see `paths`."""

OF_CLAIM = ("id", "place", "statement", "formula", "source", "bound_from", "identity", "model")
"""Columns that a claim says of itself."""


def all_claims() -> list[Claim]:
    """Every claim, in the order of the paper's sections within each model."""
    return [
        *tensor_trick.claims(),
        *regression_claims.claims(),
        *self_attention_claims.claims(),
        *cross_attention_claims.claims(),
    ]


def evaluate_claims(job: ClaimsJob, claims: list[Claim] | None = None) -> pa.Table:
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
            row["paths"] = (
                f"As n grows, some data refute it up to n = {low - 1}, Hoeffding's bound proves "
                f"it at every n tested from {start} on, and between the two it is open. "
                "The model has no d."
            )


def _rows(job: ClaimsJob, claim: Claim) -> list[dict]:
    sizes = claim.sizes or job.sizes.of(claim.model)
    measured = [claim.evaluate(setting_of(job, *size)) for size in sizes]
    ways = [] if claim.sizes else paths(MODELS[claim.model], sizes[0])
    along = [_along(job, claim, path) for path in ways]
    worst = [_worst(job, claim, *size) for size in sizes]
    whole = {
        **{name: getattr(claim, name) for name in OF_CLAIM},
        "quantity": claim.quantity,
        "relation": claim.relation,
        "verdict": verdict(claim, measured, along, [one for one in worst if one]),
        "growth": growth(claim, measured, along),
        **{f"from_n_{name.replace(' ', '_')}": None for name in NAMES},
        **{f"from_n_{one.path.name.replace(' ', '_')}": one.from_n for one in along},
        "paths": paths_text(claim, along),
    }
    rows = []
    for (n, d), at, end in zip(sizes, measured, worst, strict=True):
        rows.append(
            whole
            | {"n": n, "d": d, "value": at.value, "bound": at.bound, "margin": at.margin}
            | {"holds": at.holds, "range_margin": end.measured.margin if end else None}
            | {"range_at": range_text(end.changes) if end else None}
        )
    return rows


def _along(job: ClaimsJob, claim: Claim, path: SizePath) -> Along:
    @lru_cache
    def at(size: tuple[int, int | None]) -> Measured:
        return claim.evaluate(setting_of(job, *size))

    sizes = path.doublings()
    from_n = holds_from(path, lambda size: at(size).holds)
    end = _worst(job, claim, *sizes[-1])
    return Along(path, sizes, [at(size) for size in sizes], from_n, end)


def _worst(job: ClaimsJob, claim: Claim, n: int, d: int | None) -> Ranged | None:
    """The end of the parameters' ranges with the least margin."""
    setting = setting_of(job, n, d)
    found = [
        Ranged(changes, claim.evaluate(replace(setting, **dict(changes))))
        for changes in claim.ranges
    ]
    return min(found, key=lambda one: one.measured.margin, default=None)
