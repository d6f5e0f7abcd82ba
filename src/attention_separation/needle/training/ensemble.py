"""Training of an ensemble: logistic loss, Adam, and accuracies on sequences never trained on."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from attention_separation.attention.kernel import Kernel
from attention_separation.results.progress import Progress
from attention_separation.statistics.seeding import stream
from attention_separation.training.adam import Adam
from attention_separation.training.job import keep_memory

from ..settings.cells import IN_STREAMS, NeedleCell
from .batches import batch_at, held_out, held_out_blocks
from .networks import Network, Parameters, network_of

BETAS = (0.9, 0.99)
WARM_UP = 50
"""Steps in which the rate rises to its highest."""

MOST_NORM = 1.0
"""Of a run's gradient: a longer one is shortened to it."""

MOMENTUM = 0.1
"""Share of a batch in running means and variances, those of evaluation."""

LAST = 50
"""Steps at the end whose mean loss is told."""

EPS = 1e-12


@dataclass
class State:
    """An ensemble in training; `parameters` are views of the optimizer's matrix (R, P)."""

    network: Network
    optimizer: Adam
    shapes: dict[str, tuple[int, ...]]
    mean: Tensor
    variance: Tensor
    step: int = 0
    losses: list[list[float]] = field(default_factory=list)

    @property
    def parameters(self) -> Parameters:
        """By name, (R, ...)."""
        matrix = self.optimizer.vector
        parts = matrix.split([math.prod(shape) for shape in self.shapes.values()], dim=1)
        return {
            name: part.unflatten(1, shape)
            for part, (name, shape) in zip(parts, self.shapes.items(), strict=True)
        }

    def saved(self) -> dict[str, np.ndarray]:
        """All that training goes on from."""
        arrays = {name: array.detach().numpy() for name, array in self._arrays().items()}
        return arrays | {"step": np.array(self.step), "losses": np.array(self.losses)}

    @torch.no_grad()
    def restore(self, saved: dict[str, np.ndarray]) -> None:
        """Go on from what `saved` gave."""
        for name, array in self._arrays().items():
            array.copy_(torch.from_numpy(saved[name]))
        self.step, self.losses = int(saved["step"]), saved["losses"].tolist()

    def _arrays(self) -> dict[str, Tensor]:
        of = self.optimizer
        return {
            "vector": of.vector, "first": of.first, "second": of.second, "mean": self.mean,
            "variance": self.variance,
        }  # fmt: skip


@dataclass(frozen=True)
class Trained:
    """What training gave: of each run the held-out sequences that it is right on, (R,), and its
    mean training loss at the end."""

    correct: np.ndarray
    train_loss: np.ndarray


def start(job: NeedleCell, kernel: Kernel | None, dtype: torch.dtype = torch.float32) -> State:
    """The ensemble before its first step, each run's values from its own stream."""
    keep_memory()
    network = network_of(job, kernel)
    runs = [
        network.initial(stream(job.seed, "needle", "initial", IN_STREAMS[job.arm], f"run={run}"))
        for run in job.seeds
    ]
    rows = [np.concatenate([array.ravel() for array in run.values()]) for run in runs]
    matrix = torch.from_numpy(np.stack(rows)).to(dtype).requires_grad_()
    shapes = {name: array.shape for name, array in runs[0].items()}
    numbers = (len(runs), network.numbers)
    optimizer = Adam(matrix.detach().requires_grad_(), BETAS)
    return State(
        network, optimizer, shapes, torch.zeros(numbers, dtype=dtype),
        torch.ones(numbers, dtype=dtype),
    )  # fmt: skip


def rate(job: NeedleCell, step: int) -> float:
    """Learning rate of a step, counted from 0: a warm-up, times the root of what is left."""
    return job.lr * min(1.0, (step + 1) / WARM_UP) * math.sqrt(1 - step / job.steps)


def logits(job: NeedleCell, state: State, batch, moments: tuple[Tensor, Tensor] | None) -> Tensor:
    """Outputs (R, B), with given means and variances (R, k); with None, those of the batch, which
    the running ones then follow."""
    parameters = state.parameters
    numbers = state.network.attended(parameters, batch)
    if job.standardise:
        if moments is None:
            axes = tuple(range(2, numbers.dim()))
            variance, mean = torch.var_mean(numbers, axes, correction=0)
            with torch.no_grad():
                state.mean.lerp_(mean, MOMENTUM)
                state.variance.lerp_(variance, MOMENTUM)
            moments = mean, variance
        mean, variance = (each.view(*each.shape, *[1] * (numbers.dim() - 2)) for each in moments)
        numbers = (numbers - mean) * (variance + EPS).rsqrt()
    return state.network.read(parameters, numbers)


def advance(job: NeedleCell, state: State, batch) -> None:
    """One step: each run's own loss moves its own parameters alone."""
    found = logits(job, state, batch, None)
    wanted = batch.labels.to(found.dtype).expand_as(found)
    losses = binary_cross_entropy_with_logits(found, wanted, reduction="none").mean(1)
    matrix = state.optimizer.vector
    (gradient,) = torch.autograd.grad(losses.sum(), matrix)
    norms = torch.linalg.vector_norm(gradient, dim=1, keepdim=True)
    with torch.no_grad():
        gradient = gradient * (MOST_NORM / norms).clamp(max=1.0)
        state.optimizer.step(gradient, rate(job, state.step), state.step + 1)
    state.step += 1
    state.losses = [*state.losses[1 - LAST :], losses.tolist()]


@torch.no_grad()
def count_correct(job: NeedleCell, state: State) -> np.ndarray:
    """Of each run, the held-out sequences that it tells, (R,); what is no number tells none."""
    correct = torch.zeros(len(job.seeds), dtype=torch.int64)
    for block in range(held_out_blocks(job)):
        batch = _as(held_out(job, block), state)
        found = logits(job, state, batch, (state.mean, state.variance))
        correct += ((found > 0) == (batch.labels > 0)).logical_and(found.isfinite()).sum(1)
    return correct.numpy()


def train(
    job: NeedleCell, state: State, save: Callable[[State], None] | None = None
) -> Trained:  # fmt: skip
    """Train from `state` to the last step; `save` is called every `checkpoint_every` steps."""
    progress = Progress(job.name, job.steps - state.step, "steps")
    while state.step < job.steps:
        advance(job, state, _as(batch_at(job, state.step), state))
        progress.advance()
        if save and state.step % job.checkpoint_every == 0 and state.step < job.steps:
            save(state)
    return Trained(count_correct(job, state), np.mean(state.losses, axis=0))


def _as(batch, state: State):
    """The batch in the precision of the parameters."""
    dtype = state.optimizer.vector.dtype
    return type(batch)(*(each.to(dtype) if each.is_floating_point() else each for each in batch))
