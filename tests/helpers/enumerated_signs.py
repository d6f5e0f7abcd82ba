"""What one network does, from the scores of all columns: over all places and sign matrices."""

from dataclasses import dataclass
from functools import reduce

import numpy as np

SAME = 1e-11
"""Scores closer than this are one score, summed in another order; all others are STEP apart."""

STEP = 1e-8


@dataclass(frozen=True)
class Enumerated:
    """What is worth what, over all places and sign matrices.

    Attributes
    ----------
    levels : (G,) the scores in order, and 0
    zero : place of 0 among them
    joint : (G, G) P(the largest score on D0 is at one level, that on D1 at another)
    each_bias : P(some column is worth more to D1 than to D0)
    """

    levels: np.ndarray
    zero: int
    joint: np.ndarray
    each_bias: float

    def after_signs(self):
        return np.triu(self.joint, 1)[:, self.zero + 1 :].sum()

    def reached(self):
        """P(that on D0 is at most one level, that on D1 at least another)."""
        return self.joint.cumsum(axis=0)[:, ::-1].cumsum(axis=1)[:, ::-1]

    def curve(self):
        """P(D1 is told from D0) with thresholds from each level, 0 or above it, to the next."""
        return np.append(np.diag(self.reached(), 1), 0.0)[self.zero :]

    def edges(self):
        """Of these intervals, the last of length 1."""
        return np.append(self.levels, self.levels[-1] + 1)[self.zero :]

    def at(self, theta):
        """A score that ties the threshold is not above it."""
        return self.curve()[np.searchsorted(self.edges(), theta + SAME) - 1]

    def best(self):
        return self.curve().max()

    def widest_best(self):
        best = self.curve() >= self.best() - 1e-12
        return np.diff(self.edges())[best].max()

    def has_margin(self, eps, target):
        """Whether with some theta > 0 and this probability scores are at most theta - eps on D0,
        and one is above theta + eps on D1."""
        theta = np.maximum(self.levels + eps, 3 * SAME)
        low, high = (
            np.searchsorted(self.levels, theta + side + SAME, side="right") for side in (-eps, eps)
        )
        padded = np.pad(self.reached(), ((1, 0), (0, 1)))
        return (padded[low, high] >= target - 1e-12).any()

    def widest_margin_is(self, margin, target):
        """Whether it is the largest 2 eps, or NaN and there is none."""
        if np.isnan(margin):
            return not self.has_margin(STEP / 2, target)
        smaller, larger = margin / 2 - 10 * SAME, margin / 2 + 10 * SAME
        reached = self.has_margin(smaller, target) and not self.has_margin(larger, target)
        return margin > STEP and reached


def enumerate_signs(d0, d1, m):
    """m columns, from the largest scores of all columns at every place on D0 and on D1, (P, C)."""
    levels, (zero, d0, d1) = in_order(np.zeros(1), d0, d1)
    joint, each_bias = np.zeros(len(levels) ** 2), 0.0
    for u0, chance0 in of_distinct(d0):
        for u1, chance1 in of_distinct(d1):
            chance = chance0 * chance1
            on_d0, on_d1 = (reduce(np.maximum.outer, [u] * m).ravel() for u in (u0, u1))
            at = np.bincount(on_d0 * len(levels) + on_d1, minlength=len(joint))
            joint += chance * at / len(on_d0)
            each_bias += chance * reduce(np.logical_or.outer, [u1 > u0] * m).mean()
    return Enumerated(levels, zero[0], joint.reshape(len(levels), -1), each_bias)


def in_order(*scores):
    """Scores in order, and the place of each among them."""
    together = np.concatenate([part.ravel() for part in scores])
    order = np.argsort(together)
    gaps = np.diff(together[order], prepend=-np.inf)
    apart = gaps > SAME
    assert gaps[~apart].max() < SAME / 100
    assert gaps[apart].min() > STEP
    places = np.empty(len(together), dtype=int)
    places[order] = np.cumsum(apart) - 1
    parts = np.split(places, np.cumsum([part.size for part in scores])[:-1])
    return together[order][apart], [
        of.reshape(part.shape) for of, part in zip(parts, scores, strict=True)
    ]


def of_distinct(scores):
    """The scores of all columns, (P, 2^d), at places where they are others, and their chances."""
    rows, counts = np.unique(scores, axis=0, return_counts=True)
    return zip(rows, counts / len(scores), strict=True)
