"""Scores of attention heads: from what people have of them to rows that can be measured."""

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..results.progress import Progress
from ..settings.number_check import number
from ..settings.words import short_repr
from .arrays import TRUTH, broadcast, key_indices, stacked, truths
from .head_maps import HeadMaps, head_maps
from .making import InductionTargets
from .rows import Order, Rows
from .visibility import (
    ALL_MASKED,
    FAR_BELOW,
    Guesses,
    Reason,
    far_below,
    later_keys,
    masked_whole,
    sees_window,
    zero_runs,
)

BLOCK = 2**16
"""Scores that are looked at together: 512 KiB in float64, some of which a processor holds near."""

LEAST_ROWS = 4
"""That are looked at together, however many keys they have."""

LEAST_SUM = 0.98
"""A row of weights that sums to less has a sink that is no token."""

MOST_SUM = 1.02
"""A row that sums to more has no weights."""


Near = float | Literal["half"] | None
"""How many of the rest nearest to the query count once; None for half of it where the input says
that the model is causal, and 0 elsewhere."""


@dataclass(frozen=True)
class Mask:
    """What is said of masks: `explicit` on each key of each query, at the shape of the scores, or
    `padding` on each key of each sequence, True where it is none, (sequences, keys)."""

    explicit: np.ndarray | None = None
    padding: np.ndarray | None = None


@dataclass
class Block:
    """Some queries of one head: R of them, K keys.

    Attributes
    ----------
    labels : layer, sequence, head of those there are, query and target, (R,) each
    values : scores or weights in float64, (R, K)
    positions : which key each query is itself, (R,)
    reasons : of `Reason`, (R, K)
    """

    labels: dict[str, np.ndarray]
    values: np.ndarray
    positions: np.ndarray
    reasons: np.ndarray

    @property
    def is_seen(self) -> np.ndarray:
        return self.reasons == Reason.SEEN

    def mask(self, is_masked: np.ndarray, reason: Reason) -> np.ndarray:
        """Masks keys (R, K) that were seen; returns which these were."""
        is_new = is_masked & self.is_seen
        self.reasons[is_new] = reason
        return is_new

    def place(self, row: int) -> str:
        """Where a row stands, in words."""
        names = [name for name in self.labels if name != "target"]
        return ", ".join(f"{name} {self.labels[name][row]}" for name in names)


class Reader:
    """Rows of scores or weights, some at a time, and what was guessed of them.

    Attributes
    ----------
    guesses : of the rows of the last pass over `rows`
    near : how many of the rest count once, as it was said
    """

    def __init__(
        self,
        scores: Any,
        target: Any,
        *,
        fixed: Sequence[int] = (),
        mask: Any = None,
        causal: bool | None = None,
        near: Near = None,
        query_at: Any = None,
        weights: bool = False,
        sinks: Any = None,
        causal_sign: str = "",
    ) -> None:
        """Parameters are those of `measure`; `causal_sign` are words for what else says that the
        model is causal. ValueError where they cannot be measured."""
        if causal is not None and not isinstance(causal, bool | np.bool_):
            raise ValueError(
                f"causal={short_repr(causal)}; allowed: True, False, or None for a guess"
            )
        self._maps = head_maps(scores)
        shape = self._maps.shape
        keys = self._maps.keys
        least = -1 if np.ndim(target) else 0
        targets = key_indices("target", target, keys, least=least)
        self._targets = broadcast("target", targets, shape[:-1])
        indices = fixed if np.size(fixed) else np.empty(0, int)
        fixed_keys = key_indices("fixed", indices, keys, least=0)
        # The last one is a sink that is no token.
        self._is_fixed = np.append(np.isin(np.arange(keys), fixed_keys), True)
        self._mask = _read_mask(mask, self._maps)
        self._causal = causal
        self.near = _read_near(near)
        self._positions = _read_positions(query_at, self._maps)
        self._is_weights = weights
        self._sinks = _read_sinks(sinks, shape[:-1], weights)
        self._is_induction = isinstance(target, InductionTargets)
        self._causal_sign = causal_sign
        if self._is_induction and not causal_sign:
            self._causal_sign = "the targets are of induction"
        self.guesses = Guesses()

    def rows(self) -> Iterator[Rows]:
        """Rows with a target and seen keys. ValueError where there are none, or a number, or a
        target, cannot be."""
        self.guesses = Guesses()
        # Rows beside each other show whether a window hides what is far.
        size = max(LEAST_ROWS, BLOCK // self._maps.keys)
        has_rows = False
        rows_with_target = int((self._targets >= 0).sum())
        progress = Progress("head", rows_with_target, "rows") if sys.stderr.isatty() else None
        for place in self._maps.places():
            queries = np.flatnonzero(self._targets[place] >= 0)
            blocks = []
            if len(queries) > 0:
                blocks = np.array_split(queries, math.ceil(len(queries) / size))
            later = self._later_counts(place, blocks)
            looks_causal = self._looks_causal(later)
            is_causal = self._is_causal(later)
            for block in blocks:
                rows = self._rows_of(place, block, looks_causal, is_causal)
                has_rows = has_rows or len(rows) > 0
                yield rows
                if progress is not None:
                    progress.advance(len(block))
        if not has_rows:
            raise ValueError(
                "no query has a target and visible keys; allowed: at least one" + self.explanation()
            )

    def explanation(self) -> str:
        """What was guessed, as the end of a sentence on what could not be measured."""
        sentence = self.guesses.sentence()
        return f"; {sentence}" if sentence else ""

    def _looks_causal(self, later: "LaterCounts") -> bool:
        """Whether the input says that later keys of a head are masked though nobody said so: scores
        by their targets, weights by most rows of queries that have later keys, all of weight 0."""
        if self._causal is not None or self._mask.explicit is not None:
            return False
        if not self._is_weights:
            return self._causal_sign != ""
        return 2 * (later.rows - later.rows_that_see) > later.rows

    def _is_causal(self, later: "LaterCounts") -> bool:
        """Whether keys are in order and queries see earlier ones alone, as is said, or as most rows
        of queries that have later keys show, which see their own key and none of these."""
        if self._causal is not None:
            return bool(self._causal)
        return self._causal_sign != "" or 2 * later.rows_that_end > later.rows

    def _later_counts(self, place: tuple[int, ...], blocks: Sequence[np.ndarray]) -> "LaterCounts":
        """What the rows of a head see of keys that are later than their query."""
        counts = LaterCounts()
        for queries in blocks:
            # Keys up to the earliest query are later than none.
            first = int(self._positions[queries].min()) + 1
            if self._causal is None and first < self._maps.keys:
                with np.errstate(invalid="ignore"):  # of no numbers that signal
                    self._count_later(counts, place, queries, slice(first, None))
        return counts

    def _count_later(
        self, counts: "LaterCounts", place: tuple[int, ...], queries: np.ndarray, keys: slice
    ) -> None:
        positions = self._positions[queries]
        is_later = later_keys(positions, self._maps.keys)[:, keys]
        is_there = (positions >= 0) & (positions < self._maps.keys)
        if self._mask.padding is not None:
            is_token = self._padding(place)
            is_later = is_later & is_token[keys]
            is_there &= is_token[positions % self._maps.keys]
        if self._mask.explicit is not None:
            mask = self._mask.explicit[place][queries]
            is_there &= mask.any(axis=1)
            is_seen = mask[:, keys]
            sees_itself = mask[np.arange(len(queries)), positions % self._maps.keys]
        else:
            values = self._maps.of_head(place)[queries]
            least = self._least_seen(values, keys)
            is_seen = values[:, keys] > least[:, None]
            sees_itself = values[np.arange(len(queries)), positions % self._maps.keys] > least
        has_later = is_later.any(axis=1) & is_there
        sees_later = (is_later & is_seen).any(axis=1) & is_there
        counts.rows += int(has_later.sum())
        counts.rows_that_see += int(sees_later.sum())
        counts.rows_that_end += int((has_later & ~sees_later & sees_itself).sum())

    def _least_seen(self, values: np.ndarray, later: slice) -> np.ndarray:
        """What values of rows (R, K) are above where they look seen, (R,): weights are not 0, and
        scores not so low beside the highest of the keys that are not later."""
        if self._is_weights:
            return np.zeros(len(values))
        earlier = np.delete(values, later, axis=1).astype(np.float64)
        highest = np.max(earlier, axis=1, initial=-np.inf)
        return np.maximum(highest - FAR_BELOW, ALL_MASKED)

    def _padding(self, place: tuple[int, ...]) -> np.ndarray:
        """Whether a key of a head's sequence is a token, and no padding, (K,)."""
        axes = self._maps.axes
        sequence = place[axes.index("sequence")] if "sequence" in axes else 0
        assert self._mask.padding is not None
        is_token: np.ndarray = self._mask.padding[sequence]
        return is_token

    def _rows_of(
        self, place: tuple[int, ...], queries: np.ndarray, looks_causal: bool, is_causal: bool
    ) -> Rows:
        """Rows of some queries of one head."""
        self.guesses.rows += len(queries)
        block = self._block(place, queries)
        self._check_numbers(block)
        if self._causal:
            self._mask_later(block)
        if self._mask.explicit is None:
            self._mask_as_guessed(block, looks_causal)
        scores = self._scores(block)
        if self._sinks is not None:
            scores[:, -1] = self._sinks[place][queries]
        has_weight = np.any(scores[:, :-1] > -np.inf, axis=1)
        is_kept = has_weight & self._sees_target(block, has_weight)
        labels = {name: values[is_kept] for name, values in block.labels.items()}
        is_token = np.column_stack([block.is_seen, np.zeros(len(queries), bool)])
        order = self._order(block, is_causal)
        if self.near is None and is_causal:
            self.guesses.halves += int(is_kept.sum())
        self.guesses.windows += int((is_kept & order.is_whole).sum())
        columns = _columns_to_last_seen(is_token)
        kept = np.ix_(is_kept, columns)
        is_fixed = self._is_fixed[columns]
        return Rows(labels, scores[kept], is_token[kept], is_fixed, order[is_kept])

    def _order(self, block: Block, is_causal: bool) -> Order:
        """How keys stand to the queries of a block."""
        near: int | None
        if self.near is None:
            near = None if is_causal else 0
        elif self.near == "half":
            near = None
        else:
            near = int(min(self.near, self._maps.keys))
        is_whole = np.zeros(len(block.positions), bool)
        if is_causal and near != 0:
            is_fixed = self._is_fixed[:-1]
            is_whole = sees_window(block.reasons, block.positions, is_fixed)
        return Order(block.positions, near, is_causal, is_whole)

    def _block(self, place: tuple[int, ...], queries: np.ndarray) -> Block:
        """Some queries of one head, with the keys that they see for all that was said of masks."""
        with np.errstate(invalid="ignore"):  # of no numbers that signal
            values = self._maps.of_head(place)[queries].astype(np.float64)
        labels = {
            name: np.full(len(queries), index)
            for name, index in zip(self._maps.axes, place, strict=True)
        }
        labels["query"] = queries
        labels["target"] = self._targets[place][queries]
        reasons = np.full(values.shape, Reason.SEEN, np.int8)
        block = Block(labels, values, self._positions[queries], reasons)
        self._mask_as_said(block, place, queries)
        return block

    def _mask_as_said(self, block: Block, place: tuple[int, ...], queries: np.ndarray) -> None:
        if self._maps.exists is not None:
            block.mask(~self._maps.exists[queries], Reason.NOT_THERE)
        if self._mask.explicit is not None:
            block.mask(~self._mask.explicit[place][queries], Reason.MASK)
        if self._mask.padding is not None:
            is_token = self._padding(place)
            block.mask(np.broadcast_to(~is_token, block.values.shape), Reason.PADDING)
            if self._maps.queries == self._maps.keys:
                is_padding = ~is_token[queries]
                block.mask(np.broadcast_to(is_padding[:, None], block.values.shape), Reason.PADDING)

    def _check_numbers(self, block: Block) -> None:
        """ValueError where a key that is not masked has no number."""
        is_wrong = np.isnan(block.values) | (block.values == np.inf)
        allowed = "numbers, -inf where masked, and anything where mask= is False"
        if self._is_weights:
            is_wrong |= block.values < 0
            allowed = "numbers, not negative, and anything where mask= is False"
        wrong = np.argwhere(is_wrong & block.is_seen)
        if len(wrong) == 0:
            return
        row, key = wrong[0]
        what = "weights" if self._is_weights else "scores"
        raise ValueError(
            f"{what} have {block.values[row, key]} at {block.place(row)}, key {key}; "
            f"allowed: {allowed}"
        )

    def _mask_later(self, block: Block) -> None:
        """Later keys, because that was said; ValueError where they have weight."""
        is_later = later_keys(block.positions, self._maps.keys)
        is_new = block.mask(is_later, Reason.LATER)
        if not self._is_weights or self._mask.explicit is not None:
            return
        wrong = np.argwhere(is_new & (block.values > 0))
        if len(wrong):
            row, key = wrong[0]
            raise ValueError(
                f"causal=True, but weights have {block.values[row, key]:.3g} at "
                f"{block.place(row)}, key {key}, which is later; allowed: queries that are the "
                "last of the keys, query_at=, or mask="
            )

    def _mask_as_guessed(self, block: Block, looks_causal: bool) -> None:
        if not self._is_weights:
            block.mask(block.values == -np.inf, Reason.NO_SCORE)
        if looks_causal:
            is_later = later_keys(block.positions, self._maps.keys)
            if self._is_weights:
                has_weight = is_later & block.is_seen & (block.values > 0)
                is_later[has_weight.any(axis=1)] = False
            later = block.mask(is_later, Reason.LATER).any(axis=1)
            self.guesses.later += int(later.sum())
            if later.any():
                self.guesses.causal_signs.add(self._causal_sign or "all weights there are 0")
        if self._is_weights:
            self._guess_of_weights(block)
        else:
            self._guess_of_scores(block)

    def _guess_of_scores(self, block: Block) -> None:
        guesses = self.guesses
        far = block.mask(far_below(block.values, block.is_seen), Reason.FAR_BELOW)
        guesses.far_below += int(far.any(axis=1).sum())
        whole = masked_whole(block.values, block.is_seen)
        block.mask(np.broadcast_to(whole[:, None], block.values.shape), Reason.ALL_MASKED)
        guesses.all_masked += int(whole.sum())

    def _guess_of_weights(self, block: Block) -> None:
        guesses = self.guesses
        is_run = zero_runs(block.values, block.is_seen, block.labels["target"])
        runs = block.mask(is_run, Reason.ZERO_RUN)
        guesses.zero_runs += int(runs.any(axis=1).sum())
        guesses.lone_zeros += int((block.is_seen & (block.values == 0)).sum())

    def _scores(self, block: Block) -> np.ndarray:
        """Scores of the keys and of a sink that is no token, (R, K + 1)."""
        rows, keys = block.values.shape
        scores = np.full((rows, keys + 1), -np.inf)
        if self._is_weights:
            missing = self._missing_weight(block)
            with np.errstate(divide="ignore"):
                scores[:, -1] = np.log(missing)
                logarithms = np.log(np.where(block.is_seen, block.values, 0.0))
            scores[:, :-1] = logarithms
        else:
            np.copyto(scores[:, :-1], block.values, where=block.is_seen)
        return scores

    def _missing_weight(self, block: Block) -> np.ndarray:
        """What a row's weights are short of 1, (R,); ValueError where they are over it."""
        seen_sum = np.sum(block.values, axis=1, where=block.is_seen)
        too_much = np.flatnonzero(seen_sum > MOST_SUM)
        if len(too_much):
            row = too_much[0]
            raise ValueError(
                f"weights sum to {seen_sum[row]:.4g} at {block.place(row)}; allowed: up to 1, as "
                "of a model without dropout, in model.eval()"
            )
        # Where the mask is False there may be weights, or anything.
        is_weight = np.isfinite(block.values) & (block.values >= 0)
        total = np.sum(block.values, axis=1, where=is_weight)
        has_weight = seen_sum > 0
        is_short = has_weight & (total < LEAST_SUM)
        self.guesses.missing_weight += int(is_short.sum())
        return np.where(is_short, 1 - total, 0.0)

    def _sees_target(self, block: Block, has_weight: np.ndarray) -> np.ndarray:
        """Whether a row that sees something sees its target, (R,). ValueError where a target is
        fixed, or is masked and is not of induction: nobody chose such a target."""
        targets = block.labels["target"]
        reasons = block.reasons[np.arange(len(targets)), targets]
        is_fixed = self._is_fixed[targets]
        is_masked = reasons != Reason.SEEN
        is_refused = is_fixed | (is_masked & (not self._is_induction))
        refused = np.flatnonzero(has_weight & is_refused)
        if len(refused) == 0:
            self.guesses.unseen_targets += int((has_weight & is_masked).sum())
            return ~is_masked
        row = refused[0]
        if is_fixed[row]:
            why = "is fixed"
            allowed = "a visible key that is not fixed"
        else:
            why = "is masked"
            words = Reason(reasons[row]).words
            allowed = f"a visible key, -1 for no target ({words}; mask= says what a query sees)"
        raise ValueError(f"target {targets[row]} {why} at {block.place(row)}; allowed: {allowed}")


def _columns_to_last_seen(is_token: np.ndarray) -> np.ndarray:
    """Returns the columns up to the last one that some row sees, and that of a sink that is no
    token, the last of all (R, K + 1): in a causal map half of the rest are seen by nobody."""
    seen_by_some = np.flatnonzero(is_token.any(axis=0))
    stop = seen_by_some[-1] + 1 if len(seen_by_some) else 0
    return np.append(np.arange(stop), is_token.shape[1] - 1)


@dataclass
class LaterCounts:
    """Of a head's rows whose queries have later keys: how many, how many see any of these, and how
    many see none, but their own key."""

    rows: int = 0
    rows_that_see: int = 0
    rows_that_end: int = 0


def _read_near(near: Near) -> Near:
    """Returns how many tokens are near; ValueError if it is no number of tokens, nor "half"."""
    if near is None or (isinstance(near, str) and near == "half"):
        return near
    allowed = "whole numbers from 0, half, or None for a guess"
    return number("near", near, allowed, lambda x: x >= 0 and float(x).is_integer())


def _read_positions(query_at: Any, maps: HeadMaps) -> np.ndarray:
    """Returns which key each query is itself, (queries,): the last ones if that is not said."""
    if query_at is None:
        return maps.positions
    positions = key_indices("query_at", query_at, maps.keys, least=0)
    return broadcast("query_at", positions, (maps.queries,))


def _read_mask(mask: Any, maps: HeadMaps) -> Mask:
    """Returns what a mask says; ValueError if it is of another shape or kind, or could be read in
    two ways."""
    if mask is None:
        return Mask()
    array = stacked("mask", mask, TRUTH)
    has_sequences = "sequence" in maps.axes
    sequences = maps.shape[maps.axes.index("sequence")] if has_sequences else 1
    of_sequences = (sequences, maps.keys)
    fits_queries = array.shape in ((maps.queries, maps.keys), (1, maps.keys))
    fits_sequences = array.shape == of_sequences and maps.queries > 1
    is_whole = array.dtype.kind != "b"
    values = truths("mask", array)
    if fits_sequences and has_sequences and sequences > 1 and fits_queries:
        raise ValueError(
            f"mask has shape {array.shape}, which may be (sequences, keys) or (queries, keys); "
            "allowed: mask[:, None, None, :] of sequences, mask[None, None] of queries"
        )
    is_of_keys = array.ndim == 1 and len(array) == maps.keys and maps.queries > 1
    if is_whole and is_of_keys:
        return Mask(padding=np.broadcast_to(values, of_sequences))
    if fits_sequences and (is_whole or not fits_queries):
        return Mask(padding=values)
    return Mask(explicit=broadcast("mask", values, maps.shape))


def _read_sinks(sinks: Any, shape: tuple[int, ...], weights: bool) -> np.ndarray | None:
    """Returns the score of each query's sink that is no token; ValueError if it has none."""
    if sinks is None:
        return None
    if weights:
        raise ValueError(
            "sinks with weights=True; allowed: scores, for weights show their sink by what they "
            "are short of 1"
        )
    array = stacked("sinks", sinks)
    is_wrong = np.isnan(array) | (array == np.inf)
    if is_wrong.any():
        raise ValueError(f"sinks have {array[is_wrong][0]}; allowed: numbers, -inf for no sink")
    return broadcast("sinks", array.astype(np.float64), shape)
