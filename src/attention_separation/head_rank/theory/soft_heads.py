"""Softmax heads of low rank at a small temperature: a bilinear form in the limit.

A softmax head with K Q^T = cA and V = aI gives the x_i weights whose difference is
tanh(c<u, Ay> / sqrt(2)): for small c and large a, a multiple of <u, Ay>. Heads with weights of both
signs keep the sum of their a at 1, and H heads of rank r add up to any <u, By> with B of rank Hr.
"""

from ..constructions.gegenbauer import sign_energy


def linear_limit(d: int, r: int, heads: int) -> float:
    """What two or more softmax heads of rank r come as near to as one likes on D_2.

    <u, By> with B a multiple of a projection on Hr dimensions is so much of the part of degree 1.

    Raises
    ------
    ValueError
        For one head: its V is I, and no weight is large.
    """
    if heads < 2:
        raise ValueError(f"{heads} heads; allowed: at least 2")
    return 0.5 * (1 - sign_energy(d, 1) * min(1.0, heads * r / d))
