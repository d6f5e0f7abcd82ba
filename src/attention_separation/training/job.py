"""A job that trains: its options, PyTorch made ready, and the checkpoint that it goes on from.

torch is imported when a job begins: without it, its answer is one sentence.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from attention_separation.results.provenance import record
from attention_separation.settings.canonical import digest

from .checkpoint import Checkpoint, State

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
