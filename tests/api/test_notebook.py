"""docs/notebook.ipynb, run cell by cell: its numbers are the API's, its outputs of this code."""

import ast
import json
import re
import subprocess
import sys

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


def test_it_has_ten_cells():
    assert len(CELLS) == 10
    nbformat.validate(NOTEBOOK)


def numbers(text):
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text)]


def test_its_outputs_are_what_its_cells_show(tmp_path):
    """Numbers to a part in 10^9, words alike; a picture where the cell has a figure."""
    fresh = tmp_path / "notebook.ipynb"
    fresh.write_text(json.dumps(NOTEBOOK), encoding="utf-8")
    script = ROOT / "docs/site/notebook_outputs.py"
    subprocess.run([sys.executable, script, fresh], check=True)
    codes = [cell for cell in json.loads(fresh.read_text())["cells"] if cell["cell_type"] == "code"]
    kept = [cell for cell in CELLS if cell["cell_type"] == "code"]
    assert len(kept) == len(CODE) == 7
    for old, new in zip(kept, codes, strict=True):
        assert old["execution_count"] == new["execution_count"]
        (one,), (other,) = old["outputs"], new["outputs"]
        assert one["data"].keys() == other["data"].keys()
        for kind in one["data"].keys() - {"image/png"}:
            words, wanted = ("".join(each["data"][kind]) for each in (one, other))
            assert numbers(words) == pytest.approx(numbers(wanted), rel=1e-9)
    assert sum("image/png" in cell["outputs"][0]["data"] for cell in kept) == 1


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
