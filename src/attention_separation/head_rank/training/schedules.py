"""Learning rates: warm-up from below, then a cosine down to 0."""

import math

from ..settings.cells import EPOCH, CellJob


def rate(job: CellJob, step: int) -> float:
    """Learning rate of a step, counted from 0.

    The text has a linear warm-up and a cosine, without lengths. Per step: over the job's
    `warm_up`, a choice of ours, it rises linearly to `lr`, which it first has at the last step of
    it. Per epoch, as in the published configurations: the first twentieth, w epochs, rises from 0
    in equal parts so that its last has `lr`, as epoch w has, where the cosine begins. A warm-up of
    one epoch is one at rate 0. Under 20 epochs there is none: the published one would stay at rate
    0 for ever.
    """
    if job.schedule == "per_step":
        warm = max(1, round(job.steps * job.warm_up))
        if step < warm:
            return job.lr * (step + 1) / warm
        return _cosine(job.lr, step - warm, job.steps - warm)
    epoch, epochs = step // EPOCH, job.steps // EPOCH
    warm = epochs // 20
    if epoch < warm:
        return job.lr * epoch / max(1, warm - 1)
    return _cosine(job.lr, epoch - warm, epochs - warm)


def _cosine(lr: float, done: int, of: int) -> float:
    return lr * (1 + math.cos(math.pi * done / of)) / 2
