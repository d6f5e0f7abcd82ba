"""How kernels of vectors depend on the split of X into Q and K, as `Layer` has it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...attention.kernel import Kernel
from ...datasets.dataset import Data
from ...own_kernels.values import asked_kernels
from ...pages.table_page import write_result
from ...results.provenance import record
from ...results.tables import finite_or_null, schema, table_from_rows
from ..settings import KernelsJob
from .layers import LAYERS, ONE_COORDINATE, Layer
from .values import score_columns

ALPHAS = (0.1, 0.3, 1.0, 3.0, 10.0)
SIZES = (200, 2_000)
"""Numbers of tokens, rounded down to multiples of K."""

SCHEMA = schema(
    kernel=str, model=str, attention_x=str, split=str, alpha=float, n=int, d=int, m=int,
    p_best=float, share=float,
)  # fmt: skip
"""A row per kernel of vectors, layer, split and n; alpha is null where X is split through one
coordinate, and p_best where float64 does not tell it or the kernel has no weights."""

TITLE = "Any attention: feature maps and the split of X into Q and K"
ABOUT = (
    "Functions of the score do not depend on how X = Q Kᵀ is split; maps of queries and keys do. "
    "Q = αI and K = I/α for X = I, times the matrix of 1/√d for X all ones; and X all ones through "
    "one coordinate. The other tables have α = 1. p_best is at the own best threshold, at n = 200 "
    "and 2,000 (multiples of K)."
)


def split_rows(kernels: Sequence[Kernel], data: Data) -> Iterator[dict[str, object]]:
    """The rows of the table; of kernels of vectors alone."""
    sizes = [n - n % data.classes for n in SIZES if n >= data.classes]
    for kernel in (each for each in kernels if each.kind == "features"):
        for layer in LAYERS:
            for alpha in (*ALPHAS, *[None] * (layer.attention_x == "ones")):
                words = "one coordinate" if alpha is None else f"Q = {alpha:g} I, K = I / {alpha:g}"
                split = replace(layer, split=alpha or ONE_COORDINATE)
                found, shares = _measured(kernel, split, data, sizes)
                for n, p_best, share in zip(sizes, found, shares, strict=True):
                    row = {"kernel": kernel.name, "split": words, "alpha": alpha}
                    found_here = {"p_best": finite_or_null(p_best), "share": finite_or_null(share)}
                    yield row | layer.columns | layer.sizes(data, n) | found_here


def _measured(
    kernel: Kernel, layer: Layer, data: Data, sizes: list[int]
) -> tuple[list[float], list[float]]:
    """`p_best` and the special token's share at each n; NaN where there is no number."""
    try:
        scored = score_columns(kernel, layer, data, sizes)
    except ArithmeticError:
        return ([np.nan] * len(sizes),) * 2
    return scored.best_probabilities().tolist(), scored.rows[1].share[:, 0].tolist()


def run(job: KernelsJob, output: Path) -> None:
    table = table_from_rows(split_rows(asked_kernels(job.only, job.kernels), job.data), SCHEMA)
    stem = output.with_suffix("")
    write_result(table, stem, record(job.canonical(), __name__), TITLE, ABOUT)
