"""Every kernel in every layer at some n, and how far it separates."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pyarrow as pa

from ....any_attention.layers import LAYERS, Layer
from ....any_attention.reach_search import (
    n_equal_to_uniform,
    number_or_null,
    probability_unknown_from,
    reach,
)
from ....any_attention.values import separate
from ....any_attention.verdicts import exp_probabilities
from ....attention.kernel import Kernel
from ....datasets.dataset import Data
from ....messages.progress import Progress
from ....pages.table_page import write_result
from ....results.provenance import record
from ....results.tables import Row, finite_or_null, schema, table_from_rows
from ....settings.kernel_values import asked_kernels
from ..settings import KernelsJob

QUANTITIES = (
    "p_best",
    "theta_low",
    "theta_high",
    "p_paper",
    "p_after_y",
    "p_each_bias",
    "share",
    "margin",
    "margin_of_exp",
)
"""Of `Separation`, in this order."""

VALUES = schema(
    kernel=str,
    model=str,
    attention_x=str,
    n=int,
    d=int,
    m=int,
    **dict.fromkeys(QUANTITIES, float),
    resolved=bool,
)
"""A row per kernel, layer and n; the quantities are those of `Separation`, null where they mean
nothing."""

REACHES = schema(
    kernel=str,
    formula=str,
    normaliser=str,
    kind=str,
    sees=str,
    source=str,
    model=str,
    attention_x=str,
    last_n=float,
    n_equal_to_uniform=float,
    resolved=bool,
    undecided_from=float,
    first_hole=float,
    last_hole=float,
)
"""A row per kernel and layer, as ABOUT says."""

ENDLESS_OF_VALUES = ("last_n", "n_equal_to_uniform")
"""Columns in which inf has a meaning."""

TITLES = {
    "kernel_values": "Any attention: what one network alone can do",
    "kernels": "Any attention: up to which n each kernel separates",
}
SCOPE_OF_VALUES = (
    "The data are the first paper's, X and V as well, and the weights of the network are random "
    "signs: what learning can do is another question. Probabilities and margins are exact."
)
ABOUT = {
    "kernel_values": "The probability that the network of one kernel alone separates D1 from D0: "
    "at its own best threshold (p_best), at the paper's (p_paper), with one threshold after the "
    "signs are drawn (p_after_y), with a bias for each neuron (p_each_bias); the special token's "
    "share of its row; the largest gap between the two datasets' scores, in units of √log n, at "
    f"which half of its own p_best is left (margin), or half of exp's (margin of exp).\n"
    f"{SCOPE_OF_VALUES}",
    "kernels": "A kernel separates at n if exp's p_best is above 1/2 and its own above half of "
    "that: last_n is the largest multiple of K up to 10^12 at which it does; inf where it does at "
    "10^12 still, empty where it does at none. Between first_hole and last_hole are smaller n at "
    "which it does not. All multiples of K up to 3,000 were asked, beyond them 20 a decade and "
    "both sides of every change of m, then by bisection. From undecided_from on are n at which "
    "float64 does not tell p_best. "
    "n_equal_to_uniform is the n from which on its p_best is exactly that of uniform weights, "
    f"found in the same way; inf where it is not at 10^12 still.\n{SCOPE_OF_VALUES}",
}


def value_rows(kernel: Kernel, layer: Layer, data: Data, sizes: list[int]) -> Iterator[Row]:
    """The rows of the table of values on one kernel in one layer."""
    of_exp = exp_probabilities(layer, data, tuple(sizes))
    separation = separate(kernel, layer, data, sizes, of_exp)
    for k, n in enumerate(sizes):
        is_resolved = bool(separation.resolved[k])
        row: Row = {"kernel": kernel.name, "resolved": is_resolved}
        for name in QUANTITIES:
            if is_resolved or name == "share":
                row[name] = finite_or_null(float(getattr(separation, name)[k]))
        yield row | layer.columns | layer.sizes(data, n)


def reach_row(kernel: Kernel, layer: Layer, data: Data) -> Row:
    """The row of the table of kernels on one kernel in one layer."""
    kernels_reach = reach(kernel, layer, data)
    holes = kernels_reach.holes
    unknown_from = finite_or_null(probability_unknown_from(kernel, layer, data))
    return {
        "kernel": kernel.name,
        "formula": kernel.symbol,
        "normaliser": kernel.normaliser,
        "kind": kernel.kind,
        "sees": kernel.sees,
        "source": kernel.source,
        **layer.columns,
        "last_n": number_or_null(kernels_reach.last),
        "n_equal_to_uniform": number_or_null(n_equal_to_uniform(kernel, layer, data)),
        "resolved": unknown_from is None,
        "undecided_from": unknown_from,
        "first_hole": holes[0].first if holes else None,
        "last_hole": holes[-1].last if holes else None,
    }


def tables(job: KernelsJob) -> dict[str, pa.Table]:
    """The table of kernels and the table of their values, by name."""
    assert job.sizes is not None
    cases = list(product(asked_kernels(job.only, job.kernels), LAYERS))
    progress = Progress("kernels-values", len(cases), "kernels in layers")
    values: list[Row] = []
    reaches: list[Row] = []
    for kernel, layer in cases:
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
        write_result(table, stem, provenance, TITLES[name], ABOUT[name], endless=ENDLESS_OF_VALUES)
