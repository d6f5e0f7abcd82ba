"""Checkpoints of anything that is trained: what they hold, and what is left alone."""

import random

import numpy as np
import pytest
from damage import flipped

from attention_separation.training.job import Checkpoint


class Counting:
    """A state of one array and a step."""

    def __init__(self, step=0, values=(0.0, 0.0)):
        self.step, self.values = step, np.array(values)

    def saved(self):
        return {"step": np.array(self.step), "values": self.values}

    def restore(self, saved):
        self.step, self.values = int(saved["step"]), saved["values"]


def test_a_state_goes_on_where_it_was_saved(tmp_path, capsys):
    checkpoint = Checkpoint(tmp_path / "checkpoint", {"settings": "a", "code": "b"})
    state = Counting()
    checkpoint.resume(state)
    assert state.step == 0
    checkpoint.save(Counting(3, (0.5, -1.0)))
    checkpoint.save(Counting(7, (1.5, -2.0)))
    checkpoint.resume(state)
    assert (state.step, state.values.tolist()) == (7, [1.5, -2.0])
    assert "going on after step 7" in capsys.readouterr().err


def test_a_checkpoint_of_other_settings_is_passed_over_and_said_so(tmp_path, capsys):
    path = tmp_path / "checkpoint"
    Checkpoint(path, {"settings": "a", "code": "b"}).save(Counting(3))
    state = Counting()
    Checkpoint(path, {"settings": "c", "code": "b"}).resume(state)
    assert state.step == 0
    assert "made with other settings; starting anew" in capsys.readouterr().err


@pytest.mark.parametrize("damage", ["truncated", "foreign", "flipped"])
def test_a_file_that_is_no_checkpoint_is_left_alone(tmp_path, damage):
    path = tmp_path / "checkpoint"
    checkpoint = Checkpoint(path, {"settings": "a"})
    checkpoint.save(Counting(3))
    whole = path.read_bytes()
    half = whole.index(b"values.npy") + 100
    content = {
        "truncated": whole[:half],
        "foreign": b"my notes",
        "flipped": whole[:half] + bytes([whole[half] ^ 1]) + whole[half + 1 :],
    }[damage]
    path.write_bytes(content)
    with pytest.raises(ValueError, match="remove the file and run again"):
        checkpoint.resume(Counting())
    assert path.read_bytes() == content


def test_with_any_bit_changed_a_checkpoint_is_left_alone_or_gives_what_was_saved(tmp_path, capsys):
    path = tmp_path / "checkpoint"
    checkpoint = Checkpoint(path, {"settings": "a", "code": "b"})
    checkpoint.save(Counting(3, (0.5, -1.0)))
    whole = path.read_bytes()
    refused = set()
    for bit in random.Random(0).sample(range(8 * len(whole)), 600):
        path.write_bytes(flipped(whole, bit))
        state = Counting()
        try:
            checkpoint.resume(state)
        except ValueError as error:
            refused.add(str(error))
            continue
        assert (state.step, state.values.tolist()) == (3, [0.5, -1.0]), bit
    assert refused == {f"{path}: no checkpoint that can be read; remove the file and run again"}
