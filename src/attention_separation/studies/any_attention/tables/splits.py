"""How kernels of vectors depend on the split of X into Q and K, as `Layer` has it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ....any_attention.layers import LAYERS, ONE_COORDINATE, Layer
from ....any_attention.values import score_columns
from ....attention.kernel import Kernel
from ....datasets.dataset import Data
from ....pages.table_page import write_result
from ....results.provenance import record
from ....results.tables import Row, finite_or_null, schema, table_from_rows
from ....settings.kernel_values import asked_kernels
from ..settings import KernelsJob

ALPHAS = (0.1, 0.3, 1.0, 3.0, 10.0)
N_OF_SPLITS = (200, 2_000)
"""Numbers of tokens, rounded down to multiples of K."""

SCHEMA = schema(
    kernel=str,
    model=str,
    attention_x=str,
    split=str,
    alpha=float,
    n=int,
    d=int,
    m=int,
    p_best=float,
    share=float,
)
"""A row per kernel of vectors, layer, split and n; alpha is null where X is split through one
coordinate, and p_best where float64 does not tell it or the kernel has no weights."""

TITLE = "Any attention: feature maps and the split of X into Q and K"
ABOUT = (
    "Functions of the score do not depend on how X = Q Kᵀ is split; maps of queries and keys do. "
    "Q = αI and K = I/α for X = I, times the matrix of 1/√d for X all ones; and X all ones through "
    "one coordinate. The other tables have α = 1. p_best is at the own best threshold, at n = 200 "
    "and 2,000 (multiples of K)."
)


def split_rows(kernels: Sequence[Kernel], data: Data) -> Iterator[Row]:
    """The rows of the table of splits, of kernels of vectors alone."""
    sizes = [n - n % data.classes for n in N_OF_SPLITS if n >= data.classes]
    for kernel in kernels:
        if kernel.kind != "features":
            continue
        for layer in LAYERS:
            for alpha in ALPHAS:
                words = f"Q = {alpha:g} I, K = I / {alpha:g}"
                columns = {"kernel": kernel.name, "split": words, "alpha": alpha}
                yield from _rows_of_split(kernel, replace(layer, split=alpha), data, sizes, columns)
            if layer.attention_x == "ones":
                columns = {"kernel": kernel.name, "split": "one coordinate", "alpha": None}
                split = replace(layer, split=ONE_COORDINATE)
                yield from _rows_of_split(kernel, split, data, sizes, columns)


def _rows_of_split(
    kernel: Kernel, layer: Layer, data: Data, sizes: list[int], columns: Row
) -> Iterator[Row]:
    """A row for each n: these columns, and the numbers of a kernel in a layer with its split; null
    where the kernel has no weights."""
    try:
        scored = score_columns(kernel, layer, data, sizes)
        p_best = scored.best_probabilities().tolist()
        share = scored.rows[1].share[:, 0].tolist()
    except ArithmeticError:
        p_best = [math.nan] * len(sizes)
        share = p_best
    for k, n in enumerate(sizes):
        numbers = {"p_best": finite_or_null(p_best[k]), "share": finite_or_null(share[k])}
        yield columns | layer.columns | layer.sizes(data, n) | numbers


def run(job: KernelsJob, output: Path) -> None:
    kernels = asked_kernels(job.only, job.kernels)
    table = table_from_rows(split_rows(kernels, job.data), SCHEMA)
    provenance = record(job.canonical(), __name__)
    write_result(table, output.with_suffix(""), provenance, TITLE, ABOUT)
