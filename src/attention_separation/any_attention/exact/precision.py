"""Kernels in 16 bits, and less a part of their row's mean: at which n they stop to separate.

Tokens of a type are rounded alike, so rows stay few. Sums over tokens are exact, and rounded once.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...attention.distinct_rows import Rows, TokenTypes, distinct_rows
from ...attention.kernel import Kernel
from ...attention.kernels import KERNELS, minus_mean
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
from .limits import exp_probabilities, last_between, reach, verdicts
from .values import Scored, score_columns, separate

CASES = (
    *product(("exp", "exp_half", "exp_quarter", "power_2", "power_4", "uniform"), [0.0]),
    *product(("exp_sqrt_d", "linear"), [0.0, 0.8, 0.95, 1.0]),
)
"""Kernels, each with the part lambda of its row's mean that is subtracted."""

EVERY, PER_DECADE, TOGETHER = 200_000, 100, 256
AT, BIASES_AT = 2_000, (2_000, 20_000)
MARGINS = ("margin", "margin_of_exp")
ENDLESS = ("last_n", "first_lost_exact", "first_lost")
SCHEMA = schema(
    kernel=str, **{"lambda": float}, model=str, attention_x=str, last_n=float,
    **dict.fromkeys(MARGINS, float), first_lost_exact=float, scheme=str, first_lost=float,
    gained=int, lost=int,
    **{f"p_each_bias_{n}": float for n in BIASES_AT},
)  # fmt: skip
TITLE = "Any attention: in 16 bits, and less a part of the mean"
ABOUT = (
    "Rows f of a kernel, or f − λ/n: less a part of the row's mean. Exact numbers: last_n, the "
    f"largest n at which it separates; its margins at n = {AT:,}, as in the table of values; the "
    "first n that is lost. With a scheme: the first that is lost, and how many of 5 n a decade up "
    "to 10^12 are gained and lost; p_each_bias, with a bias for each neuron. The first lost is of "
    f"all multiples of K up to {EVERY:,}. Beyond, of {PER_DECADE} a decade, so that there may be "
    "smaller ones.\n"
    "Tokens, A X and outputs are rounded to 16 bits, to nearest and ties to even. flash: scores "
    "and sums have float32, weights 16 bits where they meet the values. eager: scores, weights and "
    "what a neuron reads have 16 bits too. A difference of rows is rounded again. m, √log n and "
    "the probability of exp are exact."
)


def rounded(x: np.ndarray, digits: int = 24, least: int = -126) -> np.ndarray:
    """The nearest numbers with so many binary digits and the least normal number 2^least, ties to
    even; subnormal ones below, inf beyond the largest. They are float32 if nothing else is said."""
    unit = np.maximum(np.frexp(x)[1], least + 1) - digits
    found = np.ldexp(np.rint(np.ldexp(x, -unit)), unit)
    return np.where(np.abs(found) >= 2.0 ** (2 - least), np.copysign(np.inf, found), found)


class Scheme(NamedTuple):
    """What is rounded, as ABOUT says, and to which 16 bits, as `rounded` takes them."""

    name: str
    digits: int
    least: int
    eager: bool

    def stored(self, x: np.ndarray) -> np.ndarray:
        return rounded(rounded(x), self.digits, self.least)


SCHEMES = tuple(
    Scheme(f"{kind}_{name}", *of, kind == "eager")
    for name, of in (("bf16", (8, -126)), ("fp16", (11, -14)))
    for kind in ("flash", "eager")
)


@lru_cache(maxsize=512)
def _rounded_types(
    layer: Layer, data: Data, n: tuple[int, ...], scheme: Scheme
) -> list[TokenTypes]:
    """Those of D0 and D1 of rounded tokens; scores are exact products of these and of rounded A X,
    and cross-attention has a last coordinate of 0."""
    found = []
    # With X all ones vectors have a part of X.
    tokens = token_types(replace(layer, attention_x="identity"), data, n)
    for types, plain in zip(token_types(layer, data, n), tokens, strict=True):
        queries, keys = scheme.stored(plain.queries), scheme.stored(plain.keys)
        counts = plain.coordinate_counts[:, None, :]
        if layer.attention_x == "ones":
            queries[:] = scheme.stored((counts * queries).sum(axis=-1, keepdims=True))
        last = 0 * types.block if types.last is None else types.last
        first, block, last = map(scheme.stored, (types.first, types.block, last))
        scores = (counts * queries) @ keys.mT
        found.append(replace(types, scores=scores, first=first, block=block, last=last))
    return found


def _outputs(types: TokenTypes, kernel: Kernel, scheme: Scheme) -> np.ndarray:
    """The rounded rows, (5, P, R), of a kernel that is divided by its row's sum."""
    types = replace(types, scores=(scheme.stored if scheme.eager else rounded)(types.scores))
    seen = types.inputs()
    weights, total = kernel.attention_weights(seen), 1.0
    if not scheme.eager:
        weights = rounded(weights / seen.largest(weights))
        total = rounded((weights * seen.multiplicities).sum(axis=-1))
        total = np.where(types.exists, total, total[:, :1])
    stored = Kernel(kernel.name, "", "row", lambda _: scheme.stored(weights), normaliser="none")
    rows = distinct_rows(types, stored)
    sums = np.stack([rows.first, rows.marked, rows.own, rows.rest, rows.last])
    return scheme.stored(rounded(sums) / total)


def rounded_columns(
    kernel: Kernel, part: float, layer: Layer, data: Data, scheme: Scheme, n: Sequence[int]
) -> Scored:
    """`score_columns`, rounded, of rows less a part of their mean."""
    rows = []
    for types in _rounded_types(layer, data, tuple(n), scheme):
        outputs = _outputs(types, kernel, scheme)
        if part:
            mean = _outputs(types, KERNELS["uniform"], scheme)
            outputs = scheme.stored(outputs - part * mean)
        # Entries of a row, each of which may be of several classes.
        of_classes = np.array([1, 1, 1, max(data.classes - 2, 0), 1])[:, None, None]
        size = (np.abs(outputs) * of_classes).sum(axis=0)
        rows.append(Rows(types.classes, *outputs, types.scores, size=size, rounded=size))
    # Rounding keeps order: the largest of rounded scores is the largest score, rounded.
    scores = [largest_scores(of_dataset) for of_dataset in rows]
    if scheme.eager:
        scores = [replace(states, score=scheme.stored(states.score)) for states in scores]
    m, sizes = np.array([data.m(size) for size in n]), np.array(n)
    return Scored(tuple(rows), *scores, m, np.sqrt(np.log(sizes)), sizes)


def multiples(data: Data, every: int, per_decade: int) -> np.ndarray:
    """All multiples of K up to `every`, and so many a decade up to 10^12."""
    decades = math.log10(LARGEST_N / data.classes)
    beyond = np.geomspace(1, LARGEST_N // data.classes, round(per_decade * decades))
    steps = np.unique(np.append(np.arange(1, every // data.classes + 1), beyond.astype(np.int64)))
    return steps[steps * data.classes > 1] * data.classes


def first_lost(verdict_at: Callable[[np.ndarray], np.ndarray], data: Data) -> float:
    """The first n at which a kernel does not separate, both sides of it being asked, from what
    `separation` gives for each of several n; inf if there is none, NaN where float64 does not tell
    at an n before it."""
    sizes = multiples(data, EVERY, PER_DECADE)

    def separates(n: np.ndarray) -> np.ndarray:
        return verdict_at(n) == 1

    for start in range(0, len(sizes), TOGETHER):
        for k in start + np.flatnonzero(~separates(sizes[start : start + TOGETHER]))[:1]:
            before = int(sizes[k - 1]) if k else int(sizes[0]) - data.classes
            last = last_between(separates, before, int(sizes[k]), data.classes)
            first = last + data.classes
            return float(first) if verdict_at(np.array([first]))[0] == 0 else math.nan
    return math.inf


def _rows(name: str, part: float, layer: Layer, data: Data) -> Iterator[dict[str, object]]:
    def verdict_at(columns: Callable[[list[int]], Scored], n: np.ndarray) -> np.ndarray:
        sizes = tuple(n.tolist())
        return verdicts(columns(n.tolist()).probability_bounds(), layer, data, sizes)

    kernel, counted = KERNELS[name], multiples(data, 0, 5)
    exact = minus_mean(part, kernel) if part else kernel
    at, *biases_at = (n // data.classes * data.classes for n in (AT, *BIASES_AT))
    margins = separate(exact, layer, data, [at], exp_probabilities(layer, data, (at,)))
    last, without = reach(exact, layer, data).last, partial(score_columns, exact, layer, data)
    before = verdict_at(without, counted)
    row = {"kernel": name, "lambda": part, "last_n": _or_null(last)}
    row |= {margin: finite_or_null(getattr(margins, margin)[0]) for margin in MARGINS}
    lost_exactly = first_lost(partial(verdict_at, without), data)
    row |= layer.columns | {"first_lost_exact": _or_null(lost_exactly)}
    for scheme in SCHEMES:
        columns = partial(rounded_columns, kernel, part, layer, data, scheme)
        after = verdict_at(columns, counted)
        biases = of_each_neuron(columns(biases_at).ranked()).tolist()
        yield row | {
            "scheme": scheme.name,
            "first_lost": _or_null(first_lost(partial(verdict_at, columns), data)),
            "gained": int(((after == 1) & (before == 0)).sum()),
            "lost": int(((before == 1) & (after == 0)).sum()),
            **{f"p_each_bias_{n}": p for n, p in zip(BIASES_AT, biases, strict=True)},
        }


def _or_null(n: float) -> float | None:
    return None if math.isnan(n) else n


def run(job: KernelsJob, output: Path) -> None:
    cases = list(product(CASES, LAYERS))
    progress = Progress("kernels-precision", len(cases), "kernels in layers")
    rows = []
    for (name, part), layer in cases:
        rows += _rows(name, part, layer, job.data)
        progress.advance()
    of = output.with_suffix(""), record(job.canonical(), __name__), TITLE, ABOUT
    write_result(table_from_rows(rows, SCHEMA), *of, endless=ENDLESS)
