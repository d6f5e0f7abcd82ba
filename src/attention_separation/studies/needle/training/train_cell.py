"""Train the runs of one cell with logistic loss, as a table with one row per run."""

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from ....attention.kernel import Kernel
from ....settings.kernel_values import kernel_of
from ....statistics.seeding import stream
from ....training.captured_step import on_device
from ....training.drawing_ahead import DrawnAhead
from ....training.ensemble import Ensemble
from ....training.job import device_kind, train_and_write
from ..settings.cells import IN_STREAMS, NeedleCell
from .batches import Batch, batch_at, held_out
from .cells_table import cell_table
from .networks import NETWORKS

WARM_UP = 50
"""Steps in which the rate rises to its highest."""

MOST_NORM = 1.0
"""Of a run's gradient: a longer one is shortened to it."""

MOMENTUM = 0.1
"""Share of a batch in running means and variances, those of evaluation."""

LOSSES_KEPT = 50
"""Steps at the end whose mean loss the table has."""

BATCH_NORM_EPSILON = 1e-12


def rate(job: NeedleCell, step: int) -> float:
    """Learning rate of a step, counted from 0: a warm-up, times the root of what is left."""
    return job.lr * min(1.0, (step + 1) / WARM_UP) * math.sqrt(1 - step / job.steps)


class NeedleNetworks(Ensemble):
    """The networks of a cell, each run's initial values from its own stream; parameters (R, P).

    Beside these, training goes on from running means and variances, and from the last losses, a row
    for each of LOSSES_KEPT steps: those before the first are 0.
    """

    betas = (0.9, 0.99)

    def __init__(
        self,
        job: NeedleCell,
        kernel: Kernel | None,
        dtype: torch.dtype = torch.float32,
        device: str = "cpu",
    ):
        self.network = NETWORKS[job.arm](job, kernel)
        names = (job.seed, "needle", "initial", IN_STREAMS[job.arm])
        runs = [self.network.initial(stream(*names, f"run={run}")) for run in job.seeds]
        rows = [np.concatenate([array.ravel() for array in run.values()]) for run in runs]
        matrix = torch.from_numpy(np.stack(rows)).to(device, dtype)
        super().__init__(job, matrix, [array.shape for array in runs[0].values()])
        shape = (len(runs), self.network.numbers)
        self.running = {
            "mean": matrix.new_zeros(shape),
            "variance": matrix.new_ones(shape),
            "losses": matrix.new_zeros(LOSSES_KEPT, len(runs)),
        }
        self._draw: Callable[[int], Batch] = partial(batch_at, job)
        if matrix.is_cuda:
            self._draw = DrawnAhead(self._draw, job.steps)
        self.parameters = dict(zip(runs[0], self.tensors, strict=True))

    def rate(self, step: int) -> float:
        return rate(self.job, step)

    def batch(self, step: int) -> Batch:
        return self._draw(step)

    def logits(self, batch: Batch, is_training: bool) -> Tensor:
        """The networks' outputs (R, B) on a batch, whose sign says D1.

        Numbers are standardised by the batch's own means and variances (R, k) in training, which
        the running ones then follow, else by the running ones.
        """
        numbers = self.network.attended(self.parameters, batch)
        if self.job.standardise:
            numbers = self._standardised(numbers, is_training)
        return self.network.read(self.parameters, numbers)

    def _standardised(self, numbers: Tensor, is_training: bool) -> Tensor:
        """Numbers (R, k, ...) less their means, over their standard deviations: the batch's in
        training, else the running ones."""
        mean = self.running["mean"]
        variance = self.running["variance"]
        if is_training:
            axes = tuple(range(2, numbers.dim()))
            variance, mean = torch.var_mean(numbers, axes, correction=0)
            with torch.no_grad():
                self.running["mean"].lerp_(mean, MOMENTUM)
                self.running["variance"].lerp_(variance, MOMENTUM)
        shape = (*mean.shape, *[1] * (numbers.dim() - 2))
        return (numbers - mean.view(shape)) * (variance.view(shape) + BATCH_NORM_EPSILON).rsqrt()

    def gradient(self, batch: Batch) -> Tensor:
        """The gradient of each run's mean loss over a batch, (R, P), no longer than MOST_NORM; its
        losses join the last ones."""
        logits = self.logits(batch, is_training=True)
        labels = batch.labels.expand_as(logits)
        losses = binary_cross_entropy_with_logits(logits, labels, reduction="none").mean(1)
        gradient = self.derivative(losses)
        last_losses = self.running["losses"]
        last_losses.copy_(torch.cat([last_losses[1:], losses.detach().unsqueeze(0)]))
        norms = torch.linalg.vector_norm(gradient, dim=1, keepdim=True)
        return gradient * (MOST_NORM / norms).clamp(max=1.0)

    @torch.no_grad()
    def count_correct(self) -> list[int]:
        """The number of held-out sequences on which each run is right; an output that is no finite
        number is not."""
        device = self.optimizer.vector.device
        correct = torch.zeros(len(self.job.seeds), dtype=torch.int64, device=device)
        for drawn in held_out(self.job):
            batch = on_device(device, drawn)
            logits = self.logits(batch, is_training=False)
            is_right = (logits > 0) == (batch.labels > 0)
            correct += is_right.logical_and(logits.isfinite()).sum(1)
        return correct.tolist()

    def table(self) -> pa.Table:
        """The table of the cell, a row a run: held-out accuracy, last losses, learned scale and
        sink."""
        last_losses = self.running["losses"][-self.step :].cpu().double().numpy()
        losses = np.mean(last_losses, axis=0).tolist()
        learned = {name: values.flatten().tolist() for name, values in self.parameters.items()}
        count = self.optimizer.vector.shape[1]
        return cell_table(self.job, count, self.count_correct(), losses, learned)


def run(job: NeedleCell, output: Path, checkpoint: Path | None = None) -> None:
    kernel = kernel_of(job.map.kernel, job.own) if job.map.kernel else None
    networks = NeedleNetworks(job, kernel, device=device_kind())
    train_and_write(networks, __name__, output, checkpoint)
