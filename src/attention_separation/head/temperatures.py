"""The temperatures at which softmax keeps a share among N tokens.

At a temperature T = 1/beta the target's share is 1/(1 + h(beta)), with h(beta) = sum of
e^(beta (s_j - s_t)) over fixed and near tokens + (N - k)/m_far times that over far ones. So a share
is kept where h <= c. log h is convex, so these beta are an interval, and Newton's method comes to
its ends from outside and never beyond them.
"""

from dataclasses import dataclass

import numpy as np

from .rows import Rows

MOST_STEPS = 200
"""Of Newton's method: about ten are enough."""

SMALLEST_STEP = 1e-15
"""Relative to beta: smaller steps are rounding."""


def temperatures(rows: Rows, far_count: np.ndarray, c: float) -> tuple[np.ndarray, np.ndarray]:
    """The hottest and the coldest T at which e^(s/T) keeps the level with so many far tokens, (R,)
    each for (R,).

    0 and 0 where none does; the hottest inf where every hotter one does; the coldest 0 where every
    colder one does; NaN where the number is.
    """
    target_has_weight = rows.target_score > -np.inf
    other_has_weight = _others_with_weight(rows, far_count)
    # A target without weight keeps the level at no temperature, one with all weight at every one.
    hottest = np.where(target_has_weight, np.inf, 0.0)
    coldest = np.zeros(len(rows))
    is_open = np.isnan(far_count)
    is_shared = target_has_weight & other_has_weight.any(axis=1) & ~is_open
    others = _other_tokens(rows, far_count, other_has_weight).of_rows(is_shared)

    lowest_beta = others.newton(np.zeros(len(others.loudest)), c, is_upwards=True)
    is_kept = ~np.isnan(lowest_beta)
    hottest[is_shared] = np.where(is_kept, 1 / lowest_beta, 0.0)

    has_coldest = is_kept & (others.loudest > 0)
    louder = others.of_rows(has_coldest)
    coldest_of_shared = np.zeros(len(is_kept))
    coldest_of_shared[has_coldest] = 1 / louder.newton(louder.too_high_beta(c), c, is_upwards=False)
    coldest[is_shared] = coldest_of_shared
    return np.where(is_open, np.nan, hottest), np.where(is_open, np.nan, coldest)


@dataclass(frozen=True)
class OtherTokens:
    """The tokens beside the target in Q rows: h(beta) = sum of e^(beta above + log_counts).

    Attributes
    ----------
    above : (Q, K + 1) s_j - s_t, 0 for the target and tokens without weight
    log_counts : (Q, K + 1) logarithms of how many tokens each stands for: 0 for a fixed or near
        one, log((N - k)/m_far) for a far one, -inf for the target and tokens without weight
    loudest : (Q,) the largest s_j - s_t
    least_log_count : (Q,) below those of all tokens with weight, or equal
    """

    above: np.ndarray
    log_counts: np.ndarray
    loudest: np.ndarray
    least_log_count: np.ndarray

    def of_rows(self, chosen: np.ndarray) -> "OtherTokens":
        """Those of some rows, (Q,) bool, or indices."""
        return OtherTokens(
            above=self.above[chosen],
            log_counts=self.log_counts[chosen],
            loudest=self.loudest[chosen],
            least_log_count=self.least_log_count[chosen],
        )

    def too_high_beta(self, c: float) -> np.ndarray:
        """A beta, (Q,), from which on the loudest token, louder than the target, alone makes h at
        least c."""
        return (np.log(c) - self.least_log_count) / self.loudest

    def newton(self, start: np.ndarray, c: float, *, is_upwards: bool) -> np.ndarray:
        """The first beta, (Q,), with h <= c from `start` on, upwards or downwards; NaN where there
        is none."""
        beta = start.copy()
        moving = np.arange(len(beta))
        tokens = self
        for _ in range(MOST_STEPS):
            step = tokens._newton_step(beta[moving], c)
            is_backwards = step < 0 if is_upwards else step > 0
            # log h is convex: where it does not fall in this direction, it is never log c.
            step[is_backwards | ~np.isfinite(step)] = np.nan
            beta[moving] += step
            is_moving = np.abs(step) > SMALLEST_STEP * beta[moving]
            if not is_moving.any():
                break
            if not is_moving.all():
                moving = moving[is_moving]
                tokens = tokens.of_rows(is_moving)
        return beta

    def _newton_step(self, beta: np.ndarray, c: float) -> np.ndarray:
        """The step, (Q,), to where the tangent of log h at beta is log c; 0 where h <= c."""
        terms = beta[:, None] * self.above
        terms += self.log_counts
        largest = terms.max(axis=1)
        # h and its derivative, both over e^largest.
        terms -= largest[:, None]
        np.exp(terms, out=terms)
        h = terms.sum(axis=1)
        derivative = np.einsum("qk,qk->q", terms, self.above)
        excess = np.log(h) + largest - np.log(c)
        return np.where(excess <= 0, 0.0, -excess * h / derivative)


def _others_with_weight(rows: Rows, far_count: np.ndarray) -> np.ndarray:
    """Whether a token beside the target, (R, K + 1), has weight with so many far tokens, (R,)."""
    has_weight = (rows.scores > -np.inf) & ~rows.is_target
    return has_weight & ~(rows.is_far & (far_count == 0)[:, None])


def _other_tokens(rows: Rows, far_count: np.ndarray, has_weight: np.ndarray) -> OtherTokens:
    """The tokens beside the target that have weight, (R, K + 1)."""
    far_log_count = np.log(far_count / rows.m_far)
    log_counts = np.where(rows.is_far, far_log_count[:, None], 0.0)
    log_counts[~has_weight] = -np.inf
    above = np.where(has_weight, rows.above_target, 0.0)
    loudest = np.max(above, axis=1, initial=-np.inf, where=has_weight)
    least_log_count = np.where(far_count > 0, np.minimum(far_log_count, 0.0), 0.0)
    return OtherTokens(above, log_counts, loudest, least_log_count)
