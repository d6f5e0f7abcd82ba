"""A file to go on from: training resumed from it gives the bits of training undisturbed."""

import sys
import zipfile
from pathlib import Path
from typing import Protocol

import numpy as np

from attention_separation.results.files import replacing


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
