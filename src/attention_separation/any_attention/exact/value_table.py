"""Every kernel in every layer at some n, and how far it separates."""

import math
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa

from ...attention.kernel import Kernel
from ...datasets.dataset import Data
from ...own_kernels.values import asked_kernels
from ...pages.table_page import write_result
from ...results.progress import Progress
from ...results.provenance import record
from ...results.tables import finite_or_null, schema, table_from_rows
from ..settings import KernelsJob
from .layers import LAYERS, Layer
from .limits import exp_probabilities, known_least_weights, n_equal_to_uniform, reach
from .values import separate

QUANTITIES = (
    "p_best", "theta_low", "theta_high", "p_paper", "p_after_y", "p_each_bias", "share", "margin",
    "margin_of_exp",
)  # fmt: skip
"""Of `Separation`, in this order."""

VALUES = schema(
    kernel=str, model=str, attention_x=str, n=int, d=int, m=int,
    **dict.fromkeys(QUANTITIES, float), resolved=bool,
)  # fmt: skip
"""A row per kernel, layer and n; the quantities are those of `Separation`, null where they mean
nothing."""

WEIGHED_AT = (2_000, 200_000)
"""Numbers of tokens at which the table of kernels states the least weight in X."""

SLOPE = (10**6, 10**9)
"""Numbers of tokens between which it states how the margin falls."""

NEARLY = 0.02
"""Exponents closer than this to a whole number are said to be it."""

SLOPE_OF_WEIGHT = (2_000_000, 200_000_000)
"""Those between which it states how the weight grows."""

OF_KERNELS = ("normaliser", "kind", "sees", "source")
"""Of `Kernel`."""

REACHES = schema(
    kernel=str, formula=str, **dict.fromkeys(OF_KERNELS, str), model=str, attention_x=str,
    last_n=float, n_equal_to_uniform=float, resolved=bool, undecided_from=float, first_hole=float,
    last_hole=float, margin_exponent=float, margin_law=str,
    **dict.fromkeys((f"weight_at_{n}" for n in WEIGHED_AT), float),
    weight_exponent=float, weight_law=str,
)  # fmt: skip
"""A row per kernel and layer, as ABOUT says. A weight is inf where none up to 10^13 does; the laws
are the two exponents in words."""

ENDLESS = ("last_n", "n_equal_to_uniform", *(f"weight_at_{n}" for n in WEIGHED_AT))
"""Columns in which inf has a meaning."""

TITLES = {
    "kernel_values": "Any attention: what one network alone can do",
    "kernels": "Any attention: up to which n each kernel separates",
}
SCOPE = (
    "The data are the first paper's, X and V as well, and the weights of the network are random "
    "signs: what learning can do is another question. Probabilities and margins are exact."
)
ABOUT = {
    "kernel_values": "The probability that the network of one kernel alone separates D1 from D0: "
    "at its own best threshold (p_best), at the paper's (p_paper), with one threshold after the "
    "signs are drawn (p_after_y), with a bias for each neuron (p_each_bias); the special token's "
    "share of its row; the largest gap between the two datasets' scores, in units of √log n, at "
    f"which half of its own p_best is left (margin), or half of exp's (margin of exp).\n{SCOPE}",
    "kernels": "A kernel separates at n if exp's p_best is above 1/2 and its own above half of "
    "that: last_n is the largest multiple of K up to 10^12 at which it does; inf where it does at "
    "10^12 still, empty where it does at none. Between first_hole and last_hole are smaller n at "
    "which it does not. All multiples of K up to 3,000 were asked, beyond them 20 a decade and "
    "both sides of every change of m, then by bisection. From undecided_from on are n at which "
    "float64 does not tell it. "
    "n_equal_to_uniform is the n from which on its p_best is exactly that of uniform weights, "
    "found in the same way; inf where it is not at 10^12 still. margin_exponent is p of a margin "
    "that goes as n^p between n = 10^6 and 10^9; weight_at_n is the least g of "
    "X = I + g e₁e₁ᵀ with which it separates at n, empty where X is not I, or the weights of a "
    "kernel of config.yaml overflow first; weight_exponent is p of 1 + g that goes as n^p between "
    f"2·10^6 and 2·10^8.\n{SCOPE}",
}


def value_rows(kernel: Kernel, layer: Layer, data: Data, sizes: list[int]) -> Iterator[dict]:
    """The rows of the table of values on one kernel in one layer."""
    found = separate(kernel, layer, data, sizes, exp_probabilities(layer, data, tuple(sizes)))
    for k, n in enumerate(sizes):
        known = bool(found.resolved[k])
        numbers = {name: finite_or_null(float(getattr(found, name)[k])) for name in QUANTITIES}
        yield {
            "kernel": kernel.name,
            **layer.columns,
            **layer.sizes(data, n),
            "resolved": known,
            **(numbers if known else {"share": numbers["share"]}),
        }


def reach_row(kernel: Kernel, layer: Layer, data: Data) -> dict[str, object]:
    """The row of the table of kernels on one kernel in one layer."""
    found, as_none = reach(kernel, layer, data), n_equal_to_uniform(kernel, layer, data)
    margin_exponent = _margin_exponent(kernel, layer, data)
    return {
        "kernel": kernel.name,
        "formula": kernel.symbol,
        **{name: getattr(kernel, name) for name in OF_KERNELS},
        **layer.columns,
        "last_n": None if math.isnan(found.last) else found.last,
        "n_equal_to_uniform": None if math.isnan(as_none) else as_none,
        "resolved": math.isnan(found.undecided_from),
        "undecided_from": finite_or_null(found.undecided_from),
        "first_hole": found.holes and found.holes[0],
        "last_hole": found.holes and found.holes[1],
        "margin_exponent": margin_exponent,
        "margin_law": None if margin_exponent is None else power_of_n(margin_exponent),
    } | (_weight_columns(kernel, layer, data) if layer.attention_x == "identity" else {})


def _weight_columns(kernel: Kernel, layer: Layer, data: Data) -> dict[str, object]:
    sizes = [n // data.classes * data.classes for n in (*WEIGHED_AT, *SLOPE_OF_WEIGHT)]
    found = known_least_weights(kernel, layer, data, sizes)
    early, late = found[-2:]
    exponent, law = None, None
    if early is not None and late is not None:
        if 0 < early <= late < math.inf:
            exponent = math.log((1 + late) / (1 + early)) / math.log(sizes[-1] / sizes[-2])
            law = power_of_n(exponent)
        elif early == late:
            law = "0" if early == 0 else "none up to 10^13"
    columns = {f"weight_at_{n}": g for n, g in zip(WEIGHED_AT, found, strict=False)}
    return columns | {"weight_exponent": exponent, "weight_law": law}


def power_of_n(exponent: float) -> str:
    """A measured exponent in words: "constant", "1/n", "n", or n^p."""
    for whole, words in ((0, "constant"), (-1, "1/n"), (1, "n")):
        if abs(exponent - whole) < NEARLY:
            return words
    return f"n^{exponent:.2f}"


def _margin_exponent(kernel: Kernel, layer: Layer, data: Data) -> float | None:
    sizes = [n // data.classes * data.classes for n in SLOPE]
    found = separate(kernel, layer, data, sizes, exp_probabilities(layer, data, tuple(sizes)))
    if not found.resolved.all():
        return None
    steps = np.diff(np.log(found.margin)) / np.diff(np.log(sizes))
    return finite_or_null(float(steps[0]))


def tables(job: KernelsJob) -> dict[str, pa.Table]:
    """The table of kernels and that of their values, by name."""
    each = list(product(asked_kernels(job.only, job.kernels), LAYERS))
    progress = Progress("kernels-values", len(each), "kernels in layers")
    values, reaches = [], []
    for kernel, layer in each:
        values += value_rows(kernel, layer, job.data, job.sizes)
        reaches.append(reach_row(kernel, layer, job.data))
        progress.advance()
    return {
        "kernels": table_from_rows(reaches, REACHES),
        "kernel_values": table_from_rows(values, VALUES),
    }


def run(job: KernelsJob, output: Path) -> None:
    provenance = record(job.canonical(), __name__)
    for name, table in tables(job).items():
        stem = output.with_name(name)
        write_result(table, stem, provenance, TITLES[name], ABOUT[name], endless=ENDLESS)
