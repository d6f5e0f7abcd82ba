"""A step of training captured on a GPU: its kernels are recorded once, as a CUDA graph, and then
launched together, for launching them one by one takes longer than they compute.

A replay reads and writes the memory that the capture did. So a step that is captured takes its
batch from one place, which each new batch is copied to; what changes from step to step lies in
tensors; and all that it changes are tensors, its `state`, changed in place.
"""

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import torch
from torch import Tensor

WARM_UP_STEPS = 3
"""Before the capture, in which libraries choose their kernels and take their memory."""

WAITS = "synchronizing CUDA operation"
"""What torch says of an operation for which the processor waits, which no graph can hold."""

Batch = TypeVar("Batch")
"""A tensor, or a named tuple of tensors."""

Step = Callable[[Any], None]
"""Of a batch."""


class CapturedStep:
    """A step on a GPU, replayed for each batch; the first batch is what it is captured with.

    Its graph is captured on a stream of its own: kernels of cuBLAS have a workspace for each stream
    that they are captured on, and two graphs replayed at once spoil each other's numbers in one
    that they share. torch has 32 streams.

    A step that waits for the processor is not captured but launched each time, and that is said.

    Parameters
    ----------
    state : all tensors that a step changes; capturing leaves their numbers as they are
    """

    def __init__(self, step: Step, batch: Any, state: Sequence[Tensor]):
        device = state[0].device
        self._batch = on_device(device, batch, is_copy=True)
        self._graph: torch.cuda.CUDAGraph | None = None
        self._launched_step: Step | None = None
        stream = torch.cuda.Stream(device)
        with put_back(state):
            if can_be_captured(step, self._batch, stream):
                # Without the step itself, which may be an ensemble's that this one belongs to.
                self._graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(self._graph, stream=stream):
                    step(self._batch)
            else:
                self._launched_step = step
                print("a step waits for the processor: it is not captured", file=sys.stderr)

    def __call__(self, batch: Any) -> None:
        """Do the step on a batch, by the graph or, where there is none, by launching it."""
        for here, new in zip(tensors_of(self._batch), tensors_of(batch), strict=True):
            here.copy_(new, non_blocking=True)
        if self._graph is not None:
            self._graph.replay()
        elif self._launched_step is not None:
            self._launched_step(self._batch)


def tensors_of(batch: Any) -> tuple[Tensor, ...]:
    """The tensors of a batch, which is one itself or a tuple of them."""
    return (batch,) if isinstance(batch, Tensor) else tuple(batch)


def on_device(device: torch.device, batch: Batch, is_copy: bool = False) -> Batch:
    """A batch on a device; itself if it is there, unless it is to be a copy."""
    if isinstance(batch, Tensor):
        return batch.to(device, copy=is_copy)
    tensors = [tensor.to(device, copy=is_copy) for tensor in tensors_of(batch)]
    return type(batch)(*tensors)


@contextmanager
def put_back(state: Sequence[Tensor]) -> Iterator[None]:
    """Gives tensors the numbers again that they had, whatever happens meanwhile."""
    numbers = [tensor.clone() for tensor in state]
    try:
        yield
    finally:
        for tensor, numbers_before in zip(state, numbers, strict=True):
            tensor.copy_(numbers_before)


def can_be_captured(step: Step, batch: Any, stream: torch.cuda.Stream) -> bool:
    """Whether a step never waits for the processor, found in the steps before a capture; these
    change its state."""
    stream.wait_stream(torch.cuda.current_stream(stream.device))
    try:
        with torch.cuda.stream(stream), _waiting_is_an_error():
            for _ in range(WARM_UP_STEPS):
                step(batch)
    except RuntimeError as error:
        if WAITS not in str(error):
            raise
        return False
    finally:
        torch.cuda.synchronize(stream.device)
    return True


@contextmanager
def _waiting_is_an_error() -> Iterator[None]:
    """torch raises RuntimeError where the processor would wait for the GPU."""
    mode = torch.cuda.get_sync_debug_mode()
    with warnings.catch_warnings():
        # That torch does not find every such operation: a capture fails with the others.
        warnings.simplefilter("ignore")
        torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode(mode)
