"""The tables of lines: every row, its error, and what is asked of them."""

import math

import pytest

from attention_separation.needle.exact.limits import LINES
from attention_separation.needle.exact.line_table import ACCURACIES, CRITICAL, critical_rows, tables
from attention_separation.needle.settings.exact import LinesSettings

JOB = LinesSettings(mus=[5.0, 4.0], sizes=[128, 8], critical=[1.2, 5.0])


@pytest.fixture(scope="module")
def made():
    return tables(JOB)


def test_a_row_for_each_line_mu_and_n_in_order(made):
    table = made["needle_lines"]
    assert table.schema.equals(ACCURACIES)
    rows = table.to_pylist()
    wanted = [(name, mu, n) for name in LINES for mu in JOB.mus for n in JOB.sizes]
    assert [(row["kernel"], row["mu"], row["n"]) for row in rows] == wanted
    for row in rows:
        found = LINES[row["kernel"]].accuracy(row["mu"], row["n"])
        assert row["accuracy"] == pytest.approx(found.value, abs=1e-7)
        assert 0 <= row["error"] < 1e-7
        assert row["kind"] == LINES[row["kernel"]].kind


def test_critical_n_and_where_there_is_none(made):
    table = made["needle_critical"]
    assert table.schema.equals(CRITICAL)
    found = {(row["kernel"], row["mu"]): row for row in table.to_pylist()}
    assert all(found[name, 1.2]["n_critical"] == 0 for name in LINES)
    far = JOB.model_copy(update={"critical": [10.0]})
    for kernel in ("exp", "bayes"):
        (row,) = critical_rows(LINES[kernel], far)
        assert (row["n_critical"], row["error"]) == (math.inf, None)
    row = found["power_3", 5.0]
    assert row["n_critical"] == pytest.approx(3533.29, abs=0.01)
    assert 0 < row["error"] < 0.01
