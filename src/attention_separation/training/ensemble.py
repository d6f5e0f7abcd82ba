"""An ensemble of runs in training: its parameters, their optimizer, what it goes on from.

A *run* is one network with initial values of its own. All runs of a *cell*, a setting of data,
architecture and training, are trained at once.
"""

import ctypes
import math
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from ..messages.progress import Progress
from .captured_step import CapturedStep

M_TRIM_THRESHOLD = -1
M_MMAP_THRESHOLD = -3
"""Options of glibc's mallopt, as in malloc.h."""

ADAM_EPSILON = 1e-8


def keep_memory() -> None:
    """Have freed memory kept by the process, where its C library can: each step needs it again.

    Pages given back and taken anew are zeroed first, which can take longer than what a step
    computes on them.
    """
    if sys.platform != "linux":
        return
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):
        # The largest values that it takes: arrays of up to 32 MiB, any amount freed.
        library.mallopt(M_MMAP_THRESHOLD, 2**25)
        library.mallopt(M_TRIM_THRESHOLD, 2**31 - 1)


def compute_exactly() -> None:
    """Have products on a GPU summed in a fixed order, and in float32, whatever the environment says
    of TF32."""
    # cuBLAS reads it when it starts. The other operations of training have a fixed order; torch's
    # own check for that would take longer to load than a short cell.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.set_float32_matmul_precision("highest")


class Adam:
    """AdamW without weight decay, of a tensor of parameters; a step changes the tensor in place.

    What steps differ in lies in tensors beside the parameters, for a step that is captured on a
    GPU. torch.optim has it too, but loads torch's compiler first, which takes longer than a short
    cell.

    `betas` : decay of the mean of gradients, `first`, and of their mean square, `second`
    """

    def __init__(self, vector: Tensor, betas: tuple[float, float]):
        self.vector = vector
        self.betas = betas
        self.first = torch.zeros_like(vector)
        self.second = torch.zeros_like(vector)
        self._factor = vector.new_zeros(())
        self._root_of_weights = vector.new_zeros(())

    def begin_step(self, lr: float, number: int) -> None:
        """Set the rate `lr` for the step of this number, counted from 1."""
        beta_mean, beta_square = self.betas
        # Both means began at 0, which the powers of the decays make up for.
        self._factor.fill_(-lr / (1 - beta_mean**number))
        self._root_of_weights.fill_((1 - beta_square**number) ** 0.5)

    def step(self, gradient: Tensor) -> None:
        """Move the parameters against their gradient, by the step that was begun."""
        beta_mean, beta_square = self.betas
        self.first.lerp_(gradient, 1 - beta_mean)
        self.second.mul_(beta_square).addcmul_(gradient, gradient, value=1 - beta_square)
        size = self.second.sqrt().div_(self._root_of_weights).add_(ADAM_EPSILON)
        self.vector.addcdiv_(self.first * self._factor, size)


class Ensemble(ABC):
    """All runs of a cell, trained together: each run's own loss moves its own parameters alone.

    A study says what its parameters are, of what they have a gradient, and at which rate they move.

    Parameters
    ----------
    job : settings of the cell
    vector : the parameters of all runs; along its last axis those of `shapes`, one after another

    Attributes
    ----------
    step : number of steps done
    last_step : number of steps to do
    tensors : views of the parameters, of these shapes
    running, history : tensors, and lists of an entry per step or epoch, by name, that training goes
        on from too; a gradient changes the tensors alone, and in place
    is_captured : whether steps are captured and replayed, as they are on a GPU
    """

    betas: ClassVar[tuple[float, float]]
    """Of AdamW."""

    def __init__(self, job: Any, vector: Tensor, shapes: Sequence[tuple[int, ...]]):
        keep_memory()
        self.job = job
        self.step = 0
        self.last_step = job.steps
        self.optimizer = Adam(vector, self.betas)
        sizes = [math.prod(shape) for shape in shapes]
        parts = vector.split(sizes, dim=-1)
        self.tensors = [
            part.unflatten(-1, shape).requires_grad_()
            for part, shape in zip(parts, shapes, strict=True)
        ]
        self.running: dict[str, Tensor] = {}
        self.history: dict[str, list[Any]] = {}
        self.is_captured = vector.is_cuda
        self._captured_step: CapturedStep | None = None
        if vector.is_cuda:
            compute_exactly()

    @abstractmethod
    def rate(self, step: int) -> float:
        """Learning rate of a step, counted from 0."""

    @abstractmethod
    def batch(self, step: int) -> Any:
        """The training batch of a step, counted from 0."""

    @abstractmethod
    def gradient(self, batch: Any) -> Tensor:
        """The gradient of each run's loss by its parameters, in the shape of the vector."""

    @abstractmethod
    def table(self) -> pa.Table:
        """What training gave, with a row per run."""

    def derivative(self, losses: Tensor) -> Tensor:
        """The gradient of the sum of losses by the parameters, in the shape of the vector."""
        gradients = torch.autograd.grad(losses.sum(), self.tensors, materialize_grads=True)
        runs = self.optimizer.vector.shape[:-1]
        return torch.cat([gradient.reshape(*runs, -1) for gradient in gradients], -1)

    def advance(self, batch: Any) -> None:
        """Do one step of training on a batch: replayed where steps are captured."""
        self.optimizer.begin_step(lr=self.rate(self.step), number=self.step + 1)
        if not self.is_captured:
            self._move(batch)
        else:
            if self._captured_step is None:
                state = list(self._arrays().values())
                self._captured_step = CapturedStep(self._move, batch, state)
            self._captured_step(batch)
        self.step += 1

    def _move(self, batch: Any) -> None:
        """Change the parameters, and all else that a gradient changes, by a batch."""
        self.optimizer.step(self.gradient(batch))

    def train(self, save: Callable[[Self], None] | None = None) -> None:
        """Train to the last step; `save` is called every `checkpoint_every` steps."""
        job = self.job
        progress = Progress(job.name, self.last_step - self.step, "steps")
        while self.step < self.last_step:
            self.advance(self.batch(self.step))
            progress.advance()
            if save and self.step % job.checkpoint_every == 0 and self.step < self.last_step:
                save(self)

    def saved(self) -> dict[str, np.ndarray]:
        """All that training goes on from, by name: parameters, the optimizer's means, `running`,
        the step, and `history`."""
        arrays = {name: array.cpu().numpy() for name, array in self._arrays().items()}
        history = {name: np.array(entries) for name, entries in self.history.items()}
        return arrays | {"step": np.array(self.step)} | history

    def restore(self, saved: dict[str, np.ndarray]) -> None:
        """Go on from what `saved` gave."""
        for name, array in self._arrays().items():
            array.copy_(torch.from_numpy(saved[name]))
        self.step = int(saved["step"])
        self.history = {name: saved[name].tolist() for name in self.history}

    def _arrays(self) -> dict[str, Tensor]:
        """The tensors that a step changes in place, by name: parameters, the optimizer's means, and
        `running`."""
        optimizer = self.optimizer
        return {
            "vector": optimizer.vector,
            "first": optimizer.first,
            "second": optimizer.second,
            **self.running,
        }
