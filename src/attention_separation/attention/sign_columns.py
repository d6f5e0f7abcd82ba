"""Sign columns of which each is, alike and apart from the others, one of some with a chance q."""

import numpy as np

NEARLY_ONE = np.nextafter(1.0, 0.0)


def none_of(q, m):
    """Probability that none of m columns is one of them: (1 - q)^m.

    At most 1 however the q were rounded, and exact to their rounding for large m.
    """
    return np.exp(m * np.log1p(-np.minimum(q, NEARLY_ONE)))
