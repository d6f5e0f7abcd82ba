"""Theorem 7: rank-1 heads put the nearest of two points to the vote, and how often it errs.

A head votes for the nearer point where <x_1 - x_2, g> and <y, g> have the sign that <x_1 - x_2, y>
has: with probability 1/2 + phi / pi, sin(phi) = |cos| of the angle of x_1 - x_2 and y.
"""

import math

import numpy as np
from scipy.special import bdtr

from .sphere import angle_rule, density_at_zero


def checked_odd(heads: int) -> int:
    """The number of heads, if a vote of so many cannot tie.

    Raises
    ------
    ValueError
        Unless it is odd and positive.
    """
    if heads < 1 or heads % 2 == 0:
        raise ValueError(f"{heads} heads; allowed: odd numbers, a vote of an even number can tie")
    return heads


def votes_for_first(x: np.ndarray, y: np.ndarray, g: np.ndarray) -> np.ndarray:
    """How heads vote: (..., H) bool, for X (..., d, 2), y (..., d) and directions g (..., H, d).

    True where <x_1 - x_2, g><g, y> is positive.
    """
    difference = (x[..., 0] - x[..., 1])[..., None]
    return ((g @ difference) * (g @ y[..., None]))[..., 0] > 0


def wrong_probability(d: int, heads: int) -> float:
    """P(the vote picks the farther point), over random g_h, x_1, x_2 and y; H odd.

    Given the angle the number of right votes is binomial; the angle of x_1 - x_2 and y is that of a
    uniform point and a fixed direction, on the sphere as on D_2.
    """
    checked_odd(heads)
    phi, weights = angle_rule(d, [(0.0, min(1.0, math.pi / (2 * math.sqrt(heads))))])
    right = np.minimum(0.5 + np.abs(phi) / math.pi, 1.0)
    return float(weights @ bdtr((heads - 1) // 2, heads, right))


def error(d: int, heads: int) -> float:
    """E||f - x_winner||^2: 2 P(wrong), since ||x_1 - x_2||^2 has mean 2 and no part in the vote."""
    return 2 * wrong_probability(d, heads)


def error_law(d: int, heads: float) -> float:
    """The law of the error for many heads: 2 f_d(0) sqrt(pi / 2H), about sqrt(d / H)."""
    return 2 * density_at_zero(d) * math.sqrt(math.pi / (2 * heads))


def heads_needed(d: int, epsilon: float) -> int:
    """The smallest odd H whose error is at most epsilon < 1; the error falls with H."""
    few, many = -1, 1
    while error(d, many) > epsilon:
        few, many = many, 2 * many + 1
    while many - few > 2:
        middle = (few + many) // 2 | 1
        few, many = (few, middle) if error(d, middle) <= epsilon else (middle, many)
    return many
