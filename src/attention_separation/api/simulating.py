"""Trials in place of exact values: `simulate`."""

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Unpack

import numpy as np

from ..any_attention.layers import Layer
from ..any_attention.values import Scored, score_columns
from ..attention.dense import attention_weights, is_positive
from ..attention.kernel import Kernel
from ..datasets.dataset import FixedData
from ..messages.number_check import whole_number
from ..messages.progress import Progress
from ..messages.question import question
from ..messages.words import short_repr
from . import validation
from .build import LONG_SECONDS, Given, kernel_of, require_usable
from .notebook import Answer

MOST_BYTES = 2 << 30
"""Of the n x n arrays of a literal trial, or of the signs of any."""

BYTES_OF_A_SIGN = {"rows": 2, "dense": 18}
"""By the method: of one that is drawn, and of its copies."""

BYTES_OF_AN_OUTPUT = 24
"""Of what a sign column reads of a token."""

QUERIES_TRIED = 8
"""By which it is estimated how long literal trials take."""

SIGNS_AT_ONCE = 1 << 22
"""Drawn at once."""


@dataclass(frozen=True, repr=False)
class Simulation(Answer):
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

    @property
    def _answer(self) -> str:
        """The successes among the trials and their interval, in words."""
        interval = f"95 % interval {self.ci_low:.4g} to {self.ci_high:.4g}"
        return f"{self.kernel}: {self.successes:,} of {self.trials:,} trials, {interval}"

    @property
    def _condition(self) -> str:
        return f"{super()._condition}, seed {self.seed}"


@question
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
        If n x n arrays, or the d x m signs of a trial, would take more than 2 GiB.
    ValueError, ArithmeticError
        As `separate` does.
    """
    usable = kernel_of(kernel)
    layer, data = validation.setting_of(model, attention_x, **options)
    n = validation.tokens_of(layer, data, n)
    trials = whole_number("trials", trials, 1, 10**9)
    seed = whole_number("seed", seed, 0, 2**63)
    if method not in ("rows", "dense"):
        raise ValueError(f"method={short_repr(method)}; allowed: 'rows' or 'dense'")
    threshold = validation.theta_of(theta, layer, data)
    _require_memory(method, n, layer.d(data.classes), data.m(n))
    if threshold is None or method == "rows":
        require_usable(usable, layer, data, [n])
        scored = score_columns(usable, layer, data, [n])
        if threshold is None:
            threshold = _best_threshold(scored, usable.name, n)
    if method == "rows":
        outcomes = _from_rows(scored, layer, data, n, threshold, trials, seed)
    else:
        _say_how_long(usable, layer, data, n, trials)
        outcomes = _literally(usable, layer, data, n, threshold, trials, seed)
    progress = Progress("simulate", trials, "trials")
    successes = 0
    d0_positive = 0
    d1_positive = 0
    for flags in outcomes:
        on_d0 = flags[:, 0]
        on_d1 = flags[:, 1]
        successes += int((on_d1 & ~on_d0).sum())
        d0_positive += int(on_d0.sum())
        d1_positive += int(on_d1.sum())
        progress.advance(len(flags))
    # Loading it takes longer than most questions.
    from ..statistics.counts import clopper_pearson

    low, high = clopper_pearson(successes, trials)
    return Simulation(
        kernel=usable.name,
        model=layer.model,
        attention_x=layer.attention_x,
        n=n,
        d=layer.d(data.classes),
        m=data.m(n),
        theta=threshold,
        method=method,
        seed=seed,
        trials=trials,
        successes=successes,
        d1_positive=d1_positive,
        d0_zero=trials - d0_positive,
        p_hat=successes / trials,
        ci_low=float(low),
        ci_high=float(high),
    )


def _best_threshold(scored: Scored, name: str, n: int) -> float:
    """The best threshold of a kernel at one n, in units of sqrt(log n); ArithmeticError where
    float64 does not tell its scores apart."""
    curves = scored.curves()
    if not curves.resolved[0]:
        raise ArithmeticError(f"{name}: at n = {n:,} float64 does not tell its scores apart")
    return float(curves.best_thresholds()[0])


def _require_memory(method: str, n: int, d: int, m: int) -> None:
    """Raise MemoryError where a trial would take too much."""
    signs = BYTES_OF_A_SIGN[method] * d * m
    needed = {f"the signs of a trial at d={d:,} with m={m:,} take": signs}
    hint = ""
    if method == "dense":
        outputs = BYTES_OF_AN_OUTPUT * n * m
        needed[f"n x n attention at n={n:,} takes"] = 6 * 8 * n * n
        needed[f"what m={m:,} sign columns read of n={n:,} tokens takes"] = outputs
        hint = "; method='rows' builds nothing of size n"
    for words, size in needed.items():
        if size > MOST_BYTES:
            raise MemoryError(
                f"{words} about {size / 2**30:.1f} GiB; allowed: {MOST_BYTES >> 30}{hint}"
            )


def _say_how_long(kernel: Kernel, layer: Layer, data: FixedData, n: int, trials: int) -> None:
    """Print how many seconds literal trials will take, if that is long. Only kernels of
    element-wise feature maps are timed: one of their trials may take minutes, and they can be tried
    with few queries."""
    if kernel.kind != "features" or kernel.vectors_seen != "orbits" or n <= QUERIES_TRIED:
        return
    tokens = layer.tokens(data, n)
    a1, a2, _, q, k = layer.literal(tokens, 1, np.zeros(layer.dataset.special_tokens, dtype=int))
    start = time.perf_counter()
    attention_weights(a1[:QUERIES_TRIED], a2, q, k, kernel)
    per_query = (time.perf_counter() - start) / QUERIES_TRIED
    seconds = 2 * n * trials * per_query
    if seconds > LONG_SECONDS:
        print(f"simulate: about {seconds:,.0f} s", file=sys.stderr, flush=True)


def _draws(
    layer: Layer, data: FixedData, n: int, trials: int, seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """What trials draw, by chunks of T trials: the places of special tokens (T, 2, q), and the bits
    of signs (T, d, m), 1 for a plus. The draws of fewer trials are the first of those of more."""
    rng = np.random.default_rng(seed)
    d = layer.d(data.classes)
    m = data.m(n)
    chunk = max(SIGNS_AT_ONCE // (d * m), 1)
    for start in range(0, trials, chunk):
        count = min(chunk, trials - start)
        places = rng.integers(0, n, size=(chunk, 2, layer.dataset.special_tokens))
        pluses = rng.integers(0, 2, size=(chunk, d, m), dtype=np.int8)
        yield places[:count], pluses[:count]


def _from_rows(
    scored: Scored, layer: Layer, data: FixedData, n: int, theta: float, trials: int, seed: int
) -> Iterator[np.ndarray]:
    """Whether the network is positive on D0 and on D1 in each trial, (T, 2), by chunks of trials.
    The sums of a trial's signs are looked up in a table of all states of a sign column."""
    tau = theta * float(scored.s[0])
    exceeding = [scored.d0[0].exceed(tau), scored.d1[0].exceed(tau)]
    ends = exceeding[0].shape[1]
    classes = data.classes
    for places, pluses in _draws(layer, data, n, trials, seed):
        pluses_of_classes = pluses[:, 1 : 1 + classes]
        first = pluses[:, 0].astype(np.intp)
        last = pluses[:, -1].astype(np.intp) if ends == 2 else np.zeros_like(first)
        flags = []
        for dataset, table in enumerate(exceeding):
            special_class = places[:, dataset, -1] % classes
            plus_of_marked = pluses_of_classes[np.arange(len(places)), special_class].astype(
                np.intp
            )
            unmarked_pluses = pluses_of_classes.sum(axis=1, dtype=np.intp) - plus_of_marked
            flags.append(table[first, last, plus_of_marked, unmarked_pluses].any(axis=1))
        yield np.stack(flags, axis=1)


def _literally(
    kernel: Kernel, layer: Layer, data: FixedData, n: int, theta: float, trials: int, seed: int
) -> Iterator[np.ndarray]:
    """Whether the network is positive on D0 and on D1, (1, 2), one trial at a time, by n x n
    attention with the identity for V."""
    identity = np.eye(layer.d(data.classes))
    tokens = layer.tokens(data, n)
    for places, pluses in _draws(layer, data, n, trials, seed):
        for places_of_trial, signs in zip(places, 2.0 * pluses - 1.0, strict=True):
            flags = np.zeros((1, 2), dtype=bool)
            for dataset in (0, 1):
                a1, a2, a3, q, k = layer.literal(tokens, dataset, places_of_trial[dataset])
                flags[0, dataset] = is_positive(
                    a1, a2, a3, q, k, identity, kernel, signs, theta * tokens.s
                )
            yield flags
