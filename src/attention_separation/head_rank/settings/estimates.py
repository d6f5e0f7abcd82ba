"""About how long a cell trains and how much memory it takes. Without torch."""

from .cells import STEPS_PER_BLOCK, Architecture, CellJob

START_MINUTES = 5
"""Asked for beside the steps: torch, the first batch, the final score."""

START_MB = 1200
"""Of a job without data: torch, and on a cluster the two snakemakes that start it."""

MOST_ACTIVATIONS = 2**30
"""Numbers that one backward pass may keep: 4 GiB."""

PASSES = 3
"""Arrays that forward and backward hold of each activation, about."""


def activations(model: Architecture) -> int:
    """Numbers that the backward pass of one set of one run needs."""
    dimension, inner = model.model_dimension, model.width * model.model_dimension
    per_point = 4 * inner + model.total_heads * model.n + 6 * dimension + 2 * model.feed_forward
    return PASSES * model.layers * model.n * per_point


def sets_at_once(job: CellJob) -> int:
    """Sets of a batch that go through the network together: gradients of the parts are added.

    The number depends on the cell alone, so that results do not depend on the machine.
    """
    fitting = MOST_ACTIVATIONS // (activations(job) * len(job.seeds))
    return max(1, min(job.batch, fitting))


def memory_mb(job: CellJob) -> int:
    """Megabytes that training asks for."""
    numbers = activations(job) * len(job.seeds) * sets_at_once(job)
    # A block of batches, what it is made of, and one drawn ahead.
    numbers += 3 * STEPS_PER_BLOCK * job.d * job.n * job.batch * len(job.seeds)
    # The parameters, their gradients and the optimizer's two moments.
    numbers += 5 * job.parameters() * len(job.seeds)
    return START_MB + 4 * numbers // 10**6


def minutes(job: CellJob, gigaflops: float) -> int:
    """Minutes that training asks for: three times its operations at a rate."""
    seconds = job.training_flops() / (1e9 * gigaflops)
    return START_MINUTES + int(3 * seconds / 60) + 1
