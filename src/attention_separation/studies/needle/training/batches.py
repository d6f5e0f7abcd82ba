"""Sequences of noisy tokens with and without the needle, from named streams.

On D1 one token, the needle, has mu added along a direction; on D0 none has.

Half of a batch, every other sequence, is D1. Batches are new in every step, and the same for all
maps; held-out sequences have streams of their own.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ....statistics.seeding import blocks, stream
from ..settings.cells import MOST_RUNS, OF_PAPER, NeedleCell

HELD_OUT_BATCH = 500
"""Held-out sequences per stream."""


class QueryBatch(NamedTuple):
    """Sequences of `query_given`: noise (B, d, n) that all runs share; of each run the directions u
    (B, R, d) that are its queries, and where its needles are (B, R); labels (B,), 1 for D1.

    The directions of the runs are orthogonal: what each run sees along its own is independent of
    what the others see along theirs.
    """

    noise: Tensor
    directions: Tensor
    places: Tensor
    labels: Tensor


class TokenBatch(NamedTuple):
    """Sequences of `query_learned` and `self_attention`: tokens (R, B, d, n), of each run its own;
    labels (B,)."""

    tokens: Tensor
    labels: Tensor


Batch = QueryBatch | TokenBatch


def batch_at(job: NeedleCell, step: int) -> Batch:
    """The training batch of a step, counted from 0."""
    return _drawn(job, job.batch, f"batch={job.batch}", f"step={step}")


def held_out(job: NeedleCell) -> Iterator[Batch]:
    """The held-out sequences, block by block."""
    for block, size in blocks(job.held_out, HELD_OUT_BATCH):
        yield _drawn(job, size, "held-out", f"block={block}")


def normals(generator: np.random.Generator, *shape: int) -> Tensor:
    """A tensor of standard normal float32 of this shape (Box and Muller, 1958), of size below 5.8.

    NumPy's own take three times as long, which would be half of training.
    """
    count = math.prod(shape)
    half = -(-count // 2)
    uniform = torch.from_numpy(generator.random(2 * half, dtype=np.float32))
    # 1 - u is never 0.
    size = uniform[:half].neg_().add_(1).log_().mul_(-2).sqrt_()
    angle = uniform[half:].mul_(2 * math.pi)
    along_cosine = angle.cos().mul_(size)
    along_sine = angle.sin_().mul_(size)
    return torch.cat([along_cosine, along_sine])[:count].view(shape)


def plain_tokens(job: NeedleCell) -> Tensor:
    """D0's tokens of Definition D.1 over s, with a0 = 0 and without noise, (d, n): classes are
    cyclic, and n need not be a multiple of K."""
    data = job.data
    d = job.dimension
    tokens = torch.zeros(d, job.n)
    places = torch.arange(job.n)
    tokens[1 + places % data.classes, places] = data.b
    tokens[d - 1] = data.c
    return tokens


def _drawn(job: NeedleCell, size: int, *names: str) -> Batch:
    """So many sequences of the job's data, from the stream of these names; every other one is
    D1."""
    labels = (torch.arange(size) % 2).float()
    stream_names = (*job.data_names(), *names)
    if job.arm in OF_PAPER:
        return _token_batch(job, labels, stream_names)
    return _query_batch(job, labels, stream_names)


def _query_batch(job: NeedleCell, labels: Tensor, names: tuple[str, ...]) -> QueryBatch:
    """Sequences of `query_given` with these labels (B,), from the stream of these names."""
    size = len(labels)
    d = job.dimension
    generator = stream(job.seed, *names)
    noise = normals(generator, size, d, job.n)
    frames, upper = torch.linalg.qr(normals(generator, size, d, d))
    # With these signs, each of a frame's directions is uniform on the sphere.
    frames = frames * upper.diagonal(dim1=1, dim2=2).sign().unsqueeze(1)
    places = torch.from_numpy(generator.integers(job.n, size=(size, MOST_RUNS)))
    return QueryBatch(
        noise=noise,
        directions=frames.mT[:, job.seeds].contiguous(),
        places=places[:, job.seeds].contiguous(),
        labels=labels,
    )


def _token_batch(job: NeedleCell, labels: Tensor, names: tuple[str, ...]) -> TokenBatch:
    """Sequences of the first paper's tokens with noise, with these labels (B,), each run's from a
    stream of its own."""
    data = job.data
    size = len(labels)
    plain = plain_tokens(job)
    noise = data.a1 / job.mu
    special = data.a0 + (data.a1 - data.a0) * labels
    tokens = torch.empty(len(job.seeds), size, job.dimension, job.n)
    for tokens_of_run, run in zip(tokens, job.seeds, strict=True):
        generator = stream(job.seed, *names, f"run={run}")
        drawn = normals(generator, *tokens_of_run.shape)
        torch.add(plain, drawn, alpha=noise, out=tokens_of_run)
        places = torch.from_numpy(generator.integers(job.n, size=(size, 1)))
        tokens_of_run[:, 0].scatter_add_(1, places, special.unsqueeze(1))
    return TokenBatch(tokens.mul_(math.sqrt(math.log(job.n))), labels)
