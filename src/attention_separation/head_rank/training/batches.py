"""Sets of points on the sphere for training and for held-out scores, from named streams."""

from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from attention_separation.statistics.seeding import stream

from ..settings.cells import EPOCH, STEPS_PER_BLOCK, CellJob

HELD_OUT_BLOCK = 1024
"""Held-out sets per stream; the first block alone gives the score over time."""


def data_names(job: CellJob, run: int) -> tuple[str, ...]:
    """Name of a run's training data; a block's stream adds the block."""
    return ("head_rank", "data", job.regime, job.data_shape(), f"run={run}")


def held_out_names(job: CellJob, run: int) -> tuple[str, ...]:
    """Name of a run's held-out data; a block's stream adds the block."""
    return ("head_rank", "held-out", f"d={job.d},n={job.n}", f"run={run}")


def initial_names(job: CellJob, run: int) -> tuple[str, ...]:
    """Name of the stream of a run's initial values."""
    return ("head_rank", "initial", job.model_name(), f"run={run}")


def points(generator: np.random.Generator, d: int, shape: tuple[int, ...]) -> np.ndarray:
    """Points uniform on the unit sphere of R^d: float32, `shape` is (..., d, n, sets)."""
    normal = generator.standard_normal(shape, dtype=np.float32)
    return normal / np.sqrt(np.einsum("...dns,...dns->...ns", normal, normal))[..., None, :, :]


class Batches:
    """The training batches of all runs of a job; `ahead`: a thread draws the next block meanwhile,
    for devices that would wait for it."""

    def __init__(self, job: CellJob, ahead: bool = False):
        self.job = job
        self._pool = ThreadPoolExecutor(max_workers=1) if ahead else None
        self._number: int | None = None
        self._block: np.ndarray | None = None
        self._next: tuple[int, Future[np.ndarray]] | None = None

    def __call__(self, step: int) -> np.ndarray:
        """Batch of a step, counted from 0: (runs, d, n, batch)."""
        if self.job.regime == "repeated":
            step %= EPOCH
        number, within = divmod(step, STEPS_PER_BLOCK)
        if number != self._number:
            self._number, self._block = number, self._drawn(number)
        return self._block[within]

    def _drawn(self, number: int) -> np.ndarray:
        if self._pool is None:
            return self._draw(number)
        waiting, future = self._next or (None, None)
        block = future.result() if future and waiting == number else self._draw(number)
        following = number + 1
        if self.job.regime == "repeated":
            following %= EPOCH // STEPS_PER_BLOCK
        self._next = following, self._pool.submit(self._draw, following)
        return block

    def _draw(self, number: int) -> np.ndarray:
        job = self.job
        shape = (STEPS_PER_BLOCK, job.d, job.n, job.batch)
        streams = (stream(job.seed, *data_names(job, run), f"block={number}") for run in job.seeds)
        return np.stack([points(each, job.d, shape) for each in streams], axis=1)


def held_out(job: CellJob, block: int) -> np.ndarray:
    """A block of held-out sets of all runs: (runs, d, n, sets), the last one maybe shorter."""
    sets = min(HELD_OUT_BLOCK, job.held_out - block * HELD_OUT_BLOCK)
    streams = (stream(job.seed, *held_out_names(job, run), f"block={block}") for run in job.seeds)
    return np.stack([points(each, job.d, (job.d, job.n, sets)) for each in streams])


def held_out_blocks(job: CellJob) -> int:
    """Number of blocks of held-out sets."""
    return -(-job.held_out // HELD_OUT_BLOCK)
