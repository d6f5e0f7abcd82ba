"""How wrong forecasts were, beside the forecast that nothing changes.

Errors are of the share in logits, log(p/(1 - p)): foretold less real. A forecast *held* if what was
real lay within its interval. A head is *trusted* if its `held_out` is `TRUSTED` or more.

What was real differs from the share before by what *old* tokens changed, whose scores moved, and by
what *new* ones took. A forecast is of new ones alone, so it is also held against what would have
been had scores stayed: the share before, changed by new tokens alone.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...head.measuring import TRUSTED
from ...pages.table_page import write_result
from ...results.provenance import record
from ...results.tables import Row, read_parquet, table_from_rows
from ...settings.strict_model import Job
from ..settings.section import filler_of
from ..settings.titles import ABOUT_PROBE, ERRORS_TITLE
from .columns import ERRORS, FORECASTS

ABOUT = (
    f"{ABOUT_PROBE}\nErrors are of the share in logits, foretold less real, means over heads; "
    "unchanged is the forecast that nothing changes. held is how many lay within their interval; "
    f"trusted are heads whose held_out is {TRUSTED} or more. rescored are heads whose scores are "
    "known on both contexts: old_change and new_change are means, of absolute changes in logits, "
    "by scores of tokens that were there before and by new tokens; new_error is that of a forecast "
    "had old scores stayed, and new_held how many then lay within their interval."
)

LEAST = 1e-9
"""A share that is less, or nearer to 1, counts as this."""


@dataclass(frozen=True)
class Changes:
    """What a longer context changed for some heads, in logits, (heads,).

    Attributes
    ----------
    old : by scores of tokens that were there before
    new : by tokens that were not
    foretold : what was foretold of new ones
    low, high : ends of that
    """

    old: np.ndarray
    new: np.ndarray
    foretold: np.ndarray
    low: np.ndarray
    high: np.ndarray


def changes(forecasts: list[Row]) -> Changes:
    """Returns the changes of heads whose scores are known on both contexts."""

    def logits(column: str) -> np.ndarray:
        return np.array([logit(row[column]) for row in forecasts])

    before = logits("share")
    of_old = logits("real_of_old")
    return Changes(
        old=of_old - before,
        new=logits("real") - of_old,
        foretold=logits("foretold") - before,
        low=logits("low") - before,
        high=logits("high") - before,
    )


@dataclass(frozen=True)
class Errors:
    """Of forecasts of some heads, those of the same contexts."""

    forecasts: list[Row]

    def logit_errors(self, column: str) -> np.ndarray:
        """Of the forecast that stands in a column."""
        foretold = np.array([logit(row[column]) for row in self.forecasts])
        real = np.array([logit(row["real"]) for row in self.forecasts])
        return foretold - real

    def held(self) -> int:
        """How many of them held."""
        return sum(is_held(row) for row in self.forecasts)


def logit(share: float) -> float:
    """log(p/(1 - p)) of a share p."""
    p = min(max(share, LEAST), 1 - LEAST)
    return math.log(p / (1 - p))


def is_held(row: Row) -> bool:
    """Whether what was real lay within the interval of a forecast."""
    if row["low"] is None or row["high"] is None:
        return False
    return bool(row["low"] <= row["real"] <= row["high"])


def is_trusted(row: Row) -> bool:
    """Whether a head's context says of itself that it foretells a longer one."""
    return row["held_out"] is not None and row["held_out"] >= TRUSTED


def error_rows(forecasts: list[Row]) -> Iterator[Row]:
    """Yields a row for each kind of filler, context and longer context that heads were tried on."""
    groups: dict[tuple[str, int, int], list[Row]] = {}
    for row in forecasts:
        groups.setdefault((filler_of(row["text"]), row["n"], row["at"]), []).append(row)
    for (filler, n, at), group in groups.items():
        known = [row for row in group if row["foretold"] is not None]
        errors = Errors(known)
        trusted = Errors([row for row in known if is_trusted(row)])
        labels = {"filler": filler, "n": n, "at": at, "heads": len(group), "known": len(known)}
        if known:
            foretold = errors.logit_errors("foretold")
            unchanged = errors.logit_errors("share")
            labels |= {
                "error": float(foretold.mean()),
                "absolute_error": float(np.abs(foretold).mean()),
                "unchanged_error": float(unchanged.mean()),
                "unchanged_absolute_error": float(np.abs(unchanged).mean()),
            }
        yield labels | {
            "held": errors.held(),
            "trusted": len(trusted.forecasts),
            "trusted_held": trusted.held(),
            **_change_columns(known),
        }


def _change_columns(known: list[Row]) -> Row:
    """Returns what old and new tokens changed, and how a forecast of new ones alone did."""
    rescored = [row for row in known if row["real_of_old"] is not None and row["low"] is not None]
    if not rescored:
        return {"rescored": 0}
    changed = changes(rescored)
    is_within = (changed.low <= changed.new) & (changed.new <= changed.high)
    return {
        "rescored": len(rescored),
        "old_change": float(np.abs(changed.old).mean()),
        "new_change": float(np.abs(changed.new).mean()),
        "new_error": float(np.abs(changed.foretold - changed.new).mean()),
        "new_held": int(is_within.sum()),
    }


def run(job: Job, forecasts: Path, output: Path) -> None:
    rows = read_parquet(forecasts, FORECASTS).to_pylist()
    table = table_from_rows(error_rows(rows), ERRORS)
    write_result(table, output, record(job.canonical(), __name__), ERRORS_TITLE, ABOUT)
