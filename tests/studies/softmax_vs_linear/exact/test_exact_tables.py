"""Tables of exact values, which join their panel's, and lines that are exact between its points."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import SECTION, STUDY, changed_study, config_points, contest, exact_at, panel

from attention_separation.studies.softmax_vs_linear.exact.compute import compute_exact
from attention_separation.studies.softmax_vs_linear.exact.lines import (
    FINEST_STEP,
    SCHEMA,
    has_line,
    line,
    lines_table,
    rates_at,
)
from attention_separation.studies.softmax_vs_linear.models import MODELS
from attention_separation.studies.softmax_vs_linear.models.contest import CONTEST_OF_PAPER
from attention_separation.studies.softmax_vs_linear.models.panel_tables import (
    exact_schema,
    join_exact,
)
from attention_separation.studies.softmax_vs_linear.settings.run_panels import RunPanels
from attention_separation.studies.softmax_vs_linear.simulation.simulate import simulate

CONTRACT = ["panel", "parameter", "value", "p_exact", "p_error", "p_method"]
OTHERS = contest("power_4", "linear", "exp_half")
EVENTS = {
    CONTEST_OF_PAPER: ["f_exp_d1_positive", "f_lin_d1_zero", "f_exp_d0_zero", "f_lin_d0_zero"],
    OTHERS: [
        "power_4_d1_positive", "linear_d1_zero", "exp_half_d1_zero",
        "power_4_d0_zero", "linear_d0_zero", "exp_half_d0_zero",
    ],
}  # fmt: skip
SWEEPS = {
    "regression": {"m": [1, 3]},
    "self_attention": {"m": [1, 3], "a1": [0.5, 1.2]},
    "cross_attention": {"d": [3, 6]},
}
FIXED = {
    "regression": {"n": 200},
    "self_attention": {"n": 40, "d": 10, "a0": 0.01, "b": 0.2, "c": 0.8},
    "cross_attention": {"n": 40, "m": 3, "a0": 0.01, "a1": 1.2},
}


def columns_of(of):
    return [*CONTRACT, *(f"{kind}_{e}" for kind in ("prob", "error") for e in EVENTS[of])]


def test_one_row_for_each_point_in_grid_order(subtests):
    for model, of in [
        *((model, CONTEST_OF_PAPER) for model in MODELS),
        *((model, OTHERS) for model in [*MODELS][1:]),
    ]:
        with subtests.test(model=model, of=of):
            own = panel(model, SWEEPS[model], contest=of, **FIXED[model])
            table = compute_exact(own)
            assert table.schema == exact_schema(of)
            assert table.schema.names == columns_of(of)
            points = own.points()
            assert table["value"].to_pylist() == [point.swept[0] for point in points]
            assert table["parameter"].unique().to_pylist() == [",".join(SWEEPS[model])]
            for row, point in zip(table.to_pylist(), points, strict=True):
                found = exact_at(point)
                assert (point.contest, row["p_exact"]) == (of, found.success)
                assert [row[f"prob_{event}"] for event in EVENTS[of]] == [*found.events]
                assert [row[f"error_{event}"] for event in EVENTS[of]] == [*found.event_errors]
                assert 0 <= row["p_exact"] <= min(found.events) + 1e-12
                assert row["p_error"] < 1e-4


def test_the_contest_counts_and_trials_seed_and_engine_do_not():
    base = STUDY.panels.exact["fig4a"].canonical()
    of_other_contest = STUDY.panels.exact["fig4a"].with_more(contest=contest("exp", "power_2"))
    assert of_other_contest.canonical() != base
    for panels in (
        changed_study(trials=7).panels,
        changed_study(engine="dense").panels,
        RunPanels(SECTION, 1),
    ):
        assert panels.exact["fig4a"].canonical() == base
    assert changed_study(scale="smoke").panels.exact["fig4a"].canonical() != base


def both(**own):
    of = panel("cross_attention", {"d": [3, 6]}, **(FIXED["cross_attention"] | own))
    return simulate(of), compute_exact(of)


def test_a_panel_joined_with_its_exact_values():
    simulated, exactly = both()
    together = join_exact(simulated, exactly)
    assert together.column_names == [*simulated.column_names, *columns_of(CONTEST_OF_PAPER)[3:]]
    assert together["p_exact"].to_pylist() == exactly["p_exact"].to_pylist()


def test_points_of_another_panel_do_not_join():
    simulated, exactly = both()
    other = exactly.set_column(
        2, exact_schema(CONTEST_OF_PAPER).field("value"), pa.array([3.0, 11.0])
    )
    with pytest.raises(ValueError, match="other points"):
        join_exact(simulated, other)


def test_all_points_of_figures_4_5_and_7():
    names = [name for name in SECTION.panels if not name.startswith("fig3")]
    assert sum(len(config_points(name)) for name in names) > 1000
    for name in names:
        table = compute_exact(STUDY.panels.exact[name])
        for what in ("p", *CONTEST_OF_PAPER.events):
            errors = table["p_error" if what == "p" else f"error_{what}"]
            assert errors.unique().to_pylist() == [0.0]
        assert all(0 <= p <= 1 for p in table["p_exact"].to_pylist())


CLOSE = 0.005
WITH_LINE = [name for name in SECTION.panels if has_line(STUDY.panels.exact[name])]


def own_values(name):
    return np.array([point.swept[0] for point in STUDY.panels.exact[name].points()])


def distance(name, places):
    """How far the line is from exact values; at places next to a jump the nearer of its ends."""
    values, rates = line(STUDY.panels.exact[name])
    reach = FINEST_STEP * (values[-1] - values[0])
    drawn = [np.interp(places + shift, values, rates) for shift in (-reach, 0, reach)]
    return np.abs(np.array(drawn) - rates_at(STUDY.panels.exact[name], places)).min(axis=0)


def test_panels_of_real_numbers_have_a_line_and_those_of_whole_ones_have_none():
    of_whole_numbers = {"n", "d", "m"}
    for name in SECTION.panels:
        own = STUDY.panels.exact[name]
        is_real = own.model != "regression" and of_whole_numbers.isdisjoint(own.sweep)
        assert (name in WITH_LINE) == is_real, name
    assert sum(len(own_values(name)) - 1 for name in WITH_LINE) > 600
    table = lines_table([STUDY.panels.exact[name] for name in ("fig3a", "fig4a", "fig4b", "fig4c")])
    assert table.schema.equals(SCHEMA)
    assert len(table) == 0
    regression = panel("regression", {"tau": [0.2, 0.3]}, n=40, m=2)
    assert not has_line(regression)


@pytest.mark.parametrize(("name", "k"), [("fig4d", 29), ("fig5e", 40), ("fig7d", 22)])
def test_at_the_middle_of_an_interval_with_a_jump_the_line_is_exact(name, k):
    own = own_values(name)[k : k + 2]
    between = own.mean()
    rates = rates_at(STUDY.panels.exact[name], np.array([*own, between]))
    assert abs(rates[:2].mean() - rates[2]) > 0.02
    assert distance(name, np.array([between]))[0] < CLOSE


@given(name=st.sampled_from([*WITH_LINE]))
def test_at_the_middle_of_every_interval_and_anywhere_the_line_is_exact(name):
    own = own_values(name)
    gaps = np.diff(own)
    for part in (0.5, 0.381966, 0.7071):
        assert distance(name, own[:-1] + part * gaps).max() < CLOSE


def test_the_panels_points_are_corners_of_its_line():
    for name in ("fig4e", "fig7d"):
        values, rates = line(STUDY.panels.exact[name])
        own = own_values(name)
        np.testing.assert_allclose(
            rates[np.searchsorted(values, own)], rates_at(STUDY.panels.exact[name], own), atol=1e-12
        )
        assert set(own) <= set(values)
        assert (np.diff(values) > 0).all()


def test_a_line_of_few_points_is_as_fine():
    """A smaller run has the same jumps at the same places."""
    few = STUDY.panels.exact["fig4e"].with_more(most_values=3)
    values, rates = line(few)
    places = np.linspace(0.01, 0.8, 101) + 1e-3 / 3
    places = places[places < values[-1]]
    off = np.abs(np.interp(places, values, rates) - rates_at(few, places))
    assert off.max() < CLOSE


def test_one_point_is_a_line_of_one_corner():
    values, rates = line(STUDY.panels.exact["fig4e"].with_more(most_values=1))
    assert len(values) == len(rates) == 1
