"""When a network is positive, and the event E_success (sections 7.1 and 7.2)."""

from typing import NamedTuple

import numpy as np

TIE_TOLERANCE = 1e-12
"""In units of s: scores are sums of floats, and exact ties with tau do occur."""


class Network(NamedTuple):
    """One of the four evaluations of a trial."""

    kernel: str  # "exp" or "lin"
    dataset: int  # 0 or 1


NETWORKS = (Network("exp", 1), Network("lin", 1), Network("exp", 0), Network("lin", 0))
"""The order of the last axis wherever the four networks stand side by side."""

EVENTS = ("f_exp_d1_positive", "f_lin_d1_zero", "f_exp_d0_zero", "f_lin_d0_zero")
"""The four events whose intersection is E_success, network by network."""

POSITIVE_ON_SUCCESS = np.array([True, False, False, False])


def exceeds(score, tau: float, s: float):
    """Whether a score exceeds tau: strictly, and a tie does not.

    F > 0 if and only if some neuron's score exceeds tau, for every summand of F is >= 0.
    `s` is sqrt(log n) for the attention models and 1 for the regression model.
    """
    return score - tau > TIE_TOLERANCE * s


def events(positive: np.ndarray) -> np.ndarray:
    """Which of EVENTS happened; positive : (..., 4) bool, whether each of NETWORKS is > 0."""
    return positive == POSITIVE_ON_SUCCESS


def success(positive: np.ndarray) -> np.ndarray:
    """E_success, (...,) bool: F_exp tells D1 from D0 and F_lin is zero on both."""
    return events(positive).all(axis=-1)
