"""Training of an ensemble: the farthest-point task, AdamW, scores on sets never trained on."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from attention_separation.results.progress import Progress
from attention_separation.statistics.seeding import stream
from attention_separation.training.adam import Adam
from attention_separation.training.job import keep_memory

from ..settings.cells import EPOCH, CellJob
from .batches import Batches, held_out, held_out_blocks, initial_names
from .transformer import Parameters, grouped, initial, is_by_rows, pair_products, transformer


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


TIMED_STEPS = 3

BETAS = (0.9, 0.95)
"""Of AdamW."""


@dataclass
class State:
    """An ensemble in training; `tensors` are views of the optimizer's vector."""

    step: int
    tensors: list[Tensor]
    optimizer: Adam
    epoch_sum: Tensor
    train: list[list[float]] = field(default_factory=list)
    test: list[list[float]] = field(default_factory=list)

    def saved(self) -> dict[str, np.ndarray]:
        """All that training goes on from."""
        numbers = {"step": self.step, "train": self.train, "test": self.test}
        arrays = {name: array.cpu().numpy() for name, array in self._arrays().items()}
        return arrays | {name: np.array(value) for name, value in numbers.items()}

    def restore(self, saved: dict[str, np.ndarray]) -> None:
        """Go on from what `saved` gave."""
        for name, array in self._arrays().items():
            array.copy_(torch.from_numpy(saved[name]))
        self.step = int(saved["step"])
        self.train, self.test = saved["train"].tolist(), saved["test"].tolist()

    def _arrays(self) -> dict[str, Tensor]:
        of = self.optimizer
        return {
            "vector": of.vector,
            "first": of.first,
            "second": of.second,
            "epoch_sum": self.epoch_sum,
        }


@dataclass(frozen=True)
class Trained:
    """What training gave: per run (R,), per epoch and run (epochs, R)."""

    parameters: Parameters
    train: np.ndarray
    test: np.ndarray
    test_error: np.ndarray
    test_se: np.ndarray


def start(job: CellJob, device: str = "cpu", dtype: torch.dtype = torch.float32) -> State:
    """The ensemble before its first step, each run's values from its own stream."""
    keep_memory()
    runs = [initial(job, stream(job.seed, *initial_names(job, run))) for run in job.seeds]
    values = [np.stack(arrays) for arrays in zip(*runs, strict=True)]
    flat = np.concatenate([array.ravel() for array in values])
    vector = torch.from_numpy(flat).to(device, dtype)
    parts = vector.split([array.size for array in values])
    tensors = [
        part.view(array.shape).requires_grad_() for part, array in zip(parts, values, strict=True)
    ]
    epoch_sum = torch.zeros(len(runs), dtype=torch.float64, device=device)
    return State(0, tensors, Adam(vector, BETAS), epoch_sum)


def farthest(x: Tensor) -> Tensor:
    """For each point of x, (R, d, n, B), the point of its set farthest from it."""
    _, d, n, _ = x.shape
    products = pair_products(x, x) if is_by_rows(n, d) else torch.einsum("rdib,rdjb->rijb", x, x)
    # torch's argmin takes ten times as long over an axis that is not the last.
    chosen = products.min(2, keepdim=True).indices.transpose(1, 2)
    return x.gather(2, chosen.expand(-1, d, -1, -1))


def set_errors(job: CellJob, parameters: Parameters, x: Tensor) -> Tensor:
    """Squared error of each set, (R, B): summed over coordinates, averaged over points."""
    with torch.no_grad():
        wanted = farthest(x)
    missed = transformer(job, parameters, x) - wanted
    return (missed * missed).sum(1).mean(1)


def advance(job: CellJob, state: State, x: Tensor) -> None:
    """One step: each run's own loss moves its own parameters alone."""
    parameters, flat = grouped(job, state.tensors), None
    for part in x.split(job.sets_at_once(), dim=-1):
        losses = set_errors(job, parameters, part).sum(1) / x.shape[-1]
        gradients = torch.autograd.grad(losses.sum(), state.tensors)
        more = torch.cat([gradient.reshape(-1) for gradient in gradients])
        flat = more if flat is None else flat.add_(more)
        state.epoch_sum += losses.detach()
    state.optimizer.step(flat, rate(job, state.step), state.step + 1)
    state.step += 1


@torch.no_grad()
def score(job: CellJob, state: State, blocks: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean error of each run on so many blocks of held-out sets, and its standard error."""
    parameters, errors = grouped(job, state.tensors), []
    together = job.sets_at_once()
    for block in range(blocks):
        sets = held_out(job, block)
        for first in range(0, sets.shape[-1], together):
            x = _tensor(sets[..., first : first + together], state)
            errors.append(set_errors(job, parameters, x).double().cpu().numpy())
    of_sets = np.concatenate(errors, axis=1)
    return of_sets.mean(1), of_sets.std(1, ddof=1) / np.sqrt(of_sets.shape[1])


def _tensor(points: np.ndarray, state: State) -> Tensor:
    like = state.tensors[0]
    return torch.from_numpy(np.ascontiguousarray(points)).to(like.device, like.dtype)


def seconds_per_step(job: CellJob, device: str) -> float:
    """Measured on steps of an ensemble that is thrown away."""
    state, batches = start(job, device), Batches(job)
    advance(job, state, _tensor(batches(0), state))
    begin = time.perf_counter()
    for step in range(1, 1 + TIMED_STEPS):
        advance(job, state, _tensor(batches(step), state))
    state.epoch_sum.tolist()
    return (time.perf_counter() - begin) / TIMED_STEPS


def train(
    job: CellJob,
    state: State,
    save: Callable[[State], None] | None = None,
) -> Trained:
    """Train from `state` to the last step; `save` is called every `checkpoint_every` steps."""
    batches = Batches(job, ahead=state.tensors[0].device.type != "cpu")
    progress = Progress(job.name, job.steps - state.step, "steps")
    while state.step < job.steps:
        advance(job, state, _tensor(batches(state.step), state))
        progress.advance()
        if state.step % EPOCH == 0:
            state.train.append((state.epoch_sum / EPOCH).tolist())
            state.test.append(score(job, state, blocks=1)[0].tolist())
            state.epoch_sum.zero_()
        if save and state.step % job.checkpoint_every == 0 and state.step < job.steps:
            save(state)
    error, standard_error = score(job, state, held_out_blocks(job))
    tensors = [tensor.detach().cpu() for tensor in state.tensors]
    return Trained(
        grouped(job, tensors), np.array(state.train), np.array(state.test), error, standard_error
    )
