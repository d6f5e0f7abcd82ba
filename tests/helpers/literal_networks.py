"""The networks on top of attention and of regression, as the paper defines them.

Shapes: n tokens, d coordinates, m sign columns.
"""

import numpy as np


def relu(z):
    """max(z, 0), Definition 3.4."""
    return np.maximum(z, 0.0)


def relu_tau(z, tau: float):
    """max(z - tau, 0), Definition 3.4."""
    return np.maximum(z - tau, 0.0)


def attention_network(c, y, tau: float) -> float:
    """F of Definitions C.2 and C.6: relu of the sum over j0 and l of relu_tau(<c_j0, y_l>).

    c : (n, d) attention output; y : (d, m) signs.
    """
    return float(relu(np.sum(relu_tau(c @ y, tau))))


def regression_network(f, y, tau: float) -> float:
    """F of Definitions 3.5 and 3.6; f : (n,) normalised weights, y : (n, m) signs."""
    return float(relu(np.sum(relu_tau(f @ y, tau))))
