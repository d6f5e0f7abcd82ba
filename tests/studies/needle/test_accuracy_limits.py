"""The tables of lines: every row, its error, and what is asked of them."""

import math

import pytest

from attention_separation import needle
from attention_separation.needle.kernel_limits import LIMITS_BY_KERNEL
from attention_separation.studies.needle import accuracy_limits
from attention_separation.studies.needle.accuracy_limits import (
    ACCURACY_SCHEMA,
    CRITICAL_SCHEMA,
    SINK_SCHEMA,
    critical_rows,
)
from attention_separation.studies.needle.settings.exact import LinesSettings

JOB = LinesSettings(mus=[4.0], sizes=[128, 8], critical=[1.2, 5.0], sinks=[32, 128])


SOME = {name: LIMITS_BY_KERNEL[name] for name in ("uniform", "linear", "power_3", "exp", "bayes")}


@pytest.fixture(scope="module")
def made():
    """The tables of one power; the others take as long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accuracy_limits, "LIMITS_BY_KERNEL", SOME)
        return accuracy_limits.tables(JOB)


def test_a_row_for_each_line_mu_and_n_in_order(made):
    table = made["needle_lines"]
    assert table.schema.equals(ACCURACY_SCHEMA)
    rows = table.to_pylist()
    wanted = [(name, mu, n) for name in SOME for mu in JOB.mus for n in JOB.sizes]
    assert [(row["kernel"], row["mu"], row["n"]) for row in rows] == wanted
    for row in rows:
        assert 0 <= row["error"] < 1e-7
        assert row["kind"] == LIMITS_BY_KERNEL[row["kernel"]].kind
        # Of powers where the search has begun from another n.
        if row["n"] == 128:
            found = LIMITS_BY_KERNEL[row["kernel"]].accuracy(row["mu"], row["n"])
            assert row["accuracy"] == pytest.approx(found.value, abs=1e-7)


def test_critical_n_and_where_there_is_none(made):
    table = made["needle_critical"]
    assert table.schema.equals(CRITICAL_SCHEMA)
    found = {(row["kernel"], row["mu"]): row for row in table.to_pylist()}
    assert all(found[name, 1.2]["n_critical"] == 0 for name in SOME)
    far = JOB.model_copy(update={"critical": [10.0]})
    for kernel in ("exp", "bayes"):
        (row,) = critical_rows(LIMITS_BY_KERNEL[kernel], far)
        assert (row["n_critical"], row["error"]) == (math.inf, None)
    row = found["power_3", 5.0]
    assert row["n_critical"] == pytest.approx(3533.29, abs=0.01)
    assert 0 < row["error"] < 0.01


def test_sinks_at_the_sizes_and_where_they_fail(made):
    table = made["needle_sink"]
    assert table.schema.equals(SINK_SCHEMA)
    rows = table.to_pylist()
    lasts = {32: 169, 128: 418}
    found = {(row["right_at"], row["n"]): row for row in rows}
    assert {*found} == {
        *((right_at, n) for right_at in (32, 128, None) for n in (8, 128)), *lasts.items()
    }  # fmt: skip
    for (right_at, n), row in found.items():
        assert row["right_sink"] == needle.limit("bayes", 4, n)
        if right_at:
            assert (row["mu"], row["c"]) == (4.0, right_at / n)
            assert row["accuracy"] == needle.sink_limit(4, n, right_at)
        else:
            assert row["c"] == pytest.approx(math.exp(-8) / n)
            assert row["accuracy"] < 0.501
    for right_at, n in lasts.items():
        accuracies = (needle.sink_limit(4, each, right_at) for each in (n, n + 1))
        assert [each >= 0.75 for each in accuracies] == [True, False]
