"""A job that trains a cell: PyTorch made ready, the checkpoint to go on from, the table.

Training resumed from a checkpoint gives the bits of training undisturbed. torch is imported when a
job begins: checkpoints do without it.
"""

import math
import sys
import time
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..results.files import replacing
from ..results.provenance import record
from ..results.tables import write_parquet
from ..settings.strict_model import digest

if TYPE_CHECKING:
    from .ensemble import Ensemble


DAMAGED = (
    ValueError,
    OSError,
    EOFError,
    KeyError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What reading a damaged zip of arrays may raise."""


class Checkpoint:
    """The checkpoint of one cell, of the settings, code, torch and device in `made_with`.

    The file is NumPy's zip of arrays, whose checksums are checked when it is read.
    """

    def __init__(self, path: Path, made_with: dict[str, str]):
        self.path = path
        self.labels = {f"made_with_{name}": np.array(text) for name, text in made_with.items()}

    def save(self, ensemble: "Ensemble") -> None:
        """Write the ensemble's state to the file, which is replaced at once."""
        arrays: dict[str, Any] = ensemble.saved() | self.labels
        with replacing(self.path) as part, part.open("wb") as file:
            np.savez(file, **arrays)

    def resume(self, ensemble: "Ensemble") -> None:
        """Bring a fresh ensemble to where the file left off; without a file, leave it.

        A checkpoint of other settings or code is passed over, and said so: it is of no use, and the
        next one replaces it. ValueError if the file is no checkpoint or is damaged: it may be
        something else of the user's.
        """
        if not self.path.exists():
            return
        try:
            with self.path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
                arrays = dict(archive)
            different = [name for name, label in self.labels.items() if arrays.pop(name) != label]
        except DAMAGED as error:
            raise ValueError(
                f"{self.path}: no checkpoint that can be read; remove the file and run again"
            ) from error
        if different:
            kinds = " and ".join(name.removeprefix("made_with_") for name in sorted(different))
            text = f"made with other {kinds}; starting anew"
        else:
            ensemble.restore(arrays)
            text = f"going on after step {ensemble.step}"
        print(f"{self.path}: {text}", file=sys.stderr)


def device_kind() -> str:
    """`cuda` where there is a GPU, else `cpu`."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


class OutOfTimeError(Exception):
    """Training was stopped; its checkpoint has all that was done."""


@dataclass(frozen=True)
class Pace:
    """How often training saves a checkpoint, and when it stops: no result depends on it.

    Attributes
    ----------
    seconds_apart : between checkpoints at least; each takes as long as many steps of a GPU
    end : on the clock of `time.monotonic`, after which the next checkpoint is the last
    """

    seconds_apart: float = 0.0
    end: float = math.inf

    def saver(self, checkpoint: Checkpoint) -> "Callable[[Ensemble], None]":
        """The function that training calls with its ensemble to save it; it raises OutOfTimeError
        after the end."""
        last = -math.inf

        def save(ensemble: "Ensemble") -> None:
            """Save the ensemble if it is time; OutOfTimeError after the end."""
            nonlocal last
            now = time.monotonic()
            is_over = now >= self.end
            if is_over or now >= last + self.seconds_apart:
                checkpoint.save(ensemble)
                last = now
            if is_over:
                raise OutOfTimeError(f"stopped after step {ensemble.step}")

        return save


EVERY_TIME = Pace()


def train_and_write(
    ensemble: "Ensemble",
    module: str,
    output: Path,
    checkpoint: Path | None,
    pace: Pace = EVERY_TIME,
) -> None:
    """Train a fresh ensemble, and write its table.

    Parameters
    ----------
    module : of the job
    output : parquet file to write
    checkpoint : file to save to and go on from, removed at the end; without a name beside the
        folder of the output; None for none
    """
    import torch

    # More threads may move last bits.
    torch.set_num_threads(1)
    cell = ensemble.job
    device = ensemble.optimizer.vector.device.type
    versions = {"seed": str(cell.seed), "torch": str(torch.__version__), "device": device}
    metadata = record(cell.canonical(), module) | versions
    print(f"{cell.name}: {len(cell.seeds)} runs on {device}", file=sys.stderr, flush=True)
    if checkpoint is None:
        ensemble.train()
    else:
        if checkpoint == Path():
            checkpoint = output.parents[1] / f"checkpoints/{output.stem}.npz"
        made_with = {name: metadata[name] for name in ("code", "torch", "device")}
        made_with["settings"] = digest(cell.result_settings())
        saved = Checkpoint(checkpoint, made_with)
        saved.resume(ensemble)
        ensemble.train(pace.saver(saved))
    write_parquet(ensemble.table(), output, metadata)
    if checkpoint is not None:
        checkpoint.unlink(missing_ok=True)
