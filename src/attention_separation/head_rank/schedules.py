"""Learning rates: warm-up from below, then a cosine down to 0."""

import math

from attention_separation.head_rank.cells import EPOCH, CellJob


def rate(job: CellJob, step: int) -> float:
    """Learning rate of a step, counted from 0.

    Fresh regime: per step; the first tenth rises linearly to `lr`, which it first has at its last
    step. Repeated regime: per epoch; the first twentieth rises linearly from 0, as published.
    """
    if job.regime == "fresh":
        warm = max(1, job.steps // 10)
        if step < warm:
            return job.lr * (step + 1) / warm
        return _cosine(job.lr, step - warm, job.steps - warm)
    epoch, epochs = step // EPOCH, job.steps // EPOCH
    warm = epochs // 20
    if epoch < warm:
        return job.lr * epoch / warm
    return _cosine(job.lr, epoch - warm, epochs - warm)


def _cosine(lr: float, done: int, of: int) -> float:
    return lr * (1 + math.cos(math.pi * done / of)) / 2
