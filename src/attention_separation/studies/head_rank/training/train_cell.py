"""Train the runs of one cell on the farthest-point task, as a table with one row per run.

A *set* is N points on the sphere; a network is to give, for each point, the one farthest from it.
Arrays have axes R of runs, d of coordinates, n of points and B of sets. *Held-out* sets are never
trained on. A *share* is how much of a layer's output depends on the set, not the same for all.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from ....statistics.seeding import blocks, stream
from ....training.drawing_ahead import DrawnAhead
from ....training.ensemble import Ensemble
from ....training.job import device_kind, train_and_write
from ..settings.cells import EPOCH, STEPS_PER_BLOCK, CellJob, StreamKind
from .cell_table import cell_table
from .transformer import (
    embed_parameters,
    initial_parameters,
    is_by_rows,
    learned_heads,
    pair_products,
    share_and_norm,
    transformer,
)

SHARE_SETS = 256
"""Held-out sets that shares are measured on."""

HELD_OUT_BLOCK = 1024
"""Held-out sets per stream; the first block alone gives the score over time."""


def uniform_points(generator: np.random.Generator, *shape: int) -> np.ndarray:
    """Points uniform on the unit sphere of R^d: float32, `shape` is (..., d, n, sets)."""
    normal = generator.standard_normal(shape, dtype=np.float32)
    norms = np.sqrt(np.einsum("...dns,...dns->...ns", normal, normal))
    return normal / norms[..., None, :, :]


def _points_of_runs(job: CellJob, kind: StreamKind, block: int, *shape: int) -> list[np.ndarray]:
    """Points of a block of each run's stream of a kind, an array of this shape for each run."""
    points_of_runs = []
    for run in job.seeds:
        generator = stream(job.seed, *job.stream_names(kind, run), f"block={block}")
        points_of_runs.append(uniform_points(generator, *shape))
    return points_of_runs


class BatchPlace(NamedTuple):
    """Where a batch is: the number of its block, and the step within it."""

    block: int
    step: int


class MeanErrors(NamedTuple):
    """Mean errors of runs over sets, (R,), and their standard errors."""

    error: np.ndarray
    standard_error: np.ndarray

    @classmethod
    def of(cls, errors: np.ndarray) -> Self:
        """The means of the errors of sets, (R, B), with their standard errors."""
        return cls(errors.mean(1), errors.std(1, ddof=1) / np.sqrt(errors.shape[1]))


class Batches:
    """The training batches of all runs of a job, drawn in blocks of STEPS_PER_BLOCK steps; `ahead`:
    threads draw the next blocks meanwhile, for devices that would wait for them."""

    def __init__(self, job: CellJob, ahead: bool = False):
        self.job = job
        self._different = job.run_steps if job.regime == "fresh" else job.batches or EPOCH
        self._number: int | None = None
        self._block = np.empty(0)
        self._draw_block: Callable[[int], np.ndarray] = self._draw
        if ahead:
            blocks = math.ceil(self._different / STEPS_PER_BLOCK)
            self._draw_block = DrawnAhead(self._draw, blocks)

    def __call__(self, step: int) -> np.ndarray:
        """Batch of a step, counted from 0: (runs, d, n, batch)."""
        place = self.place(step)
        return self.block(place.block)[place.step]

    def place(self, step: int) -> BatchPlace:
        """The place of a step's batch; repeated ones come back."""
        if self.job.regime == "repeated":
            step %= self._different
        return BatchPlace(*divmod(step, STEPS_PER_BLOCK))

    def block(self, number: int) -> np.ndarray:
        """A block of batches: (steps, runs, d, n, batch)."""
        if number != self._number:
            self._block = self._draw_block(number)
            self._number = number
        return self._block

    def _draw(self, number: int) -> np.ndarray:
        """A block of batches, drawn: (steps, runs, d, n, batch)."""
        job = self.job
        shape = (STEPS_PER_BLOCK, job.d, job.n, job.batch)
        return np.stack(_points_of_runs(job, StreamKind.DATA, number, *shape), axis=1)


def held_out_sets(job: CellJob) -> Iterator[np.ndarray]:
    """The held-out sets of all runs, block by block: (runs, d, n, sets)."""
    for block, sets in blocks(job.held_out, HELD_OUT_BLOCK):
        yield np.stack(_points_of_runs(job, StreamKind.HELD_OUT, block, job.d, job.n, sets))


def learning_rate(job: CellJob, step: int) -> float:
    """Learning rate of a step, counted from 0.

    The text has a linear warm-up and a cosine, without lengths. Per step: over the job's
    `warm_up`, a choice of ours, it rises linearly to `lr`, which it first has at the last step of
    it. Per epoch, as in the published configurations: the first twentieth, w epochs, rises from 0
    in equal parts so that its last has `lr`, as epoch w has, where the cosine begins. A warm-up of
    one epoch is one at rate 0. Under 20 epochs there is none: the published one would stay at rate
    0 for ever.
    """
    if job.schedule == "per_step":
        done = step
        length = job.steps
        warm_up = max(1, round(length * job.warm_up))
        rising_rate = job.lr * (done + 1) / warm_up
    else:
        done = step // EPOCH
        length = job.steps // EPOCH
        warm_up = length // 20
        rising_rate = job.lr * done / max(1, warm_up - 1)
    if done < warm_up:
        return rising_rate
    return job.lr * (1 + math.cos(math.pi * (done - warm_up) / (length - warm_up))) / 2


def farthest_points(x: Tensor) -> Tensor:
    """The point of its set that is farthest from each point of x, (R, d, n, B)."""
    d, n = x.shape[1:3]
    if is_by_rows(n, d):
        products = pair_products(x, x)
    else:
        products = torch.einsum("rdib,rdjb->rijb", x, x)
    # torch's argmin takes ten times as long over an axis that is not the last.
    index = products.min(2, keepdim=True).indices.transpose(1, 2)
    return x.gather(2, index.expand(-1, d, -1, -1))


class Transformers(Ensemble):
    """The transformers of a cell, each run's initial values from its own stream.

    Beside the parameters, training goes on from the sum of losses of the epoch that has begun; from
    the curves, of each epoch the mean training loss, after some the error on the first held-out
    block; and from what the job has recorded of the shares, per layer those of the runs and norms.
    """

    betas = (0.9, 0.95)

    def __init__(self, job: CellJob, device: str = "cpu", dtype: torch.dtype = torch.float32):
        streams = [
            stream(job.seed, *job.stream_names(StreamKind.INITIAL, run)) for run in job.seeds
        ]
        initial_values = [initial_parameters(job, generator) for generator in streams]
        arrays = [np.stack(parameters) for parameters in zip(*initial_values, strict=True)]
        vector = torch.from_numpy(np.concatenate([array.ravel() for array in arrays]))
        shapes = [array.shape for array in arrays]
        super().__init__(job, vector.to(device, dtype), shapes)
        self.last_step = job.run_steps
        epoch_sum = torch.zeros(len(job.seeds), dtype=torch.float64, device=device)
        self.running = {"epoch_sum": epoch_sum}
        self.history = {"train": [], "test": [], "shares": []}
        self.device = self.optimizer.vector.device.type
        self.batches = Batches(job, ahead=self.device != "cpu")
        self._blocks_on_device: dict[int, Tensor] = {}

    def rate(self, step: int) -> float:
        return learning_rate(self.job, step)

    def batch(self, step: int) -> Tensor:
        """The batch of a step, counted from 0, on the device: (R, d, n, B)."""
        if self.device == "cpu":
            return self._tensor(self.batches(step))
        place = self.batches.place(step)
        blocks = self._blocks_on_device
        if place.block not in blocks:
            if self.job.regime == "fresh":
                blocks.clear()
            # Those that come back stay: to draw one anew takes a processor longer than a GPU needs
            # for the step.
            blocks[place.block] = self._tensor(self.batches.block(place.block))
        return blocks[place.block][place.step]

    def _tensor(self, points: np.ndarray) -> Tensor:
        """The points as a tensor of the parameters' type, on their device."""
        vector = self.optimizer.vector
        tensor = torch.from_numpy(points)
        if vector.is_cuda:
            # A GPU takes them from such memory while it computes.
            tensor = tensor.pin_memory()
        return tensor.to(vector.device, vector.dtype, non_blocking=True)

    def _parts(self, sets: Tensor) -> Sequence[Tensor]:
        """The parts of sets (R, d, n, B) that go through the network together."""
        return sets.split(self.job.sets_at_once(self.device), dim=-1)

    def errors(self, x: Tensor) -> Tensor:
        """Squared error of each set, (R, B): summed over coordinates, averaged over points."""
        with torch.no_grad():
            targets = farthest_points(x)
        missed = transformer(self.job, self.tensors, x) - targets
        return (missed * missed).sum(1).mean(1)

    def gradient(self, batch: Tensor) -> Tensor:
        """The gradient of all runs' mean errors on a batch, in the shape of the vector."""
        sets = batch.shape[-1]
        first, *others = self._parts(batch)
        gradient = self._gradient_of_part(first, sets)
        for part in others:
            gradient.add_(self._gradient_of_part(part, sets))
        return gradient

    def _gradient_of_part(self, part: Tensor, sets: int) -> Tensor:
        """The part of the gradient that a part of a batch of so many sets adds; its losses are
        added to the epoch's sum."""
        losses = self.errors(part).sum(1) / sets
        gradient = self.derivative(losses)
        self.running["epoch_sum"] += losses.detach()
        return gradient

    def advance(self, batch: Tensor) -> None:
        """Do one step, and record the shares before it, and after an epoch the curves."""
        if self.job.warm_start and self.step == 0:
            self._start_warm()
        if self.job.has_shares(self.step):
            self.history["shares"].append(self.shares())
        super().advance(batch)
        if self.step % EPOCH == 0:
            epoch_sum = self.running["epoch_sum"]
            self.history["train"].append((epoch_sum / EPOCH).tolist())
            if self.job.is_scored(self.step // EPOCH):
                self.history["test"].append(self.score(blocks=1).error.tolist())
            epoch_sum.zero_()

    @torch.no_grad()
    def score(self, blocks: int | None = None) -> MeanErrors:
        """The mean errors of the runs on so many blocks of held-out sets, on all of them if
        None."""
        errors = []
        for block in islice(held_out_sets(self.job), blocks):
            for part in self._parts(self._tensor(block)):
                errors.append(self.errors(part).double().cpu().numpy())
        return MeanErrors.of(np.concatenate(errors, axis=1))

    @torch.no_grad()
    def shares(self) -> list[list[list[float]]]:
        """By layer, the share of its output that depends on the set and the norm of it, each a list
        over runs."""
        streams: list[Tensor] = []
        sets = next(held_out_sets(self.job))[..., :SHARE_SETS]
        transformer(self.job, self.tensors, self._tensor(sets), streams)
        return [share_and_norm(stream).tolist() for stream in streams]

    @torch.no_grad()
    def _start_warm(self) -> None:
        """Begin with the weights of a network without an encoding, trained first."""
        vector = self.optimizer.vector
        before = Transformers(self.job.before_warm_start(), self.device, vector.dtype)
        with torch.enable_grad():
            before.train()
        embed_parameters(before.tensors, self.tensors)

    def attention_score(self) -> MeanErrors:
        """The mean errors of the runs if an affine map stands in place of all that follows the last
        layer's attention: how much of the error is the attention's.

        The map is the best on every second held-out set; the error is that on the others. In
        float64.
        """
        fit = AffineFit(len(self.job.seeds))
        for attended, targets in self._attended():
            fit.add(attended[..., ::2], targets[..., ::2])
        maps = fit.best_maps(self.job.model_dimension)
        errors = []
        for attended, targets in self._attended():
            missed = mapped_inputs(maps, attended[..., 1::2]) - targets[..., 1::2]
            squares = (missed**2).sum(axis=1)
            errors.append(squares.mean(axis=1))
        return MeanErrors.of(np.concatenate(errors, axis=1))

    @torch.no_grad()
    def _attended(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The outputs of the last layer's attention on the held-out sets, (R, D, n, B), and the
        targets, (R, d, n, B), block by block."""
        for block in held_out_sets(self.job):
            inputs = []
            targets = []
            for part in self._parts(self._tensor(block)):
                attended: list[Tensor] = []
                transformer(self.job, self.tensors, part, attended_streams=attended)
                inputs.append(attended[-1].double().cpu())
                targets.append(farthest_points(part).double().cpu())
            yield torch.cat(inputs, 3).numpy(), torch.cat(targets, 3).numpy()

    def table(self) -> pa.Table:
        """The table of the cell, a row a run: held-out errors, curves, shares and learned heads."""
        final = self.score()
        scores = {
            "test_error": final.error.tolist(),
            "test_se": final.standard_error.tolist(),
        }
        if self.job.layers == 1:
            of_attention = self.attention_score()
            scores["attention_error"] = of_attention.error.tolist()
            scores["attention_se"] = of_attention.standard_error.tolist()
        return cell_table(
            self.job,
            train=self.history["train"],
            test=self.history["test"],
            shares=self.history["shares"],
            scores=scores,
            heads=learned_heads(self.job, self.tensors),
        )


class AffineFit:
    """The affine maps of least squared error, one for each run, of data that is added in parts.

    All that is kept is the triangular factor of the rows (inputs, 1, targets): what least squares
    on all rows would give follows from it, with as many digits.
    """

    def __init__(self, runs: int):
        self._factors = [np.zeros((0, 0)) for _ in range(runs)]

    def add(self, inputs: np.ndarray, targets: np.ndarray) -> None:
        """Add inputs (R, D, n, B), and the targets (R, d, n, B) that they should be mapped to."""
        for run, (x, y) in enumerate(zip(inputs, targets, strict=True)):
            columns = np.concatenate([x, np.ones_like(x[:1]), y])
            rows = columns.reshape(len(columns), -1).T
            factor = self._factors[run].reshape(-1, len(columns))
            # mode="r" gives the triangular factor alone, which its type does not say.
            self._factors[run] = np.asarray(np.linalg.qr(np.concatenate([factor, rows]), mode="r"))

    def best_maps(self, inputs: int) -> np.ndarray:
        """The maps (R, d, D + 1) from so many inputs, D, the constant last; of the best ones the
        smallest. Not numbers where an input was none."""
        maps = []
        for factor in self._factors:
            input_columns = factor[:, : inputs + 1]
            target_columns = factor[:, inputs + 1 :]
            if np.isfinite(factor).all():
                solution, *_ = np.linalg.lstsq(input_columns, target_columns, rcond=None)
                maps.append(solution.T)
            else:
                maps.append(np.full((target_columns.shape[1], inputs + 1), math.nan))
        return np.stack(maps)


def mapped_inputs(maps: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """The outputs (R, d, n, B) of affine maps (R, d, D + 1) for inputs (R, D, n, B)."""
    linear = maps[:, :, :-1]
    constant = maps[:, :, -1]
    runs, dimension, n, sets = inputs.shape
    mapped = linear @ inputs.reshape(runs, dimension, n * sets)
    return (mapped + constant[:, :, None]).reshape(runs, -1, n, sets)


TIMED_STEPS = 3

MOST_SECONDS = 20.0
"""For measuring, after which what is left goes by the rate that was measured last."""


def seconds_per_step(job: CellJob, device: str) -> float:
    """The seconds that a step of a cell takes on a device, measured on an ensemble that is thrown
    away."""
    ensemble = Transformers(job, device)
    ensemble.advance(ensemble.batch(0))
    epoch_sum = ensemble.running["epoch_sum"]
    # To read a number is to wait for a GPU.
    epoch_sum.tolist()
    begin = time.perf_counter()
    for step in range(1, 1 + TIMED_STEPS):
        ensemble.advance(ensemble.batch(step))
    epoch_sum.tolist()
    return (time.perf_counter() - begin) / TIMED_STEPS


def seconds_of_training(jobs: Sequence[CellJob], device: str) -> list[float]:
    """Seconds that all steps of each cell take here, one cell at a time on a device.

    Small cells are measured first; one that is not reached in MOST_SECONDS is taken to have the
    operations per second of the last that was.
    """
    # As a cell's job has it.
    torch.set_num_threads(1)
    seconds = [0.0] * len(jobs)
    end = time.monotonic() + MOST_SECONDS
    flops_per_second = None
    for k in sorted(range(len(jobs)), key=lambda k: jobs[k].training_flops() / jobs[k].run_steps):
        job = jobs[k]
        if flops_per_second is None or time.monotonic() < end:
            seconds[k] = job.run_steps * seconds_per_step(job, device)
            flops_per_second = job.training_flops() / seconds[k]
        else:
            seconds[k] = job.training_flops() / flops_per_second
    return seconds


def run(job: CellJob, output: Path, checkpoint: Path | None = None) -> None:
    train_and_write(Transformers(job, device_kind()), __name__, output, checkpoint)
