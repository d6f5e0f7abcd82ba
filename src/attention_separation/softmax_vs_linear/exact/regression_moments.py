"""Means and variances, over the softmax-regression data, of what one sign column is worth."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from attention_separation.attention.sign_columns import likely_heads

from ..models.contest import PAPERS
from ..models.regression import SPECIAL
from .regression_columns import TwoPointSums, weights
from .regression_fourier import UniformSums

QUANTITIES = ("plus", "minus", "lin_d1", "exp_d0", "lin_d0")
"""Probabilities, for one column given the data: that F_lin(D1), F_exp(D0), F_lin(D0) are all zero
given y_j = +1 and given y_j = -1, and that each of them is."""


@dataclass(frozen=True)
class Moments:
    """Over the data, of QUANTITIES: means (5,), and to first order covariances (5, 5).

    error : estimated numerical error of the means
    missed : variance beyond first order, as far as single networks show it
    laws : of the last three of QUANTITIES, values over the data and their probabilities, where
        all data can be summed over; else none
    """

    mean: np.ndarray
    covariance: np.ndarray
    error: float
    missed: float
    laws: tuple[tuple[np.ndarray, np.ndarray], ...] = ()


@lru_cache(maxsize=128)
def moments(columns: UniformSums | TwoPointSums, data: str) -> Moments:
    """Means and, to first order, covariances over the data.

    A quantity's mean given one coordinate's data, less its mean, is that coordinate's function in
    the Hajek projection: one and the same for all n - 1 ordinary coordinates, another for j.
    """
    given = _given_independent if data == "independent" else _given_same
    ordinary, special, error = given(columns)
    mean = np.average(special[0], axis=0, weights=special[1])
    covariance = (columns.n - 1) * _covariance(*ordinary) + _covariance(*special)
    laws = ()
    if isinstance(columns, TwoPointSums):
        laws = tuple(columns.zero_given_data(*network) for network in PAPERS.networks[1:])
    missed = _missed(laws, covariance.diagonal()[2:])
    return Moments(mean, covariance, float(error), missed, laws)


def _missed(laws: tuple[tuple[np.ndarray, np.ndarray], ...], first_order: np.ndarray) -> float:
    """Variance that the projection misses, were all networks' fluctuations in step.

    Sums of two-point entries lie on lattices, and how a lattice lies to tau depends on all data
    at once. Under the uniform law, which has no `laws`, the projection misses a share of order 1/n.
    """
    missed = 0.0
    for (zero, share), found in zip(laws, first_order, strict=False):
        missed += math.sqrt(max(share @ (zero - share @ zero) ** 2 - found, 0.0))
    return missed**2


def _covariance(values: np.ndarray, shares: np.ndarray) -> np.ndarray:
    centred = values - np.average(values, axis=0, weights=shares)
    return (centred * shares[:, None]).T @ centred


def _terms(columns, sign: float, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A coordinate's terms w (y - tau) in the linear and in the exponential sum."""
    return (sign - columns.tau) * u, (sign - columns.tau) * weights("exp", columns.n, u)


def _given_independent(columns):
    """QUANTITIES given the data of an ordinary coordinate and given those of j; shares; error.

    Given y_j and the pluses among the others, F_lin(D1) is independent of both networks on D0.
    """
    n, tau = columns.n, columns.tau
    u, share = columns.entry
    pair = [_terms(columns, sign, u) for sign in (-1, 1)]
    pluses, weight = likely_heads(n - 2)
    both_signs = np.concatenate([x for x, _ in pair])
    d1 = [
        columns.below("linear", pluses, n - 2 - pluses, SPECIAL * (sign - tau) + both_signs)
        for sign in (-1, 1)
    ]
    d0_pluses = np.append(pluses, pluses[-1] + 1)
    d0_weight = (np.append(weight, 0) + np.append(0, weight)) / 2
    d0 = columns.both(
        d0_pluses, n - 1 - d0_pluses, both_signs, np.concatenate([y for _, y in pair])
    )
    # Axes: pluses, sign of the coordinate whose data are given, its entry in that data set.
    shape = (-1, 2, len(u))
    lin_d1 = [part.probability.reshape(shape) for part in d1]
    zero_d0 = d0.both.reshape(shape)
    weighted = weight[:, None, None] / 2
    zero = [
        np.tensordot(zero_d0[s : s + len(pluses)], weighted * lin_d1[s], axes=([0, 1], [0, 1]))
        for s in (0, 1)
    ]
    lin_d1_given = np.einsum("k,skab->b", weight / 4, np.array(lin_d1))
    exp_d0, lin_d0 = (
        np.einsum("k,kab->b", d0_weight / 2, part.reshape(shape))
        for part in (d0.exponential, d0.linear)
    )
    ordinary = np.broadcast_arrays(zero[1], zero[0], lin_d1_given, exp_d0[:, None], lin_d0[:, None])
    # A column's law given its pluses does not depend on which coordinate is told apart.
    lin_d1_alike = [np.append(part[:, 0] @ share, part[-1:, 1] @ share) for part in lin_d1]
    own = [np.einsum("k,k,kc->c", d0_weight, lin_d1_alike[s], zero_d0[:, s]) for s in (0, 1)]
    special = np.broadcast_arrays(own[1], own[0], lin_d1_given @ share, exp_d0, lin_d0)
    return (
        (np.stack(ordinary, axis=-1).reshape(-1, 5), np.outer(share, share).ravel()),
        (np.stack(special, axis=-1), share),
        d0.error + max(part.error for part in d1),
    )


def _given_same(columns):
    """The same where D0 has the entries of D1 but at j.

    If y_j = +1 then F_lin is zero on D0 where it is on D1, and if y_j = -1 the other way round.
    """
    n, tau = columns.n, columns.tau
    u, share = columns.entry
    pluses, weight = likely_heads(n - 2)
    # Axes of offsets: sign and entry of an ordinary coordinate, and the entry of j in D0.
    shape = (2, len(u), len(u))
    lin, exp = (
        np.stack([_terms(columns, sign, u)[k] for sign in (-1, 1)])[:, :, None] for k in (0, 1)
    )
    found, error = [], 0.0
    for sign in (-1, 1):
        lin_own, exp_own = _terms(columns, sign, u)
        on_d1 = np.broadcast_to(lin + SPECIAL * (sign - tau), shape).ravel()
        on_d0, exp_d0 = ((x + own).ravel() for x, own in ((lin, lin_own), (exp, exp_own)))
        d0 = columns.both(pluses, n - 2 - pluses, on_d0, exp_d0)
        d1 = columns.both(pluses, n - 2 - pluses, on_d1, exp_d0)
        parts = ((d1 if sign > 0 else d0).both, d1.linear, d0.exponential, d0.linear)
        found.append([(weight @ part).reshape(shape).mean(axis=0) for part in parts])
        error = max(error, d0.error, d1.error)
    minus, plus = found
    table = np.stack(
        [plus[0], minus[0], *((a + b) / 2 for a, b in zip(plus[1:], minus[1:], strict=True))],
        axis=-1,
    )
    ordinary, special = (np.tensordot(share, table, axes=(0, axis)) for axis in (1, 0))
    return (ordinary, share), (special, share), error
