"""What a simulated point is held against: probabilities, and their estimated errors."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Reference:
    """The probabilities of success and of the contest's events, in their order.

    `error` and `event_errors` are the estimated errors of `success` and of `events`: 0 where these
    are exact (up to about 1e-13 of rounding), 1 where nothing is known. `method` says in a few
    words how they were computed.
    """

    success: float
    events: tuple[float, ...]
    error: float
    event_errors: tuple[float, ...]
    method: str


EXACT_EVENTS = (0.0, 0.0, 0.0, 0.0)
"""The errors of four exact events."""
