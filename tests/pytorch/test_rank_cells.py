"""Cells trained one after another by `rank-cells`: in the order asked for, each kept, going on."""

import os

from making import head_rank
from rank_cells import SMOKE

from attention_separation.__main__ import main, run_job
from attention_separation.results import file_states

STUDY = head_rank(scale="smoke")
FIRST, LAST = ("d4_n3_L3_w1_r4", "d4_n3_L3_w1_r1")
STOPPED = "d4_n3_L1_w1_r4_additive_repeated_first200_per_epoch"
"""Of two epochs: a checkpoint stands between them."""


def rank_cells(folder, *more) -> int:
    return main(["rank-cells", SMOKE, "--folder", str(folder), *more])


def trained_alone(folder, name) -> bytes:
    path = folder / f"alone/{name}.parquet"
    settings = STUDY.every_cell[name].canonical()
    module = "studies.head_rank.training.train_cell"
    assert run_job(module, "--settings", settings, "--output", str(path)) == 0
    return path.read_bytes()


def test_cells_are_trained_in_the_order_asked_for_and_each_is_kept(tmp_path, capsys):
    assert rank_cells(tmp_path, "--cells", FIRST, "*L3_w1_r?") == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "2 cells, 2 to train"
    assert [line.partition(":")[0] for line in said[1:]] == [FIRST, LAST]
    assert "error on new sets" in said[1]
    states = file_states.states(tmp_path, [STUDY])
    for name in (FIRST, LAST):
        path = f"cells/{name}.parquet"
        assert states[path] == file_states.CURRENT
        assert (tmp_path / path).read_bytes() == trained_alone(tmp_path, name)
    capsys.readouterr()
    assert rank_cells(tmp_path, "--cells", FIRST, LAST) == 0
    assert capsys.readouterr().out == "2 cells, 0 to train\n"


def test_when_the_time_is_over_a_cell_stops_and_goes_on(tmp_path, capsys):
    folder = tmp_path / "results"
    asked = (folder, "--cells", STOPPED, FIRST)
    assert rank_cells(*asked, "--minutes", "0") == 0
    said = capsys.readouterr().out.splitlines()
    assert said[1:] == [
        f"{STOPPED}: stopped after step 100", "the time is over; the same command goes on",
    ]  # fmt: skip
    assert [path.name for path in folder.rglob("*.*")] == [f"{STOPPED}.npz"]
    assert rank_cells(*asked) == 0
    captured = capsys.readouterr()
    assert "going on after step 100" in captured.err
    assert captured.out.count("least training loss") == 2
    path = folder / f"cells/{STOPPED}.parquet"
    assert path.read_bytes() == trained_alone(tmp_path, STOPPED)


def test_libraries_have_one_core_as_in_a_job(tmp_path, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert rank_cells(tmp_path, "--cells", "*L7*") == 1
    assert os.environ["OMP_NUM_THREADS"] == "1"


def test_a_pattern_of_no_cell_is_refused(tmp_path, capsys):
    assert rank_cells(tmp_path, "--cells", "*L7*") == 1
    assert "--cells *L7*: no cell has such a name; allowed: d4_n3_L1_w1_r1" in (
        capsys.readouterr().err
    )
