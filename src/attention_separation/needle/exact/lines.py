"""The lines by the name of their kernel: what a trained layer of one query is held against."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from . import bayes, linear, maximum, power, uniform
from .accuracy import Accuracy
from .crossing import Crossing, crossing

BOUND, REFERENCE, BEST = KINDS = ("bound", "reference", "best possible")
"""What no layer of the kernel can pass, of any number of heads whose queries do not see the tokens,
with scores and values linear in them, and anything behind; what one reading of one query comes to;
and what nothing at all can pass."""


@dataclass(frozen=True)
class Line:
    """The best accuracy of a kernel, at any mu and n.

    Attributes
    ----------
    name : of the kernel
    kind : one of KINDS
    method : how it is computed, in words
    accuracy : at a signal-to-noise ratio mu and a number of tokens n
    growth : about where n is critical, and how that grows with mu
    remembering : a function of mu that gives one of n, which begins where it ended
    """

    name: str
    kind: str
    method: str
    accuracy: Callable[[float, int], Accuracy]
    growth: Callable[[float], float]
    remembering: Callable[[float], Callable[[int], Accuracy]] | None = None

    def at(self, mu: float) -> Callable[[int], Accuracy]:
        """The accuracy as a function of n, for many n near each other."""
        return self.remembering(mu) if self.remembering else partial(self.accuracy, mu)

    def critical(self, mu: float) -> Crossing:
        """Where it crosses .75."""
        return crossing(self.at(mu), self.growth(mu))


def _polynomial(degree: int) -> Callable[[float], float]:
    """n at which the sum of Hermite polynomials of a degree has the accuracy .75."""
    return lambda mu: mu ** (2 * degree) / (1.82 * math.factorial(degree))


def _exponential(mu: float) -> float:
    return 0.7 * math.exp(min(mu * mu / 2, 700.0))


def _warm_started(p: int, mu: float) -> Callable[[int], Accuracy]:
    near: power.Reading | None = None

    def accuracy(n: int) -> Accuracy:
        nonlocal near
        found, reading = power.accuracy_and_reading(p, mu, n, near)
        near = reading if n > 1 else near
        return found

    return accuracy


def _power(p: int) -> Line:
    return Line(
        name=f"power_{p}",
        kind=REFERENCE,
        method="best threshold on one ratio, characteristic function inverted",
        accuracy=partial(power.best_accuracy, p),
        growth=_polynomial(p + 1),
        remembering=partial(_warm_started, p),
    )


LINES: Mapping[str, Line] = {
    line.name: line
    for line in (
        Line("none", BOUND, "closed form", uniform.best_accuracy, _polynomial(1)),
        Line(
            "linear", BOUND, "total variation of sum and sum of squares",
            linear.best_accuracy, _polynomial(2),
        ),
        *map(_power, (2, 3, 4)),
        Line(
            "exp", REFERENCE, "best threshold on the largest token",
            maximum.best_accuracy, _exponential,
        ),
        Line(
            "bayes", BEST, "Laplace transform inverted",
            bayes.best_accuracy, _exponential,
        ),
    )
}  # fmt: skip
