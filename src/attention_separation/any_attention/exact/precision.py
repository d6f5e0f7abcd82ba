"""Kernels in 16 bits, and less a part of their row's mean: at which n they stop to separate."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import product
from pathlib import Path

import numpy as np

from ...attention.distinct_rows import TokenTypes
from ...attention.kernel import Kernel
from ...attention.kernels import KERNELS, minus_mean
from ...attention.rounding import SCHEMES, Scheme, rounded_difference, rounded_rows
from ...attention.separation import of_each_neuron
from ...attention.sign_columns import largest_scores
from ...attention.threshold_curves import LARGEST_N
from ...datasets.dataset import Data
from ...pages.table_page import write_result
from ...results.progress import Progress
from ...results.provenance import record
from ...results.tables import finite_or_null, schema, table_from_rows
from ..settings import KernelsJob
from .layers import LAYERS, Layer, token_types
from .limits import exp_probabilities, last_between, reach
from .values import Scored, score_columns, separate

CASES = (
    *product(("exp", "exp_half", "exp_quarter", "power_2", "power_4", "uniform"), [0.0]),
    *product(("exp_sqrt_d", "linear"), [0.0, 0.8, 0.95, 1.0]),
)
"""Kernels, each with the part of its row's mean that is subtracted."""

EVERY, PER_DECADE = 20_000, 100
"""Up to `EVERY` all multiples of K are asked for the first that is lost, and beyond so many."""

TOGETHER = 256
"""Numbers of tokens asked at once."""

COUNTED_PER_DECADE = 5
MARGIN_AT = 2_000
BIASES_AT = (2_000, 20_000)

ENDLESS = ("last_n", "first_lost_exact", "first_lost")
"""Columns in which inf has a meaning."""

SCHEMA = schema(
    kernel=str, **{"lambda": float}, model=str, attention_x=str, last_n=float, margin=float,
    margin_of_exp=float, first_lost_exact=float, scheme=str, first_lost=float, gained=int, lost=int,
    **{f"p_each_bias_{n}": float for n in BIASES_AT},
)  # fmt: skip
"""A row per kernel, part lambda of the mean that is subtracted, layer and scheme of rounding."""

TITLE = "Any attention: rounded to 16 bits, and less a part of the mean"
ABOUT = (
    "Rows f of a kernel, or f − λ/n where a part λ of the row's mean is subtracted. last_n is the largest n up to 10^12 at which it separates, and margin the largest "
    f"gap between the scores of D0 and D1 at n = {MARGIN_AT:,}, in units of √log n, at which half "
    "of its own best probability is left (margin of exp: half of exp's); both exact. first_lost is "
    "the first n at which it does not separate, without rounding (exact) and with a scheme: all "
    f"multiples of K up to {EVERY:,} are asked, beyond them {PER_DECADE} a decade, then both sides "
    f"of the first one lost. Of {COUNTED_PER_DECADE} n a decade up to 10^12, gained and lost are "
    "how many separate by rounding alone, and how many by exact numbers alone. p_each_bias is the "
    "probability that some neuron separates with a bias of its own, chosen after the signs.\n"
    "Tokens, A X and outputs have 16 bits, rounded to nearest with ties to even. flash: scores and "
    "sums have float32, and weights 16 bits where they meet the values. eager: scores, weights, "
    "and the sums over a row that a neuron reads have 16 bits too. A difference of rows is "
    "rounded again. Sums over tokens are taken as exact and rounded once; m, √log n and the "
    "probability of exp that counts are of exact numbers."
)


@lru_cache(maxsize=512)
def _rounded_types(
    layer: Layer, data: Data, n: tuple[int, ...], scheme: Scheme
) -> list[TokenTypes]:
    """The token types of D0 and D1 of rounded tokens; their scores are exact products of these and
    of the rounded A X."""
    found, columns = [], np.minimum(np.arange(4), data.classes)
    # Tokens as they are: with X all ones vectors have a part of X.
    tokens = token_types(replace(layer, attention_x="identity"), data, n)
    for types, plain in zip(token_types(layer, data, n), tokens, strict=True):
        queries, keys = plain.vectors(np.arange(len(n)))
        queries, keys = scheme.stored(queries), scheme.stored(keys[:, columns])
        if layer.attention_x == "ones":
            queries[:] = scheme.stored(queries.sum(axis=-1, keepdims=True))
        values = {k: getattr(types, k) for k in ("first", "block", "last")}
        values = {k: of if of is None else scheme.stored(of) for k, of in values.items()}
        found.append(replace(types, scores=queries @ keys.mT, **values))
    return found


def rounded_columns(
    kernel: Kernel, subtracted: float, layer: Layer, data: Data, scheme: Scheme, n: Sequence[int]
) -> Scored:
    """The states of a column at numbers of tokens, as `score_columns`, rounded; a threshold is
    not."""
    rows = []
    for types in _rounded_types(layer, data, tuple(n), scheme):
        rows.append(rounded_rows(types, kernel, scheme))
        if subtracted:
            mean = rounded_rows(types, KERNELS["uniform"], scheme)
            rows[-1] = rounded_difference(rows[-1], subtracted, mean, scheme)
    # Rounding keeps order: the largest of rounded scores is the largest score, rounded.
    scores = (scheme.stored(u) if scheme.eager else u for u in map(largest_scores, rows))
    m, sizes = np.array([data.m(size) for size in n]), np.array(n)
    return Scored(tuple(rows), *scores, m, np.sqrt(np.log(sizes)), sizes)


Columns = Callable[[Sequence[int]], Scored]
"""The states of a column at numbers of tokens."""


def separates(columns: Columns, layer: Layer, data: Data, n: np.ndarray) -> np.ndarray:
    """Whether P at the best threshold is above half of exp's, (P,)."""
    of_exp = exp_probabilities(layer, data, tuple(n.tolist()))
    return columns(n.tolist()).best_probabilities() > of_exp / 2


def multiples(data: Data, least: int, per_decade: int) -> np.ndarray:
    """The multiples of K up to `least`, and of those up to 10^12 so many a decade."""
    every, most = max(least, data.classes) // data.classes, LARGEST_N // data.classes
    beyond = np.geomspace(every, most, round(per_decade * math.log10(most / every)))
    steps = np.unique(np.concatenate([np.arange(1, every + 1), beyond.astype(np.int64)]))
    return steps[steps * data.classes > 1] * data.classes


def first_lost(holds: Callable[[np.ndarray], np.ndarray], data: Data) -> float:
    """The first multiple of K at which a condition does not hold, of those that are asked; inf."""
    sizes = multiples(data, EVERY, PER_DECADE)
    for start in range(0, len(sizes), TOGETHER):
        lost = np.flatnonzero(~holds(sizes[start : start + TOGETHER])) + start
        if len(lost):
            before, there = sizes[max(lost[0] - 1, 0)], sizes[lost[0]]
            if before == there:
                return float(there)
            return float(last_between(holds, int(before), int(there), data.classes) + data.classes)
    return math.inf


def _rows(name: str, subtracted: float, layer: Layer, data: Data) -> Iterator[dict[str, object]]:
    kernel = KERNELS[name]
    exact = minus_mean(subtracted, kernel) if subtracted else kernel
    counted = multiples(data, 0, COUNTED_PER_DECADE)
    at, *biases_at = (n // data.classes * data.classes for n in (MARGIN_AT, *BIASES_AT))
    found = separate(exact, layer, data, [at], exp_probabilities(layer, data, (at,)))
    margins = {k: finite_or_null(getattr(found, k)[0]) for k in ("margin", "margin_of_exp")}
    last = reach(exact, layer, data).last
    without = partial(separates, partial(score_columns, exact, layer, data), layer, data)
    is_counted = without(counted)
    row = {
        "kernel": name, "lambda": subtracted, **layer.columns,
        "last_n": None if math.isnan(last) else last, **margins,
        "first_lost_exact": first_lost(without, data),
    }  # fmt: skip
    for scheme in SCHEMES:
        columns = partial(rounded_columns, kernel, subtracted, layer, data, scheme)
        holds = partial(separates, columns, layer, data)
        with_it, biases = holds(counted), of_each_neuron(columns(biases_at).ranked())
        yield row | {
            "scheme": scheme.name,
            "first_lost": first_lost(holds, data),
            "gained": int((with_it & ~is_counted).sum()),
            "lost": int((is_counted & ~with_it).sum()),
            **dict(zip((f"p_each_bias_{n}" for n in BIASES_AT), biases.tolist(), strict=True)),
        }


def run(job: KernelsJob, output: Path) -> None:
    each = list(product(CASES, LAYERS))
    progress, rows = Progress("kernels-precision", len(each), "kernels in layers"), []
    for case, layer in each:
        rows += _rows(*case, layer, job.data)
        progress.advance()
    table = table_from_rows(rows, SCHEMA)
    of = output.with_suffix(""), record(job.canonical(), __name__), TITLE, ABOUT
    write_result(table, *of, endless=ENDLESS)
