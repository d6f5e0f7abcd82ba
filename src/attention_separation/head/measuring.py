"""How far heads still find their tokens: a row for each query with a target, or for each head."""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..api.build import Given
from ..settings.number_check import listed, number
from ..settings.warn_once import once_per_question, warn
from .columns import columns_at, softmax_columns
from .head_maps import AXES
from .other_kernels import kernel_columns, kernel_shares_at
from .rows import LEAST_REST, Rows
from .scores import Near, Reader

LEVEL = 0.5

SINK_SHARE = 0.3
"""Share of the first token from which on it looks like a sink."""

TRUSTED = 0.85
"""Mean of `held_out` of a head from which on its context foretells a longer one, by simulation."""

MEDIANS = ("share", "n_entropy", "sink", "reach", "share_at_n", "temperature", "drift")
"""Columns of which a summary has the median, where there are any."""

SHARE_COLUMNS = {"share_at_n": "share", "share_low": "low", "share_high": "high"}
"""Columns of `measure` that `share` has, under other names."""


@dataclass
class Room:
    """How many tokens rows have: the most of the rest and of far ones, and the least N that any row
    that foretells something can be asked for."""

    most_rest: int = 0
    most_far: int = 0
    least_n: float = math.inf

    def add(self, rows: Rows) -> None:
        self.most_rest = max(self.most_rest, int(rows.m.max(initial=0)))
        self.most_far = max(self.most_far, int(rows.m_far.max(initial=0)))
        is_known = rows.m_far >= LEAST_REST
        least_numbers = np.where(rows.order.is_whole, 0.0, rows.k)
        least = np.min(least_numbers, initial=np.inf, where=is_known)
        self.least_n = min(self.least_n, float(least))


class Measurement:
    """Answers on the same scores, of which what was guessed is said once."""

    def __init__(
        self,
        scores: Any,
        target: Any,
        *,
        fixed: Sequence[int],
        mask: Any,
        causal: bool | None,
        near: Near,
        query_at: Any,
        weights: bool,
        sinks: Any,
        level: float,
        kernel: Given,
        causal_sign: str = "",
    ) -> None:
        """Parameters as of `measure`, and words for what says, beside them, that the model is
        causal. ValueError where they cannot be measured."""
        self.level = number("level", level, "numbers between 0 and 1", lambda x: 0 < x < 1)
        self.kernel = kernel
        self.is_exp = isinstance(kernel, str) and kernel == "exp"
        self.fixed = int(np.size(fixed))
        self._is_said = False
        if weights and not self.is_exp:
            raise ValueError(
                f"weights=True with kernel={kernel!r}; allowed: exp, for weights have lost what "
                "other kernels need of scores"
            )
        if sinks is not None and not self.is_exp:
            raise ValueError(
                f"sinks with kernel={kernel!r}; allowed: exp, for such a sink is a logit of softmax"
            )
        self.reader = Reader(
            scores,
            target,
            fixed=fixed,
            mask=mask,
            causal=causal,
            near=near,
            query_at=query_at,
            weights=weights,
            sinks=sinks,
            causal_sign=causal_sign,
        )

    def checked_n(self, n: float) -> float:
        """Returns a number of tokens; ValueError if it leaves no room for the rest."""
        least = self.fixed + 2
        allowed = f"numbers from {least}, the fixed tokens, the target and one more"
        return number("n", n, allowed, lambda x: least <= x < math.inf)

    def measure(self, n: float | None) -> pd.DataFrame:
        """As the function `measure`."""
        if n is not None:
            n = self.checked_n(n)
        parts = []
        shares_of_first = []
        room = Room()
        for rows in self.reader.rows():
            room.add(rows)
            if self.is_exp:
                columns = softmax_columns(rows, n, self.level)
            else:
                columns = kernel_columns(rows, n, self.level, self.kernel)
            parts.append(_table(rows, {"n": rows.n, "near": rows.near} | columns))
            shares_of_first.append(np.where(rows.is_target[:, 0], 0.0, rows.weights[:, 0]))
        table = pd.concat(parts, ignore_index=True)
        table.attrs = {} if n is None else {"N": n}
        if table["share"].isna().all():
            raise ValueError(
                f"every row has fewer than {LEAST_REST} tokens beside its target"
                f"{self.reader.explanation()}"
            )
        self._check_room(room, [] if n is None else [n])
        is_sink = np.concatenate(shares_of_first) > SINK_SHARE
        is_sink_unsaid = self.is_exp and self.fixed == 0 and is_sink.mean() > 0.5
        self._say(bool(is_sink_unsaid))
        return table

    def shares(self, numbers: Iterable[float]) -> pd.DataFrame:
        """As the function `share`."""
        sizes = [self.checked_n(n) for n in listed("n", numbers)]
        if not sizes:
            raise ValueError("n is empty; allowed: at least one number of tokens")
        parts: dict[float, list[pd.DataFrame]] = {n: [] for n in sizes}
        room = Room()
        for rows in self.reader.rows():
            room.add(rows)
            for n, tables in parts.items():
                if self.is_exp:
                    columns = columns_at(rows, n)
                else:
                    columns = kernel_shares_at(rows, n, self.kernel)
                numbers_of_tokens = np.full(len(rows), n)
                tables.append(_table(rows, {"n": numbers_of_tokens} | columns))
        self._check_room(room, sizes)
        tables_by_n = [table for n in sizes for table in parts[n]]
        table = pd.concat(tables_by_n, ignore_index=True)
        self._say(False)
        labels = [name for name in (*AXES, "query", "target", "n") if name in table]
        columns_of_shares = table.reindex(columns=[*labels, *SHARE_COLUMNS])
        return columns_of_shares.rename(columns=SHARE_COLUMNS)

    def _check_room(self, room: Room, sizes: Sequence[float]) -> None:
        """ValueError where no row has enough far tokens for the near ones that were said, or has
        room for what is there once among a number of tokens."""
        near = self.reader.near
        if room.most_far < LEAST_REST and room.most_rest >= LEAST_REST and near is not None:
            raise ValueError(
                f"near={near} leaves every row fewer than {LEAST_REST} far tokens; allowed: up to "
                f"{room.most_rest - LEAST_REST:,}"
            )
        for n in sizes:
            if n < room.least_n < math.inf:
                raise ValueError(
                    f"n={n:g}; allowed: numbers from {room.least_n:,.0f}, the tokens that are "
                    f"there once, near ones among them{self.reader.explanation()}"
                )

    def _say(self, first_is_sink: bool) -> None:
        """Warns, once, of what was guessed, and of a first token that looks like a sink."""
        if self._is_said:
            return
        self._is_said = True
        sentence = self.reader.guesses.sentence()
        if sentence:
            warn(sentence)
        if first_is_sink:
            warn(
                f"token 0 has over {SINK_SHARE:g} of most rows, as a sink; where it is there once, "
                "however long the context is, say fixed=[0]"
            )


def _table(rows: Rows, columns: dict[str, np.ndarray]) -> pd.DataFrame:
    """Labels of rows, and columns (R,)."""
    return pd.DataFrame(rows.labels | columns)


@once_per_question
def measure(
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
    n: float | None = None,
    level: float = LEVEL,
    kernel: Given = "exp",
) -> pd.DataFrame:
    """Up to how many tokens each query still finds its target.

    What a query sees: `mask` decides alone. Without one a key is masked where its score is -inf;
    where it is later than its query and the model is causal, by `causal=True`, by targets of
    `induction_targets`, or because all later weights of the row are 0; where its score is of those
    that lie 50 or more below every other of the row; where its weight is 0 in a whole run of zeros
    (docs/head.md). What was guessed of these is warned of once.

    Parameters
    ----------
    scores : (layer, sequence, head, queries, keys) as softmax gets them, of which the first three
        may be missing, or one row, or a list of layers, or what a model generated with, step by
        step. Whole numbers are scores too, and tensors
    target : the key that is to be found, or one for each query, (..., queries), -1 for none
    fixed : keys that are there once however long the context is, such as a sink at 0
    mask : True, or 1, where a key is seen, at the shape of the scores or axes of it; there must be
        numbers only where it is True. Or (sequences, keys), as tokenizers give it: of padding
        alone, and what is seen of the rest is as without a mask
    causal : True if queries do not see later keys, False if they do; None for a guess, or for what
        the mask says
    near : how many of the tokens beside the target and fixed ones count once, those nearest to the
        query; or "half". More tokens come in at the far end. None for half where the input says
        that the model is causal, by `causal=True`, by targets of `induction_targets`, or because
        most rows see no later key; for 0 of a row alone and elsewhere
    query_at : which key each query is itself, (queries,); the last keys if not given
    weights : whether the scores are attention weights, of which the logarithm is taken. A row that
        sums to less than 0.98 has a sink that is no token
    sinks : scores of such a sink where there is one, at the shape of the target
    n : a number of tokens N to foretell
    level : the share of the weight that finds the target
    kernel : another one on the same scores, by name, formula or function: what they would give,
        no head trained so; without intervals and temperatures

    Returns
    -------
    A row for each query with a target: layer, sequence, head of those there are, query, target,
    and the columns that docs/head.md explains; NaN where fewer than 8 others are seen, and where
    weights that were rounded to 0 leave a column open.

    Raises
    ------
    ValueError
        If an argument is not as above; the text names it, the value and what is allowed.
    ArithmeticError
        If a kernel gives weights that are negative or no numbers.
    """
    measurement = Measurement(
        scores,
        target,
        fixed=fixed,
        mask=mask,
        causal=causal,
        near=near,
        query_at=query_at,
        weights=weights,
        sinks=sinks,
        level=level,
        kernel=kernel,
    )
    return measurement.measure(n)


@once_per_question
def share(
    scores: Any,
    target: Any,
    n: Iterable[float],
    *,
    fixed: Sequence[int] = (),
    mask: Any = None,
    causal: bool | None = None,
    near: Near = None,
    query_at: Any = None,
    weights: bool = False,
    sinks: Any = None,
    level: float = LEVEL,
    kernel: Given = "exp",
) -> pd.DataFrame:
    """The target's share among each of the numbers of tokens n, with its interval: a row for each
    query and n, with columns n, share, low, high after the labels. Arguments and errors as of
    `measure`."""
    measurement = Measurement(
        scores,
        target,
        fixed=fixed,
        mask=mask,
        causal=causal,
        near=near,
        query_at=query_at,
        weights=weights,
        sinks=sinks,
        level=level,
        kernel=kernel,
    )
    return measurement.shares(n)


@once_per_question
def counting(
    scores: Any,
    target: Any,
    gaps: Iterable[float],
    *,
    fixed: Sequence[int] = (),
    mask: Any = None,
    causal: bool | None = None,
    near: Near = None,
    query_at: Any = None,
) -> pd.DataFrame:
    """How many of the rest have scores within each gap of the target's, or above it: a row for each
    query and gap, with columns gap, count, and far, how many of these are far, after the labels.
    Arguments and errors as of `measure`."""
    sizes = [
        number("gaps", gap, "numbers", lambda x: not math.isnan(x)) for gap in listed("gaps", gaps)
    ]
    if not sizes:
        raise ValueError("gaps is empty; allowed: at least one gap")
    reader = Reader(
        scores, target, fixed=fixed, mask=mask, causal=causal, near=near, query_at=query_at
    )
    parts = []
    for rows in reader.rows():
        gaps_of_rest = np.where(rows.is_rest, -rows.above_target, np.inf)
        for gap in sizes:
            is_within = rows.is_rest & (gaps_of_rest <= gap)
            is_far_within = rows.is_far & is_within
            columns = {
                "gap": np.full(len(rows), gap),
                "count": is_within.sum(axis=1),
                "far": is_far_within.sum(axis=1),
            }
            parts.append(_table(rows, columns))
    sentence = reader.guesses.sentence()
    if sentence:
        warn(sentence)
    return pd.concat(parts, ignore_index=True)


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each layer and head of what `measure` gives.

    `held_out` comes first: the mean over rows of whether one part of the context foretold another.
    Under 0.85 this context does not foretell a longer one; NaN where no row knows. Then `rows`,
    how many have 8 tokens or more beside the target and what is fixed, medians over these of share,
    n_entropy, sink, reach, share_at_n, temperature and drift, the quartiles of the reach, `below`,
    the fraction of rows whose reach is 0, which is below what counts once, and `found_at_n`, that
    of rows whose reach is at least N, where an N was given. A median or quartile between a reach of
    0 and another is 0.
    """
    known = rows.copy()
    if "held_out" not in known:
        known["held_out"] = math.nan
    columns: dict[str, tuple[str, Any]] = {
        "held_out": ("held_out", "mean"),
        "rows": ("share", "count"),
    }
    for name in MEDIANS:
        if name in rows:
            columns[name] = (name, "median")
    columns["reach"] = ("reach", _median)
    columns["reach_q25"] = ("reach", _lower_quartile)
    columns["reach_q75"] = ("reach", _upper_quartile)
    is_below = (rows["reach"] == 0).astype(float)
    known["below"] = is_below.where(rows["reach"].notna())
    columns["below"] = ("below", "mean")
    if "N" in rows.attrs:
        is_found = (rows["reach"] >= rows.attrs["N"]).astype(float)
        known["found_at_n"] = is_found.where(rows["reach"].notna())
        columns["found_at_n"] = ("found_at_n", "mean")
    by: list[Hashable] = [name for name in ("layer", "head") if name in rows]
    if not by:
        return known.groupby(lambda _: 0).agg(**columns).reset_index(drop=True)
    return known.groupby(by).agg(**columns).reset_index()


def _median(values: pd.Series) -> float:
    return _quantile(values, 0.5)


def _lower_quartile(values: pd.Series) -> float:
    return _quantile(values, 0.25)


def _upper_quartile(values: pd.Series) -> float:
    return _quantile(values, 0.75)


def _quantile(values: pd.Series, probability: float) -> float:
    """Of reaches that may be inf; NaN are left out. A reach of 0 is no number of tokens: nothing
    lies between it and another."""
    ordered = np.sort(values.dropna().to_numpy())
    if len(ordered) == 0:
        return math.nan
    place = (len(ordered) - 1) * probability
    low = float(ordered[math.floor(place)])
    high = float(ordered[math.ceil(place)])
    if low in (0, high):
        return low
    return low + (high - low) * (place - math.floor(place))


def trust(held_out: float) -> str:
    """What a mean of `held_out` says of longer contexts, in a sentence."""
    if math.isnan(held_out):
        return "held_out: not known, as it is of softmax on 512 tokens or more"
    if held_out < TRUSTED:
        return f"held_out {held_out:.2f}, under {TRUSTED}: this context does not foretell more"
    return f"held_out {held_out:.2f}: one part of the context foretells another"
