"""A job that trains: its options, PyTorch and memory made ready, the checkpoint to go on from.

Training resumed from a checkpoint gives the bits of training undisturbed. torch is imported when a
job begins: without it, its answer is one sentence.
"""

import ctypes
import os
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

import numpy as np

from attention_separation.results.files import replacing
from attention_separation.results.provenance import record
from attention_separation.settings.closed import digest

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Options of glibc's mallopt, as in malloc.h."""


def keep_memory() -> None:
    """Have freed memory kept by the process, where its C library can: each step needs it again.

    Pages given back and taken anew are zeroed first, which can take longer than what a step
    computes on them.
    """
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    if hasattr(library, "mallopt"):
        # The largest values that it takes: arrays of up to 32 MiB, any amount freed.
        library.mallopt(M_MMAP_THRESHOLD, 2**25)
        library.mallopt(M_TRIM_THRESHOLD, 2**31 - 1)


class State(Protocol):
    """What is trained: all that it goes on from, as arrays by name."""

    step: int

    def saved(self) -> dict[str, np.ndarray]: ...

    def restore(self, saved: dict[str, np.ndarray]) -> None: ...


class CheckpointError(ValueError):
    """A file is no checkpoint; the text names it."""


class Checkpoint:
    """The checkpoint of one cell, of the settings, code, torch and device in `made_with`.

    The file is NumPy's zip of arrays, whose checksums are checked when it is read.
    """

    def __init__(self, path: Path, made_with: dict[str, str]):
        self.path, self.made_with = path, made_with

    def save(self, state: State) -> None:
        """Replace the file at once."""
        with replacing(self.path) as part, part.open("wb") as file:
            np.savez(file, **state.saved(), **self._labels())

    def resume(self, state: State) -> None:
        """Bring a fresh state to where the file left off; without a file, leave it.

        A checkpoint of other settings or code is passed over, and said so: it is of no use, and
        the next one replaces it.

        Raises
        ------
        CheckpointError
            If the file is no checkpoint or is damaged: it may be something else of the user's.
        """
        if not self.path.exists():
            return
        labels = self._labels()
        try:
            with self.path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                found = dict(arrays)
            other = [name for name, label in labels.items() if found.pop(name) != label]
        except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile) as error:
            raise CheckpointError(
                f"{self.path}: no checkpoint that can be read; remove the file and run again"
            ) from error
        if other:
            kinds = " and ".join(name.removeprefix("made_with_") for name in sorted(other))
            text = f"made with other {kinds}; starting anew"
        else:
            state.restore(found)
            text = f"going on after step {state.step}"
        print(f"{self.path}: {text}", file=sys.stderr)

    def remove(self) -> None:
        """Once the result is there."""
        self.path.unlink(missing_ok=True)

    def _labels(self) -> dict[str, np.ndarray]:
        return {f"made_with_{name}": np.array(text) for name, text in self.made_with.items()}


BESIDE = Path("checkpoints")

KEPT = ("code", "torch", "device")
"""What of a result's metadata a checkpoint must have been made with."""


def device_kind() -> str:
    """`cuda` where there is a GPU, else `cpu`."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


@dataclass(frozen=True)
class Options:
    """Those of every job that trains.

    `output` : parquet file to write
    `checkpoint` : file to save to and go on from, removed at the end; without a name beside the
        folder of the output
    `threads` : of torch; other numbers than 1 may move last bits
    """

    output: Path
    checkpoint: Path | None
    threads: int


@dataclass(frozen=True)
class Job:
    """A call of a job, with torch ready.

    `device` : where to train
    `metadata` : of the table that it writes
    `checkpoint` : None where none is asked for
    """

    device: str
    metadata: dict[str, str]
    checkpoint: Checkpoint | None

    @classmethod
    def begin(
        cls, options: Options, settings: str, of_result: str, seed: int, module: str,
        on: Callable[[], str] = device_kind,
    ) -> Self:  # fmt: skip
        """A call of the job of `module`; its settings, and those that its numbers depend on.

        Raises
        ------
        ValueError
            Without PyTorch, or if there are to be no threads.
        """
        if options.threads < 1:
            raise ValueError(f"--threads {options.threads}: allowed: 1 or more")
        # cuBLAS reads it when it starts: its sums have a fixed order then. The other operations of
        # training have one; torch's own check for that would take longer to load than a short cell.
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        try:
            import torch
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            raise ValueError("this needs PyTorch, which `make setup-rank` installs") from error
        torch.set_num_threads(options.threads)
        metadata = record(settings, module) | {
            "seed": str(seed),
            "torch": str(torch.__version__),
            "device": on(),
        }
        checkpoint = None
        path = options.checkpoint
        if path is not None:
            if path == Path():
                path = options.output.parents[1] / BESIDE / f"{options.output.stem}.npz"
            made_with = {key: metadata[key] for key in KEPT}
            made_with |= {"settings": digest(of_result), "threads": str(options.threads)}
            checkpoint = Checkpoint(path, made_with)
        return cls(metadata["device"], metadata, checkpoint)

    def resume(self, state: State) -> Callable[[State], None] | None:
        """Bring a fresh state to where the checkpoint left off; what saves one, if anything does.

        Raises
        ------
        CheckpointError
            If the file is no checkpoint.
        """
        if self.checkpoint is None:
            return None
        self.checkpoint.resume(state)
        return self.checkpoint.save

    def end(self) -> None:
        """Once the result is there, the checkpoint is of no more use."""
        if self.checkpoint:
            self.checkpoint.remove()
