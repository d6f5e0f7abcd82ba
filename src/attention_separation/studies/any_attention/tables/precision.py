"""Kernels in 16 bits, and less a part of their row's mean: at which n they stop to separate.

Tokens of a type are rounded alike, so rows stay few. Sums over tokens are exact, and rounded once.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import product
from pathlib import Path

import numpy as np

from ....any_attention.layers import LAYERS, Layer, token_types
from ....any_attention.reach_search import number_or_null, reach
from ....any_attention.values import Scored, score_columns, score_rows, separate
from ....any_attention.verdicts import exp_probabilities, verdicts
from ....attention.distinct_rows import Rows, TokenTypes, distinct_rows
from ....attention.kernel import Kernel
from ....attention.kernels import KERNELS, minus_mean
from ....attention.separation import probability_each_bias
from ....attention.threshold_curves import LARGEST_N
from ....datasets.dataset import Data
from ....messages.progress import Progress
from ....pages.table_page import write_result
from ....results.provenance import record
from ....results.tables import Row, finite_or_null, schema, table_from_rows
from ....statistics.bisection import last_multiple_between
from ..settings import KernelsJob

CASES = (
    *product(("exp", "exp_half", "exp_quarter", "power_2", "power_4", "uniform"), [0.0]),
    *product(("exp_sqrt_d", "linear"), [0.0, 0.8, 0.95, 1.0]),
)
"""Kernels, each with the part lambda of its row's mean that is subtracted."""

EVERY_MULTIPLE_UP_TO = 200_000
KERNEL_SIZES_PER_DECADE = 100
"""Of the n at which the first lost is sought: up to here every multiple of K, then so many."""

SIZES_IN_A_BATCH = 256
"""Numbers of tokens worked on at once."""

N_OF_MARGINS = 2_000
N_OF_BIASES = (2_000, 20_000)

ENDLESS_OF_PRECISIONS = ("last_n", "first_lost_exact", "first_lost")
SCHEMA = schema(
    kernel=str,
    **{"lambda": float},
    model=str,
    attention_x=str,
    last_n=float,
    margin=float,
    margin_of_exp=float,
    first_lost_exact=float,
    scheme=str,
    first_lost=float,
    gained=int,
    lost=int,
    **{f"p_each_bias_{n}": float for n in N_OF_BIASES},
)
TITLE = "Any attention: in 16 bits, and less a part of the mean"
ABOUT = (
    "Rows f of a kernel, or f − λ/n: less a part of the row's mean. Exact numbers: last_n, the "
    f"largest n at which it separates; its margins at n = {N_OF_MARGINS:,}, as in the table of "
    "values; the first n that is lost. With a scheme: the first that is lost, and how many of 5 n "
    "a decade up to 10^12 are gained and lost; p_each_bias, with a bias for each neuron. The first "
    f"lost is of all multiples of K up to {EVERY_MULTIPLE_UP_TO:,}. Beyond, of "
    f"{KERNEL_SIZES_PER_DECADE} a decade, so that there may be smaller ones.\n"
    "Tokens, A X and outputs are rounded to 16 bits, to nearest and ties to even. flash: scores "
    "and sums have float32, weights 16 bits where they meet the values. eager: scores, weights and "
    "what a neuron reads have 16 bits too. A difference of rows is rounded again. m, √log n and "
    "the probability of exp are exact."
)


def rounded(x: np.ndarray, digits: int = 24, least: int = -126) -> np.ndarray:
    """The numbers, rounded to `digits` binary digits, ties to even; 2^least is the least normal
    number, below which they are subnormal, and beyond the largest they are inf. Without arguments
    they are float32."""
    unit = np.maximum(np.frexp(x)[1], least + 1) - digits
    nearest = np.ldexp(np.rint(np.ldexp(x, -unit)), unit)
    is_beyond = np.abs(nearest) >= 2.0 ** (2 - least)
    return np.where(is_beyond, np.copysign(np.inf, nearest), nearest)


@dataclass(frozen=True)
class Scheme:
    """What is rounded, as ABOUT says, and to which 16 bits, as `rounded` takes them."""

    name: str
    digits: int
    least: int
    eager: bool

    def stored(self, x: np.ndarray) -> np.ndarray:
        """Numbers, rounded to float32 and then to the scheme's 16 bits."""
        return rounded(rounded(x), self.digits, self.least)


SCHEMES = (
    Scheme("flash_bf16", digits=8, least=-126, eager=False),
    Scheme("eager_bf16", digits=8, least=-126, eager=True),
    Scheme("flash_fp16", digits=11, least=-14, eager=False),
    Scheme("eager_fp16", digits=11, least=-14, eager=True),
)


@lru_cache(maxsize=512)
def _rounded_types(
    layer: Layer, data: Data, n: tuple[int, ...], scheme: Scheme
) -> tuple[TokenTypes, TokenTypes]:
    """The token types of D0 and D1, with every token rounded."""
    d0, d1 = token_types(layer, data, n)
    # With X all ones vectors have a part of X.
    plain_d0, plain_d1 = token_types(replace(layer, attention_x="identity"), data, n)
    multiplies_by_ones = layer.attention_x == "ones"
    return (
        _round_types(d0, plain_d0, multiplies_by_ones, scheme),
        _round_types(d1, plain_d1, multiplies_by_ones, scheme),
    )


def _round_types(
    types: TokenTypes, plain: TokenTypes, multiplies_by_ones: bool, scheme: Scheme
) -> TokenTypes:
    """The types of rounded tokens, from those of exact ones and the `plain` ones with X = I. Scores
    are exact products of tokens and of rounded A X; cross-attention gets a last coordinate of 0."""
    queries = scheme.stored(plain.queries)
    keys = scheme.stored(plain.keys)
    counts = plain.coordinate_counts[:, None, :]
    if multiplies_by_ones:
        queries[:] = scheme.stored((counts * queries).sum(axis=-1, keepdims=True))
    last = np.zeros(len(types.n)) if types.last is None else types.last
    return replace(
        types,
        scores=(counts * queries) @ keys.mT,
        first=scheme.stored(types.first),
        block=scheme.stored(types.block),
        last=scheme.stored(last),
    )


def _outputs(types: TokenTypes, kernel: Kernel, scheme: Scheme) -> np.ndarray:
    """The rounded entries of a kernel's rows, (5, P, R): first, marked, own, rest and last. The
    rows are divided by their sums."""
    if scheme.eager:
        types = replace(types, scores=scheme.stored(types.scores))
    else:
        types = replace(types, scores=rounded(types.scores))
    inputs = types.inputs()
    weights = kernel.attention_weights(inputs)
    total: float | np.ndarray = 1.0
    if not scheme.eager:
        weights = rounded(weights / inputs.largest(weights))
        sums = rounded((weights * inputs.multiplicities).sum(axis=-1))
        total = np.where(types.exists, sums, sums[:, :1])
    stored = Kernel(kernel.name, "", "row", lambda _: scheme.stored(weights), normaliser="none")
    rows = distinct_rows(types, stored)
    assert rows.last is not None
    entries = np.stack([rows.first, rows.marked, rows.own, rows.rest, rows.last])
    return scheme.stored(rounded(entries) / total)


REST_OUTPUT = 3
"""The place of `rest` among the outputs of a row."""


def _rounded_rows(types: TokenTypes, kernel: Kernel, part: float, scheme: Scheme) -> Rows:
    """The rows of a kernel less a part of their mean, where every number is rounded."""
    outputs = _outputs(types, kernel, scheme)
    if part > 0:
        mean = _outputs(types, KERNELS["uniform"], scheme)
        outputs = scheme.stored(outputs - part * mean)
    first, marked, own, rest, last = outputs
    sizes = np.abs(outputs)
    # `rest` is the entry of each further class, of which there are classes - 2.
    sizes[REST_OUTPUT] *= np.maximum(types.classes - 2, 0)[:, None]
    size = sizes.sum(axis=0)
    return Rows(
        types.classes,
        first=first,
        marked=marked,
        own=own,
        rest=rest,
        last=last,
        weights=types.scores,
        size=size,
        rounded=size,
    )


def rounded_columns(
    kernel: Kernel, part: float, layer: Layer, data: Data, scheme: Scheme, n: Sequence[int]
) -> Scored:
    """What `score_columns` gives, by rows less a part of their mean in which every number is
    rounded."""
    d0, d1 = _rounded_types(layer, data, tuple(n), scheme)
    rows_on_d0 = _rounded_rows(d0, kernel, part, scheme)
    rows_on_d1 = _rounded_rows(d1, kernel, part, scheme)
    scored = score_rows((rows_on_d0, rows_on_d1), data, n)
    if not scheme.eager:
        return scored
    # Rounding keeps order: the largest of rounded scores is the largest score, rounded.
    return replace(
        scored,
        d0=replace(scored.d0, score=scheme.stored(scored.d0.score)),
        d1=replace(scored.d1, score=scheme.stored(scored.d1.score)),
    )


def tested_sizes(data: Data, every_up_to: int, per_decade: int) -> np.ndarray:
    """The multiples of K that are tried: all up to `every_up_to`, and so many a decade up to
    10^12."""
    decades = math.log10(LARGEST_N / data.classes)
    spread_multiples = np.geomspace(1, LARGEST_N // data.classes, round(per_decade * decades))
    first_multiples = np.arange(1, every_up_to // data.classes + 1)
    sizes = np.unique(np.append(first_multiples, spread_multiples.astype(np.int64))) * data.classes
    return sizes[sizes > 1]


def first_lost(verdict_at: Callable[[np.ndarray], np.ndarray], data: Data) -> float:
    """The first n at which a kernel does not separate, from the verdicts at several n; both sides
    of it are tried. inf if there is none, NaN where float64 does not tell at an n before it."""
    sizes = tested_sizes(data, EVERY_MULTIPLE_UP_TO, KERNEL_SIZES_PER_DECADE)

    def separates(n: np.ndarray) -> np.ndarray:
        return verdict_at(n) == 1

    k = _first_that_fails(separates, sizes)
    if k is None:
        return math.inf
    # Before the least n stands one at which it is taken to separate.
    n_before = sizes[k - 1] if k > 0 else sizes[0] - data.classes
    last = last_multiple_between(separates, int(n_before), int(sizes[k]), data.classes)
    first = last + data.classes
    is_known = verdict_at(np.array([first]))[0] == 0
    return float(first) if is_known else math.nan


def _first_that_fails(
    separates: Callable[[np.ndarray], np.ndarray], sizes: np.ndarray
) -> int | None:
    """The index of the first n at which a kernel does not separate; None if there is none."""
    for start in range(0, len(sizes), SIZES_IN_A_BATCH):
        fails = np.flatnonzero(~separates(sizes[start : start + SIZES_IN_A_BATCH]))
        if len(fails) > 0:
            return start + int(fails[0])
    return None


def _verdicts_of_columns(
    columns: Callable[[list[int]], Scored], layer: Layer, data: Data, n: np.ndarray
) -> np.ndarray:
    """The verdict at each n, (P,), from the scored columns that `columns` returns for several n."""
    sizes = n.tolist()
    return verdicts(columns(sizes).probability_bounds(), layer, data, tuple(sizes))


def _rows_by_scheme(name: str, part: float, layer: Layer, data: Data) -> Iterator[Row]:
    """The rows of a kernel less a part of its row's mean in a layer, one for each scheme of
    rounding."""
    kernel = KERNELS[name]
    exact = minus_mean(part, kernel) if part > 0 else kernel
    verdicts_exactly = partial(
        _verdicts_of_columns, partial(score_columns, exact, layer, data), layer, data
    )
    margins_at = N_OF_MARGINS - N_OF_MARGINS % data.classes
    biases_at = [n - n % data.classes for n in N_OF_BIASES]
    of_exp = exp_probabilities(layer, data, (margins_at,))
    margins = separate(exact, layer, data, [margins_at], of_exp)
    counted_sizes = tested_sizes(data, every_up_to=0, per_decade=5)
    exact_verdicts = verdicts_exactly(counted_sizes)
    row = {
        "kernel": name,
        "lambda": part,
        "last_n": number_or_null(reach(exact, layer, data).last),
        "margin": finite_or_null(margins.margin[0]),
        "margin_of_exp": finite_or_null(margins.margin_of_exp[0]),
        "first_lost_exact": number_or_null(first_lost(verdicts_exactly, data)),
    }
    for scheme in SCHEMES:
        columns = partial(rounded_columns, kernel, part, layer, data, scheme)
        verdicts_rounded = partial(_verdicts_of_columns, columns, layer, data)
        rounded_verdicts = verdicts_rounded(counted_sizes)
        scheme_row = {
            "scheme": scheme.name,
            "first_lost": number_or_null(first_lost(verdicts_rounded, data)),
            "gained": int(((rounded_verdicts == 1) & (exact_verdicts == 0)).sum()),
            "lost": int(((exact_verdicts == 1) & (rounded_verdicts == 0)).sum()),
        }
        probabilities = probability_each_bias(columns(biases_at).ranked()).tolist()
        for n, probability in zip(N_OF_BIASES, probabilities, strict=True):
            scheme_row[f"p_each_bias_{n}"] = probability
        yield row | layer.columns | scheme_row


def run(job: KernelsJob, output: Path) -> None:
    cases = list(product(CASES, LAYERS))
    progress = Progress("kernels-precision", len(cases), "kernels in layers")
    rows: list[Row] = []
    for (name, part), layer in cases:
        rows += _rows_by_scheme(name, part, layer, job.data)
        progress.advance()
    table = table_from_rows(rows, SCHEMA)
    provenance = record(job.canonical(), __name__)
    write_result(
        table, output.with_suffix(""), provenance, TITLE, ABOUT, endless=ENDLESS_OF_PRECISIONS
    )
