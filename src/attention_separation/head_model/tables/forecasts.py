"""What each head on one context foretells of longer ones, by the instrument of `head`.

Of a head all is a median over its queries, as in `head.summary`, but for `held_out`. Errors of its
rows are alike, for rows share their keys: so the ends of an interval are medians of ends, not
narrower.

What a longer context changes has two parts, and a forecast is of the second alone: scores of *old*
tokens, those that were there before, move, for more text in front changes the states of a model;
and *new* tokens take weight.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from ...head.measuring import measure
from ...pages.table_page import write_result
from ...results.provenance import record
from ...results.tables import Row, finite_or_null, table_from_rows
from ..cells import CaughtHead, read_cell
from ..probes import INDUCTION
from ..settings.section import ProbeJob, TablesJob
from ..settings.titles import ABOUT_PROBE, FAR_TITLE, FORECASTS_TITLE
from .columns import FAR, FORECASTS

ENDLESS = ("reach", "reach_low", "reach_high", "temperature")

ABOUT_FORECASTS = (
    f"{ABOUT_PROBE}\nn is the context that a head was measured on, at the longer one: share is its "
    "median weight on the right key at n, foretold that at the longer one, from low to high with "
    "95 %, and real what it gave there; real_of_old is the same without the tokens that are new "
    "there, where scores were kept. rows_within is how many of its queries lay within their own "
    "interval. held_out is how often the nearer half of its context foretold the farther one."
)
ABOUT_FAR = (
    f"{ABOUT_PROBE}\nforetold is the median weight among so many tokens, reach the number at which "
    "it is one half, its interval and the temperature that keeps one half there: medians over "
    "queries; 0 is below what counts once. found is how many queries reach so far."
)

FIXED = (0,)
"""Keys that are there once however long the context is: the token before every text."""


@dataclass(frozen=True)
class Context:
    """One context that the model has run on."""

    job: ProbeJob
    heads: list[CaughtHead]

    @property
    def place(self) -> tuple[str, int]:
        """Its text and segment: contexts of the same one differ by filler in front alone."""
        return self.job.text, self.job.segment

    def heads_of_induction(self) -> dict[tuple[int, int], CaughtHead]:
        """Heads as they were caught on induction targets, by layer and head."""
        return {
            (caught.layer, caught.head): caught
            for caught in self.heads
            if caught.target == INDUCTION
        }


def forecast_rows(contexts: list[Context]) -> Iterator[Row]:
    """Yields a row for each measured head on each context, and each longer context of its text."""
    for context in contexts:
        longer = [
            other
            for other in contexts
            if other.place == context.place and other.job.n > context.job.n
        ]
        heads_by_n = {other.job.n: other.heads_of_induction() for other in longer}
        for caught in context.heads:
            for n, heads in heads_by_n.items():
                if caught.scores is not None:
                    yield _forecast(context.job, caught, n, heads[caught.layer, caught.head])


def shares_of_old(caught: CaughtHead, n: int) -> np.ndarray | None:
    """Returns the weights of a head's targets, (Q,), where tokens are left out that a context of n
    does not have: of a longer one those after its first token. None if scores were not kept."""
    if caught.scores is None:
        return None
    new = caught.scores.shape[1] - n
    scores = np.delete(caught.scores.astype(float), np.s_[1 : 1 + new], axis=1)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    queries = np.arange(len(scores))
    return weights[queries, caught.keys - new] / weights.sum(axis=1)


def far_rows(contexts: list[Context], horizons: list[int]) -> Iterator[Row]:
    """Yields a row for each measured head on each context, and each number of tokens far beyond."""
    for context in contexts:
        for caught in context.heads:
            for n in horizons:
                if caught.scores is not None:
                    yield _far(context.job, caught, n)


def measured(caught: CaughtHead, n: int) -> pd.DataFrame:
    """Returns what `head.measure` says of each query of a head, in the order of queries."""
    assert caught.scores is not None
    return measure(caught.scores, caught.keys, fixed=FIXED, causal=True, n=n)


def _foretold(job: ProbeJob, caught: CaughtHead, n: int, rows: pd.DataFrame) -> Row:
    """Returns which head it is, on which context, and what its measured rows foretell of n
    tokens."""
    return {
        "layer": caught.layer,
        "head": caught.head,
        "text": job.text,
        "segment": job.segment,
        "n": job.n,
        "at": n,
        "held_out": finite_or_null(float(rows["held_out"].mean())),
        "share": _median(rows["share"]),
        "foretold": _median(rows["share_at_n"]),
        "low": _median(rows["share_low"]),
        "high": _median(rows["share_high"]),
    }


def _forecast(job: ProbeJob, caught: CaughtHead, n: int, longer: CaughtHead) -> Row:
    """Returns what a head on one context foretold of n tokens, beside what it did there."""
    rows = measured(caught, n)
    low = rows["share_low"].to_numpy()
    high = rows["share_high"].to_numpy()
    is_within = (low <= longer.shares) & (longer.shares <= high)
    of_old = shares_of_old(longer, job.n)
    return _foretold(job, caught, n, rows) | {
        "real": float(np.median(longer.shares)),
        "real_of_old": None if of_old is None else float(np.median(of_old)),
        "rows_within": float(is_within.mean()),
    }


def _far(job: ProbeJob, caught: CaughtHead, n: int) -> Row:
    """Returns how far a head on one context reaches, and what it does at n tokens."""
    rows = measured(caught, n)
    # A reach of 0 is below what counts once, and so are its ends.
    has_reach = rows["reach"] > 0
    return _foretold(job, caught, n, rows) | {
        "reach": _median(rows["reach"]),
        "reach_low": _median(rows["reach_low"].where(has_reach, 0.0)),
        "reach_high": _median(rows["reach_high"].where(has_reach, 0.0)),
        "temperature": _median(rows["temperature"]),
        "found": float((rows["reach"] >= n).mean()),
    }


def _median(values: pd.Series) -> float | None:
    """The median of numbers that may be infinite; None if none is known."""
    known = values.dropna().to_numpy()
    if len(known) == 0:
        return None
    ordered = np.sort(known)
    low = float(ordered[(len(known) - 1) // 2])
    high = float(ordered[len(known) // 2])
    # No mean of a number and infinity.
    return low if low == high else (low + high) / 2


def run(job: TablesJob, tables: list[Path], output: Path) -> None:
    paths_by_place: dict[tuple[str, int], list[tuple[ProbeJob, Path]]] = {}
    for cell, path in zip(job.cells, tables, strict=True):
        if cell.depth is None:
            paths_by_place.setdefault((cell.text, cell.segment), []).append((cell, path))
    forecasts: list[Row] = []
    far: list[Row] = []
    # Scores of all places at once would be a gigabyte.
    for paths in paths_by_place.values():
        contexts = [Context(cell, read_cell(path)) for cell, path in paths]
        forecasts += forecast_rows(contexts)
        far += far_rows(contexts, job.horizons)
    provenance = record(job.canonical(), __name__)
    table = table_from_rows(forecasts, FORECASTS)
    write_result(table, output, provenance, FORECASTS_TITLE, ABOUT_FORECASTS)
    far_table = table_from_rows(far, FAR)
    path = output.with_name("heads_far")
    write_result(far_table, path, provenance, FAR_TITLE, ABOUT_FAR, endless=ENDLESS)
