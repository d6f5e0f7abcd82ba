"""Layers whose recall is asked for: kernels with decays and windows, delta rules, least squares.

A layer writes n pairs of a key and a value in an order, then a query reads: `Scores` keeps every
pair and weighs it by its score, `Delta` keeps a matrix that each write corrects, `LeastSquares` the
matrix that such corrections converge to.
"""

import math
from dataclasses import dataclass, replace
from numbers import Real

from ..attention.kernel import Kernel
from ..own_kernels.given import Given, kernel_of
from ..settings.words import short_repr

LEAST_DECAY = 1e-3


@dataclass(frozen=True)
class Scores:
    """o = sum over the writes of decay^age h(x) v, of those younger than the window."""

    kernel: Kernel
    decay: float = 1.0
    window: float = math.inf

    @property
    def name(self) -> str:
        """In tables and sentences."""
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
        """In tables and sentences."""
        decay = f", {self.decay:g}" if self.decay < 1 else ""
        return f"delta({self.beta:g}{decay})"


@dataclass(frozen=True)
class LeastSquares:
    """S with the least sum of squares of S k - v, of several the least; o = S q."""

    @property
    def name(self) -> str:
        """In tables and sentences."""
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
    factor : above 0.001, to 1: no decay

    Raises ValueError if the factor is out of range, or the layer has no kernel of the score.
    """
    scores = _of_scores(layer, "decay")
    checked = _number("decay", factor, "numbers from 0.001 to 1", LEAST_DECAY, 1.0)
    return replace(scores, decay=scores.decay * checked)


def window(layer: GivenLayer, size: int) -> Scores:
    """A kernel that sees the latest `size` writes alone. ValueError if the size is no whole number
    from 1 to 10^12, or the layer has no kernel of the score."""
    scores = _of_scores(layer, "window")
    allowed = "whole numbers from 1 to 10^12"
    checked = _number("window", size, allowed, 1, 1e12)
    if checked != int(checked):
        raise ValueError(f"window={short_repr(size)}; allowed: {allowed}")
    return replace(scores, window=min(scores.window, int(checked)))


def delta(beta: float = 1.0, decay: float = 1.0) -> Delta:
    """A delta rule: each write corrects what the state answers to its key.

    Parameters
    ----------
    beta : share of the error that a write corrects, above 0, to 2
    decay : of the state at each write, from 0.001 to 1: gated below 1

    Raises ValueError if a number is out of range.
    """
    share = _number("beta", beta, "numbers above 0, to 2", math.ulp(0.0), 2.0)
    return Delta(share, _number("decay", decay, "numbers from 0.001 to 1", LEAST_DECAY, 1.0))


def least_squares() -> LeastSquares:
    """What a delta rule comes to that goes over its pairs until nothing changes."""
    return LeastSquares()


def _of_scores(layer: GivenLayer, maker: str) -> Scores:
    scores = layer_of(layer)
    if not isinstance(scores, Scores):
        raise ValueError(f"{maker}({scores.name}); allowed: kernels; delta has its own decay=")
    if scores.kernel.kind != "score":
        raise ValueError(
            f"{maker}({scores.name}): its weights need more than a score; allowed: kernels of the "
            "score"
        )
    return scores


def _number(name: str, value: object, allowed: str, least: float, most: float) -> float:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not least <= value <= most:  # type: ignore[operator]  # NaN too
        raise ValueError(f"{name}={short_repr(value)}; allowed: {allowed}")
    return float(value)  # type: ignore[arg-type]
