"""Where the mixture law's staircase passes half of exp's P, by bisection."""

import math

from attention_separation.studies.any_attention.laws.mixture import Mixture, largest_probability


def critical_share(rho, m, layer, data) -> float:
    """f_c, the least share at which P is at least half of exp's; inf if it is at none."""
    half, law = largest_probability(m) / 2, Mixture(layer, data)

    def enough(share) -> bool:
        return law.probability(share, rho, m) >= half

    low, high = 0.0, 1.0
    if enough(low) or not enough(high):
        return low if enough(low) else math.inf
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def reach(rho, m, layer, data) -> float:
    """C: with a weight ratio of R a kernel separates up to n = C R; 0 if at no n, and inf if the
    floor itself is half of exp's P."""
    share = critical_share(rho, m, layer, data)
    others = max(1 / share - 1, 0.0) if share > 0 else math.inf
    return others * data.classes / (data.classes - 1 + rho)
