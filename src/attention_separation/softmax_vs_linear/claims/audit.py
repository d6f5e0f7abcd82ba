"""The audit: every claim at the paper's sizes, along three paths, and what is to be said of it."""

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pyarrow as pa

from attention_separation.softmax_vs_linear.claims import (
    cross_attention_claims,
    regression_claims,
    self_attention_claims,
)
from attention_separation.softmax_vs_linear.claims.claim import Claim, Measured
from attention_separation.softmax_vs_linear.claims.job import ClaimsJob
from attention_separation.softmax_vs_linear.claims.paths import (
    NAMES,
    Along,
    SizePath,
    holds_from,
    paths,
)
from attention_separation.softmax_vs_linear.claims.words import (
    growth,
    path_name,
    paths_text,
    range_text,
)

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("place", pa.string()),
        ("statement", pa.string()),
        ("formula", pa.string()),
        ("source", pa.string()),
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
"""One row per claim and size. `range_margin` is the worst margin at the ends of the parameters'
ranges and `range_at` says where; null where the claim has no range. A null `from_n` says that the
claim does not hold up to the largest n tested, or that the model has no d: see `paths`."""


def all_claims() -> list[Claim]:
    """Every claim, in the order of the paper's sections within each model."""
    return [
        *regression_claims.claims(),
        *self_attention_claims.claims(),
        *cross_attention_claims.claims(),
    ]


def audit(job: ClaimsJob, claims: list[Claim] | None = None) -> pa.Table:
    """Evaluate claims, by default all of them, and say of each whether and from where it holds."""
    rows = []
    with np.errstate(under="ignore"):
        for claim in all_claims() if claims is None else claims:
            rows += _rows(job, claim)
    _say_what_is_proved(rows)
    columns = {name: [row[name] for row in rows] for name in SCHEMA.names}
    return pa.table(columns, schema=SCHEMA)


def _say_what_is_proved(rows: list[dict]) -> None:
    """Verdicts on claims over all data whose value is a lower bound of the worst case: they are
    refuted where it is too large, and proved from where the upper bound of ID.every suffices."""
    proved = {row["id"]: row["from_n_d_fixed"] for row in rows if row["id"].endswith(".every")}
    for row in rows:
        start = proved.get(f"{row['id']}.every")
        if start is not None and row["from_n_d_fixed"] is not None:
            row["verdict"] = f"refuted below n = {row['from_n_d_fixed']}, proved from n = {start}"


def _rows(job: ClaimsJob, claim: Claim) -> list[dict]:
    sizes = job.sizes.of(claim.model)
    measured = [claim.evaluate(job.setting(*size)) for size in sizes]
    along = [_along(job, claim, path) for path in paths(claim.model, sizes[0])]
    whole = {
        **{name: getattr(claim, name) for name in SCHEMA.names[:6]},
        "quantity": claim.quantity,
        "relation": claim.relation,
        "verdict": verdict(claim, measured, along),
        "growth": growth(claim, measured, along),
        **{f"from_n_{name.replace(' ', '_')}": None for name in NAMES},
        **{f"from_n_{one.path.name.replace(' ', '_')}": one.from_n for one in along},
        "paths": paths_text(along),
    }
    rows = []
    for (n, d), at in zip(sizes, measured, strict=True):
        worst, where = _range(job, claim, n, d)
        rows.append(
            whole
            | {"n": n, "d": d, "value": at.value, "bound": at.bound, "margin": at.margin}
            | {"holds": at.holds, "range_margin": worst, "range_at": where}
        )
    return rows


def _along(job: ClaimsJob, claim: Claim, path: SizePath) -> Along:
    @lru_cache
    def at(size: tuple[int, int | None]) -> Measured:
        return claim.evaluate(job.setting(*size))

    sizes = path.doublings()
    from_n = holds_from(path, lambda size: at(size).holds)
    return Along(path, sizes, [at(size) for size in sizes], from_n)


def _range(job: ClaimsJob, claim: Claim, n: int, d: int | None) -> tuple[float | None, str | None]:
    """The worst margin at the ends of the parameters' ranges, and which ends these are."""
    setting = job.setting(n, d)
    found = [
        (claim.evaluate(replace(setting, **dict(changes))).margin, changes)
        for changes in claim.ranges
    ]
    if not found:
        return None, None
    worst, changes = min(found, key=lambda pair: pair[0])
    return worst, range_text(changes)


def verdict(claim: Claim, measured: list[Measured], along: list[Along]) -> str:
    """What is to be said of a claim, in one line; of several paths, the one it starts last on."""
    starts = [one for one in along if one.from_n is not None]
    everywhere = [*measured, *(at for one in along for at in one.measured)]
    good = sum(at.holds for at in measured)
    if good == len(measured):
        if claim.constant:
            constant = max(at.value for at in everywhere if at.holds)
            return f"holds, with constant C = {math.ceil(1000 * constant) / 1000:g}"
        return "holds at the paper's sizes"
    late = [one for one in starts if one.from_n > one.sizes[0][0]]
    if late:
        last = max(late, key=lambda one: one.from_n)
        where = f", {path_name(last.path).lower()}" if len(along) > 1 else ""
        return f"holds only from n >= {last.from_n}{where}"
    if starts:
        return f"holds at {good} of the paper's {len(measured)} sizes"
    if not any(at.holds for at in everywhere):
        return "false at every n tested"
    return "false at every large n tested"
