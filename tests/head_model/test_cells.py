"""What is kept of a context is read as it was written."""

import numpy as np
import pytest

from attention_separation.head_model.cells import CaughtHead, cell_table, read_cell
from attention_separation.results.tables import TableError, write_parquet


def test_heads_that_are_written_are_read(tmp_path):
    generator = np.random.default_rng(0)
    scores = generator.standard_normal((3, 7)).astype(np.float32)
    scores[0, 5:] = -np.inf
    common = {"queries": np.arange(4, 7), "keys": np.array([1, 0, 2])}
    shares = generator.random(3)
    heads = [
        CaughtHead("induction", 0, 1, shares=shares, scores=scores, **common),
        CaughtHead("previous", 1, 0, shares=shares, scores=None, **common),
    ]
    path = tmp_path / "cell.parquet"
    write_parquet(cell_table(heads), path, {})
    first, second = read_cell(path)
    assert (first.target, first.layer, first.head) == ("induction", 0, 1)
    assert (first.scores == scores).all()
    assert first.scores.dtype == np.float32
    assert (first.shares == shares).all()
    assert (first.keys == common["keys"]).all()
    assert second.scores is None
    assert second.target == "previous"


def test_another_table_is_refused(tmp_path):
    path = tmp_path / "cell.parquet"
    heads = [CaughtHead("induction", 0, 0, np.arange(2), np.arange(2), np.ones(2), None)]
    write_parquet(cell_table(heads).drop_columns("shares"), path, {})
    with pytest.raises(TableError, match="not a table of this version"):
        read_cell(path)
