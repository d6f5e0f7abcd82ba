"""About how long a cell trains and how much memory it takes. Without torch."""

from .cells import NeedleCell

START_MINUTES = 5
START_MB = 1200
"""Of a job without data: torch, and on a cluster the two snakemakes that start it."""

NUMBERS_PER_SECOND = 2e9
"""That a core computes with in training, forward and backward together, about."""

PASSES = 4
"""Numbers kept for each that a step computes with, about."""


def seconds(job: NeedleCell) -> float:
    """Seconds of one core that the steps and the held-out sequences take."""
    own = job.numbers_per_step() * (job.steps + job.held_out / job.batch / 3)
    return own / NUMBERS_PER_SECOND


def memory_mb(job: NeedleCell) -> int:
    """Megabytes that training asks for."""
    return START_MB + 4 * PASSES * job.numbers_per_step() // 10**6


def minutes(job: NeedleCell) -> int:
    """Minutes that training asks for: three times what it is estimated to take."""
    return START_MINUTES + int(3 * seconds(job) / 60) + 1
