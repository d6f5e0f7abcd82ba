"""The tables of lines: every row, its error, and what is asked of them."""

import math

import pytest

from attention_separation.needle.exact import accuracy_limits
from attention_separation.needle.exact.accuracy_limits import ACCURACIES, CRITICAL, critical_rows
from attention_separation.needle.exact.limits import LINES
from attention_separation.needle.settings.exact import LinesSettings

JOB = LinesSettings(mus=[4.0], sizes=[128, 8], critical=[1.2, 5.0])


SOME = {name: LINES[name] for name in ("uniform", "linear", "power_3", "exp", "bayes")}


@pytest.fixture(scope="module")
def made():
    """The tables of one power; the others take as long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accuracy_limits, "LINES", SOME)
        return accuracy_limits.tables(JOB)


def test_a_row_for_each_line_mu_and_n_in_order(made):
    table = made["needle_lines"]
    assert table.schema.equals(ACCURACIES)
    rows = table.to_pylist()
    wanted = [(name, mu, n) for name in SOME for mu in JOB.mus for n in JOB.sizes]
    assert [(row["kernel"], row["mu"], row["n"]) for row in rows] == wanted
    for row in rows:
        assert 0 <= row["error"] < 1e-7
        assert row["kind"] == LINES[row["kernel"]].kind
        # Of powers where the search has begun from another n.
        if row["n"] == 128:
            found = LINES[row["kernel"]].accuracy(row["mu"], row["n"])
            assert row["accuracy"] == pytest.approx(found.value, abs=1e-7)


def test_critical_n_and_where_there_is_none(made):
    table = made["needle_critical"]
    assert table.schema.equals(CRITICAL)
    found = {(row["kernel"], row["mu"]): row for row in table.to_pylist()}
    assert all(found[name, 1.2]["n_critical"] == 0 for name in SOME)
    far = JOB.model_copy(update={"critical": [10.0]})
    for kernel in ("exp", "bayes"):
        (row,) = critical_rows(LINES[kernel], far)
        assert (row["n_critical"], row["error"]) == (math.inf, None)
    row = found["power_3", 5.0]
    assert row["n_critical"] == pytest.approx(3533.29, abs=0.01)
    assert 0 < row["error"] < 0.01
