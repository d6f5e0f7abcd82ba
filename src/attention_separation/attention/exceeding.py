"""When a network is positive (sections 7.1 and 7.2)."""

TIE_TOLERANCE = 1e-12
"""In units of s: scores are sums of floats, and exact ties with tau do occur."""


def exceeds(score, tau: float, s: float):
    """Whether a score exceeds tau: strictly, and a tie does not.

    F > 0 if and only if some neuron's score exceeds tau, for every summand of F is >= 0.
    `s` is sqrt(log n) for the attention models and 1 for the regression model.
    """
    return score - tau > TIE_TOLERANCE * s
