"""Layers whose recall is asked for: kernels with decays and windows, delta rules, least squares.

A layer writes n pairs of a key and a value in an order, then a query reads: `Scores` keeps every
pair and weighs it by its score, `Delta` keeps a matrix that each write corrects, `LeastSquares` the
matrix that such corrections converge to.
"""

import math
from dataclasses import dataclass, replace

from ..attention.kernel import Kernel
from ..messages.number_check import number, whole_number
from ..own_kernels.given import Given, kernel_of

LEAST_DECAY = 1e-3


@dataclass(frozen=True)
class Scores:
    """o = sum over the writes of decay^age h(x) v, of those younger than the window."""

    kernel: Kernel
    decay: float = 1.0
    window: float = math.inf

    @property
    def name(self) -> str:
        """The layer's name in tables and sentences, such as "decay(linear, 0.9)"."""
        name = self.kernel.name
        if self.decay < 1:
            name = f"decay({name}, {self.decay:g})"
        if math.isfinite(self.window):
            name = f"window({name}, {self.window:g})"
        return name


@dataclass(frozen=True)
class Delta:
    """S becomes decay (S - beta (S k) k') + beta v k' at each write; o = S q, keys of norm 1."""

    beta: float
    decay: float = 1.0

    @property
    def name(self) -> str:
        """The layer's name in tables and sentences, such as "delta(0.5, 0.9)"."""
        decay = f", {self.decay:g}" if self.decay < 1 else ""
        return f"delta({self.beta:g}{decay})"


@dataclass(frozen=True)
class LeastSquares:
    """S with the least sum of squares of S k - v, of several the least; o = S q."""

    @property
    def name(self) -> str:
        """The layer's name in tables and sentences."""
        return "least_squares()"


Layer = Scores | Delta | LeastSquares
GivenLayer = Given | Layer
"""What questions on recall take: a layer, or a kernel as of `kernel_of`."""


def layer_of(layer: GivenLayer) -> Layer:
    """The layer that is meant; errors as of `kernel_of`."""
    if isinstance(layer, Scores | Delta | LeastSquares):
        return layer
    return Scores(kernel_of(layer))


def decay(layer: GivenLayer, factor: float) -> Scores:
    """A kernel whose weights fall by a factor with each later write, as RetNet's do, or ALiBi's
    with a kernel exp.

    Parameters
    ----------
    layer : a kernel by name, formula or function, or one with a window
    factor : from 0.001 to 1, which is no decay

    Raises ValueError if the factor is out of range, or the layer has no kernel of the score.
    """
    scores = _of_scores(layer, "decay")
    checked = _decay("factor", factor)
    return replace(scores, decay=scores.decay * checked)


def window(layer: GivenLayer, size: int) -> Scores:
    """A kernel that sees the latest `size` writes alone; one that knows n knows how many it sees.

    Raises ValueError if the size is no whole number from 1 to 10^12, or the layer has no kernel of
    the score.
    """
    scores = _of_scores(layer, "window")
    checked = whole_number("size", size, least=1, most=10**12)
    return replace(scores, window=min(scores.window, checked))


def delta(beta: float = 1.0, decay: float = 1.0) -> Delta:
    """A delta rule: each write corrects what the state answers to its key.

    Parameters
    ----------
    beta : share of the error that a write corrects, above 0, to 2
    decay : of the state at each write, from 0.001 to 1: gated below 1

    Raises ValueError if a number is out of range.
    """
    share = number("beta", beta, "numbers above 0, to 2", lambda x: 0 < x <= 2)
    return Delta(share, _decay("decay", decay))


def least_squares() -> LeastSquares:
    """What a delta rule comes to that goes over its pairs until nothing changes."""
    return LeastSquares()


def _of_scores(layer: GivenLayer, maker: str) -> Scores:
    """The layer of a kernel of the score; ValueError, which names `maker`, for any other layer."""
    scores = layer_of(layer)
    if not isinstance(scores, Scores):
        allowed = "kernels of the score"
        if maker == "decay" and isinstance(scores, Delta):
            allowed += "; a delta rule with a decay is delta(beta, decay=)"
        raise ValueError(f"{maker}({scores.name}); allowed: {allowed}")
    if scores.kernel.kind != "score":
        raise ValueError(
            f"{maker}({scores.name}): its weights need more than a score; allowed: kernels of the "
            "score"
        )
    return scores


def _decay(argument: str, factor: float) -> float:
    """The factor of a decay, given as an argument of this name; ValueError if it is none."""
    allowed = f"numbers from {LEAST_DECAY:g} to 1"
    return number(argument, factor, allowed, lambda x: LEAST_DECAY <= x <= 1)
