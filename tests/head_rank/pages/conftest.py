"""Runs that were never trained, as pages read them."""

import pytest
from making import head_rank
from rank_cells import write_made_up

from attention_separation.head_rank.claims.runs import read_runs


@pytest.fixture
def runs(tmp_path):
    """The runs of all cells of the smallest scale, made up."""
    study, paths = head_rank(scale="smoke"), []
    for name, cell in study.every_cell.items():
        paths.append(tmp_path / f"{name}.parquet")
        write_made_up(cell, paths[-1])
    return read_runs(paths)
