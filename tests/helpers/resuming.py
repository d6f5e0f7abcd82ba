"""Training that is killed and goes on, held to training that was left alone."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

CHECKPOINT_EVERY = 7
"""Steps between checkpoints, which the run must be told."""


class KilledError(Exception):
    """Stands for the end of a process."""


def assert_resumed_alike(
    run: Callable[..., int], folder: Path, draws: tuple[object, str], kills: Iterable[int], capsys
) -> None:
    """Training killed at each of the steps `kills`, which rise, says from where it goes on, gives
    the bytes of training left alone, and leaves nothing else behind.

    `run` : (output) or (output, checkpoint) -> the exit status of training
    `draws` : what has the function that draws a batch, and its name; its last argument is the step
    """
    # Tables hold the names of their files.
    whole, killed, checkpoint = (
        folder / name for name in ("whole/cell", "killed/cell", "checkpoint")
    )
    assert run(whole) == 0
    draw = getattr(*draws)
    for last in kills:

        def until(*arguments, last=last):
            if arguments[-1] == last:
                raise KilledError
            return draw(*arguments)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(*draws, until)
            with pytest.raises(KilledError):
                run(killed, checkpoint)
        assert checkpoint.exists()
        assert not killed.exists()
    capsys.readouterr()
    assert run(killed, checkpoint) == 0
    begun = last // CHECKPOINT_EVERY * CHECKPOINT_EVERY
    assert f"going on after step {begun}" in capsys.readouterr().err
    assert killed.read_bytes() == whole.read_bytes()
    assert {path for path in folder.rglob("*") if path.is_file()} == {killed, whole}
