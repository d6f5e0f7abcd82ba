"""Tables of exact values: their columns, what they depend on, and that they join their panel's."""

import pyarrow as pa
import pytest
from making import CONFIG, SECTION, STUDY, changed_study, config_points, contest, exact_at, panel

from attention_separation.softmax_vs_linear.exact.compute import compute_exact
from attention_separation.softmax_vs_linear.models import MODELS
from attention_separation.softmax_vs_linear.models.contest import PAPERS
from attention_separation.softmax_vs_linear.models.panel_tables import exact_schema, join_exact
from attention_separation.softmax_vs_linear.simulation.simulate import simulate
from attention_separation.softmax_vs_linear.study import SoftmaxVsLinear

CONTRACT = [
    "panel", "parameter", "value", "p_exact", "p_error", "p_method", "prob_f_exp_d1_positive",
    "prob_f_lin_d1_zero", "prob_f_exp_d0_zero", "prob_f_lin_d0_zero", "error_f_exp_d1_positive",
    "error_f_lin_d1_zero", "error_f_exp_d0_zero", "error_f_lin_d0_zero",
]  # fmt: skip
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


@pytest.mark.parametrize("model", MODELS)
def test_one_row_for_each_point_in_grid_order(model):
    of = panel(model, SWEEPS[model], **FIXED[model])
    table = compute_exact(of)
    assert table.schema.names == CONTRACT
    of_panel = of.points()
    assert table["value"].to_pylist() == [point.swept[0] for point in of_panel]
    assert table["parameter"].unique().to_pylist() == [",".join(SWEEPS[model])]
    for row, point in zip(table.to_pylist(), of_panel, strict=True):
        found = exact_at(point)
        assert row["p_exact"] == found.success
        assert row["prob_f_exp_d1_positive"] == found.events[0]
        assert row["prob_f_lin_d0_zero"] == found.events[3]
        assert row["error_f_exp_d1_positive"] == found.event_errors[0] == 0
        assert row["error_f_exp_d0_zero"] == found.event_errors[2]
        assert 0 <= row["p_exact"] <= min(found.events) + 1e-12
        assert row["p_error"] < 1e-4


@pytest.mark.parametrize("model", ["self_attention", "cross_attention"])
def test_one_pair_of_columns_for_each_event_of_another_contest(model):
    of = contest("power_4", "linear", "exp_half")
    with_contest = panel(model, SWEEPS[model], contest=of, **FIXED[model])
    table = compute_exact(with_contest)
    events = [
        "power_4_d1_positive", "linear_d1_zero", "exp_half_d1_zero",
        "power_4_d0_zero", "linear_d0_zero", "exp_half_d0_zero",
    ]  # fmt: skip
    assert table.schema.names == [
        *CONTRACT[:6],
        *(f"prob_{event}" for event in events),
        *(f"error_{event}" for event in events),
    ]
    assert table.schema == exact_schema(of)
    for row, point in zip(table.to_pylist(), with_contest.points(), strict=True):
        assert point.contest == of
        found = exact_at(point)
        assert row["p_exact"] == found.success
        assert [row[f"prob_{event}"] for event in events] == list(found.events)


def test_the_contest_counts():
    base = STUDY.exact["fig4a"]
    assert base.with_more(contest=contest("exp", "power_2")).canonical() != base.canonical()


def test_trials_seed_and_engine_do_not_count():
    base = STUDY.exact["fig4a"].canonical()
    for study in (
        changed_study(trials=7),
        changed_study(engine="dense"),
        SoftmaxVsLinear(SECTION, 1, CONFIG.jobs),
    ):
        assert study.exact["fig4a"].canonical() == base
    assert changed_study(scale="smoke").exact["fig4a"].canonical() != base


def test_every_panel_is_computed_once():
    of = STUDY.figure_of
    assert list(of) == list(SECTION.panels)
    assert of["fig4c"] == "fig4"


def both(**own):
    of = panel("cross_attention", {"d": [3, 6]}, **(FIXED["cross_attention"] | own))
    return simulate(of), compute_exact(of)


def test_a_panel_joined_with_its_exact_values():
    simulated, exactly = both()
    together = join_exact(simulated, exactly)
    assert together.column_names == [*simulated.column_names, *CONTRACT[3:]]
    assert together["p_exact"].to_pylist() == exactly["p_exact"].to_pylist()


def test_points_of_another_panel_do_not_join():
    simulated, exactly = both()
    other = exactly.set_column(2, exact_schema(PAPERS).field("value"), pa.array([3.0, 11.0]))
    with pytest.raises(ValueError, match="other points"):
        join_exact(simulated, other)


def test_all_points_of_figures_4_5_and_7():
    names = [name for name in SECTION.panels if not name.startswith("fig3")]
    assert sum(len(config_points(name)) for name in names) == 1146
    for name in names:
        table = compute_exact(STUDY.exact[name])
        for what in ("p", *PAPERS.events):
            errors = table["p_error" if what == "p" else f"error_{what}"]
            assert errors.unique().to_pylist() == [0.0]
        assert all(0 <= p <= 1 for p in table["p_exact"].to_pylist())
