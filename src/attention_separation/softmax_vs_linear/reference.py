"""What a simulated point is held against: probabilities, and how far off they may be."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Reference:
    """P(E_success) and the probabilities of EVENTS, in their order.

    `error` bounds how far `success` may be from the truth: 0 where it is exact (up to about 1e-13
    of rounding), 1 where nothing is known. `method` says in a few words how it was computed.
    """

    success: float
    events: tuple[float, float, float, float]
    error: float
    method: str
