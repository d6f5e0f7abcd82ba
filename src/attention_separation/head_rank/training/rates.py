"""How fast this machine trains: steps of throw-away ensembles, timed."""

import time
from collections.abc import Sequence

import torch

from ..settings.cells import CellJob
from .ensemble import seconds_per_step

MOST_SECONDS = 20.0
"""For measuring, after which what is left goes by the rate that was measured last."""


def seconds_of_training(jobs: Sequence[CellJob], device: str) -> list[float]:
    """Seconds that all steps of each cell take here, one cell at a time on a device.

    Small cells are measured first; one that is not reached in MOST_SECONDS is taken to have the
    operations per second of the last that was.
    """
    # As a cell's job has it.
    torch.set_num_threads(1)
    found: dict[int, float] = {}
    end, rate = time.monotonic() + MOST_SECONDS, 0.0
    for k in sorted(range(len(jobs)), key=lambda k: jobs[k].training_flops() / jobs[k].steps):
        job = jobs[k]
        if not rate or time.monotonic() < end:
            found[k] = job.steps * seconds_per_step(job, device)
            rate = job.training_flops() / found[k]
        else:
            found[k] = job.training_flops() / rate
    return [found[k] for k in range(len(jobs))]
