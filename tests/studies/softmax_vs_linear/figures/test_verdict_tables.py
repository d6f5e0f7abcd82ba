"""The tables of the verdicts: their columns, and what stands above them."""

from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from making import panel

from attention_separation.studies.softmax_vs_linear.exact.compute import compute_exact
from attention_separation.studies.softmax_vs_linear.figures.verdicts import (
    SCHEMA,
    about,
    verdict_tables,
)
from attention_separation.studies.softmax_vs_linear.models.panel_tables import join_exact
from attention_separation.studies.softmax_vs_linear.settings.panels import VerdictsJob
from attention_separation.studies.softmax_vs_linear.simulation.simulate import simulate

SWEEPS = {
    "cross_attention": ({"d": [3, 6]}, {"n": 40, "m": 3, "a0": 0.01, "a1": 1.2}),
    "regression": ({"m": [1, 3]}, {"n": 200}),
}
PANELS = {
    name: panel(name, sweep, name, trials=200, **fixed) for name, (sweep, fixed) in SWEEPS.items()
}
JOB = VerdictsJob(
    level=1e-3,
    margin=0.25,
    panel_margins=[0.5] * len(PANELS),
    panels=[of.with_more(reconstructed=[f"{name}'s m"]) for name, of in PANELS.items()],
)


@cache
def tables():
    return [join_exact(simulate(of), compute_exact(of)) for of in PANELS.values()]


def test_a_row_for_each_panel_says_all_that_was_found():
    by_panel, by_point = verdict_tables(JOB, tables())
    assert by_panel.schema == SCHEMA
    for row, name in zip(by_panel.to_pylist(), SWEEPS, strict=True):
        assert row["verdict"] == "agrees"
        assert row["reconstructed"] == f"{name}'s m"
        assert row["difference_low"] < row["mean_difference"] < row["difference_high"]
        assert row["shape_p"] == 1.0
        assert 0 < row["detectable_bias"] < 1
        assert (row["largest_p_error"] > 0) == (name == "regression")
    assert len(by_point) == 4


@pytest.mark.parametrize("place", [0, 1])
def test_the_least_p_value_and_the_largest_error_are_of_any_point(place):
    attention, regression = tables()
    rates = regression["p_exact"].to_numpy().copy()
    trials = regression["trials"].to_numpy()
    successes = np.rint(rates * trials).astype(np.int64)
    successes[place] -= 30
    errors = np.full(2, 1e-5)
    errors[place] = 3e-5
    changed = regression
    for name, column in (("successes", successes), ("p_error", errors)):
        changed = changed.set_column(changed.column_names.index(name), name, pa.array(column))
    by_panel, by_point = verdict_tables(JOB, [attention, changed])
    row = by_panel.to_pylist()[1]
    p_values = by_point["p_value"].to_numpy()[2:]
    assert p_values[place] < 1e-3 < p_values[1 - place]
    assert row["smallest_point_p"] == p_values[place]
    assert row["largest_p_error"] == 3e-5


def moved(table, by):
    """A table whose simulated rates are so far from the exact ones, as whole successes."""
    trials, rates = table["trials"].to_numpy(), table["p_exact"].to_numpy()
    successes = np.rint(np.clip(rates + by, 0, 1) * trials).astype(np.int64)
    return table.set_column(
        table.schema.get_field_index("successes"), "successes", pa.array(successes)
    )


@pytest.mark.parametrize(
    ("column", "by"),
    [("smallest_point_p", [0.0, 0.15]), ("pooled_p", [-0.1, -0.1]), ("shape_p", [0.09, -0.09])],
)
def test_a_panel_differs_just_where_its_least_p_value_is_below_the_level(column, by):
    attention, regression = tables()
    changed = [moved(attention, np.zeros(2)), moved(regression, np.array(by))]
    row = verdict_tables(JOB, changed)[0].to_pylist()[1]
    p_value = row[column]
    assert p_value == min(row["smallest_point_p"], row["pooled_p"], row["shape_p"])
    assert 0 < p_value < 0.05
    for level, differs in ((p_value * (1 + 1e-6), True), (p_value * (1 - 1e-6), False)):
        job = JOB.model_copy(update={"level": level})
        row = verdict_tables(job, changed)[0].to_pylist()[1]
        assert (row["verdict"] == "differs") == differs


def test_a_panel_agrees_just_where_its_interval_is_within_its_margin():
    same = [moved(table, np.zeros(2)) for table in tables()]
    row = verdict_tables(JOB, same)[0].to_pylist()[1]
    reach = max(row["difference_high"], -row["difference_low"])
    for margin, verdict in ((reach + 1e-9, "agrees"), (reach - 1e-9, "undecided")):
        job = JOB.model_copy(update={"panel_margins": [0.5, margin]})
        assert verdict_tables(job, same)[0].to_pylist()[1]["verdict"] == verdict


@pytest.mark.parametrize("column", ["prob_f_lin_d1_zero", "error_f_exp_d0_zero", "p_error"])
def test_every_point_has_its_numbers(column):
    attention, regression = tables()
    index = attention.schema.get_field_index(column)
    spoilt = attention.set_column(index, column, pa.array([0.5, None]))
    with pytest.raises(ValueError, match=f"cross_attention: column {column} has a cell without"):
        verdict_tables(JOB, [spoilt, regression])


def test_the_words_say_what_to_agree_is():
    text = about(JOB, points=4)
    assert "family-wise level of 0.001 over all 8 tests" in text
    assert "within the margin (0.25 at the panel's own trials, less with more)" in text
    assert "Reconstructed lists what the paper's text does not state" in text
    assert "bound" not in text
