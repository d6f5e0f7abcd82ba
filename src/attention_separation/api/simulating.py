"""Trials in place of exact values: `simulate`."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Unpack

import numpy as np

from ..any_attention.exact.layers import Layer
from ..any_attention.exact.values import Scored, score_columns
from ..attention.dense import attention
from ..attention.kernel import Kernel
from ..attention.sign_columns import exceeds
from ..datasets.dataset import FixedData
from ..settings.words import short_repr
from . import validation
from .build import Given, kernel_of, require_usable

MOST_DENSE_BYTES = 2 << 30
"""Of the n x n arrays of a literal trial."""

MOST_SIGNS = 1 << 22
"""Drawn at once."""


@dataclass(frozen=True)
class Simulation:
    """Trials of one network alone.

    Attributes
    ----------
    successes, trials : how often it was positive on D1 and zero on D0
    d1_positive, d0_zero : counts of the two events
    p_hat : successes over trials
    ci_low, ci_high : 95 % Clopper-Pearson
    theta : the threshold, in units of sqrt(log n)
    """

    kernel: str
    model: str
    attention_x: str
    n: int
    d: int
    m: int
    theta: float
    method: str
    seed: int
    trials: int
    successes: int
    d1_positive: int
    d0_zero: int
    p_hat: float
    ci_low: float
    ci_high: float


def simulate(
    kernel: Given,
    model: validation.Model = "self_attention",
    attention_x: validation.AttentionX = "identity",
    n: int = 200,
    *,
    trials: int = 1000,
    seed: int = 0,
    method: Literal["rows", "dense"] = "rows",
    theta: validation.Theta = "best",
    **options: Unpack[validation.Options],
) -> Simulation:
    """Draw special tokens and signs, and count how often a kernel's network separates D1 from D0.
    Other parameters as of `separate`.

    Parameters
    ----------
    method : "rows" from the distinct rows, at any n; "dense" by n x n attention over all tokens, as
        the paper defines it, for kernels too that treat places or classes differently (these need
        a number for theta)
    trials, seed : how many trials, and what they are drawn from; both methods read the same draws

    Raises
    ------
    MemoryError
        If n x n arrays would take more than 2 GiB.
    ValueError, ArithmeticError
        As `separate` does.
    """
    of = kernel_of(kernel)
    layer, data = validation.setting_of(model, attention_x, **options)
    n = validation.tokens_of(layer, data, n)
    trials = validation.whole_number("trials", trials, 1, 10**9)
    seed = validation.whole_number("seed", seed, 0, 2**63)
    if method not in ("rows", "dense"):
        raise ValueError(f"method={short_repr(method)}; allowed: 'rows' or 'dense'")
    at = validation.theta_of(theta, layer, data)
    if method == "dense" and 6 * 8 * n * n > MOST_DENSE_BYTES:
        raise MemoryError(
            f"n x n attention at n={n:,} takes about {6 * 8 * n * n / 2**30:.1f} GiB; allowed: "
            f"{MOST_DENSE_BYTES >> 30}; method='rows' builds nothing of size n"
        )
    scored = None
    if at is None or method == "rows":
        require_usable(of, layer, data, [n])
        scored = score_columns(of, layer, data, [n])
    if at is None:
        curves = scored.curves()
        if not curves.resolved[0]:
            raise ArithmeticError(f"{of.name}: at n = {n:,} float64 does not tell its scores apart")
        _, low, high = (float(part[0]) for part in curves.best())
        at = (low + high) / 2
    if method == "rows":
        outcomes = _from_rows(scored, layer, data, n, at, trials, seed)
    else:
        outcomes = _literally(of, layer, data, n, at, trials, seed)
    told, on_d0, on_d1 = 0, 0, 0
    for flags in outcomes:
        told += int((flags[:, 1] & ~flags[:, 0]).sum())
        on_d0, on_d1 = on_d0 + int(flags[:, 0].sum()), on_d1 + int(flags[:, 1].sum())
    # Loading it takes longer than most questions.
    from ..statistics.counts import clopper_pearson

    low, high = clopper_pearson(told, trials)
    return Simulation(
        of.name, layer.model, layer.attention_x, n, layer.d(data.classes), data.m(n), at, method,
        seed, trials, told, on_d1, trials - on_d0, told / trials,
        float(low), float(high),
    )  # fmt: skip


def _draws(
    layer: Layer, data: FixedData, n: int, trials: int, seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Places of special tokens (T, 2, q) and signs (T, d, m), in chunks that do not depend on what
    they are for: fewer trials are the first of more."""
    rng = np.random.default_rng(seed)
    d, m = layer.d(data.classes), data.m(n)
    chunk = max(MOST_SIGNS // (d * m), 1)
    for start in range(0, trials, chunk):
        count = min(chunk, trials - start)
        places = rng.integers(0, n, size=(chunk, 2, layer.of.special_tokens))
        signs = rng.integers(0, 2, size=(chunk, d, m), dtype=np.int8)
        yield places[:count], 2.0 * signs[:count] - 1.0


def _from_rows(
    scored: Scored, layer: Layer, data: FixedData, n: int, theta: float, trials: int, seed: int
) -> Iterator[np.ndarray]:
    """Whether the network is positive on D0 and on D1, (T, 2), looked up by a column's state."""
    exceeding = [exceeds(of[0], theta * scored.s[0], scored.s[0]) for of in (scored.d0, scored.d1)]
    ends, classes = exceeding[0].shape[1], data.classes
    for places, y in _draws(layer, data, n, trials, seed):
        plus = (y > 0).astype(np.intp)
        first, of_classes = plus[:, 0], plus[:, 1 : 1 + classes]
        last = plus[:, -1] if ends == 2 else np.zeros_like(first)
        flags = []
        for dataset, table in enumerate(exceeding):
            marked = np.take_along_axis(
                of_classes, (places[:, dataset, -1] % classes)[:, None, None], axis=1
            )[:, 0]
            others = of_classes.sum(axis=1) - marked
            flags.append(table[first, last, marked, others].any(axis=1))
        yield np.stack(flags, axis=1)


def _literally(
    kernel: Kernel, layer: Layer, data: FixedData, n: int, theta: float, trials: int, seed: int
) -> Iterator[np.ndarray]:
    """The same by n x n attention, V the identity; `c` of equal places is computed once."""
    d = layer.d(data.classes)
    tokens = layer.tokens(data, n)
    for places, y in _draws(layer, data, n, trials, seed):
        for trial, of_trial in enumerate(places):
            flags = np.zeros((1, 2), dtype=bool)
            for dataset in (0, 1):
                a1, a2, a3, q, k = layer.literal(tokens, dataset, of_trial[dataset])
                c = attention(a1, a2, a3, q, k, np.eye(d), kernel)
                flags[0, dataset] = exceeds(c @ y[trial], theta * tokens.s, tokens.s).any()
            yield flags
