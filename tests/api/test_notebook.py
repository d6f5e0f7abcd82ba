"""docs/notebook.ipynb, run cell by cell: its numbers are the API's, and it keeps no outputs."""

import ast
import json

import matplotlib.pyplot as plt
import nbformat
import pytest
from making import ROOT

import attention_separation as asep
from attention_separation import needle
from attention_separation.head_rank.theory.bound import bound

NOTEBOOK = json.loads((ROOT / "docs/notebook.ipynb").read_text(encoding="utf-8"))
CELLS = NOTEBOOK["cells"]
CODE = ["".join(cell["source"]) for cell in CELLS if cell["cell_type"] == "code"]


@pytest.fixture(scope="module")
def shown():
    """What each cell of code shows: the value of its last line."""
    names, found = {}, []
    for text in CODE:
        *lines, last = ast.parse(text).body
        exec(compile(ast.Module(lines, []), "cell", "exec"), names)
        found.append(eval(compile(ast.Expression(last.value), "cell", "eval"), names))
    yield found
    plt.close("all")


def test_it_has_ten_cells_without_outputs():
    assert len(CELLS) == 10
    assert all(cell["outputs"] == [] for cell in CELLS if cell["cell_type"] == "code")
    assert all(cell["execution_count"] is None for cell in CELLS if cell["cell_type"] == "code")
    nbformat.validate(NOTEBOOK)


def test_every_cell_runs_and_shows_what_it_says(shown):
    own, table, figure, hottest, limits, errors, head = shown
    assert own == (asep.separate("exp(x/2) + x**4", n=2000).probability, own[1])
    assert own[1] == asep.largest_n("exp(x/2) + x**4")
    assert len(table) == 12
    assert table.probability.between(0, 1).all()
    assert len(figure.axes[0].lines) >= 3
    half = asep.separate("exp", n=2000).probability / 2
    for times, more in ((0.99, True), (1.01, False)):
        warmer = asep.at_temperature("exp", times * hottest)
        assert (asep.separate(warmer, n=2000).probability > half) is more
    assert limits["exp"] == (needle.limit("exp", 5, 512), needle.critical_n("exp", 5))
    assert list(errors) == [8, 16, 32, 64]
    assert errors[32] == float(bound(64, 32, 2))
    assert errors[64] == 0
    (row,) = head.to_dict("records")
    assert row["reach_low"] < row["reach"] < row["reach_high"]
    assert row["held_out"] == 1
