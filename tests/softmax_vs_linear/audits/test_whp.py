"""With high probability: at which points events fail too often."""

import numpy as np
import pyarrow as pa
import pytest
from making import SECTION, STUDY, config_points, exact_at

from attention_separation.softmax_vs_linear.audits.whp import (
    ABOUT,
    ALL_FOUR,
    SCHEMA,
    PanelEvents,
    panel_events,
    whp_table,
)
from attention_separation.softmax_vs_linear.models.contest import PAPERS
from attention_separation.softmax_vs_linear.settings.panels import COLUMN, PanelsJob

FIG4E = STUDY.exact["fig4e"].with_more(reconstructed=["X"])


def panel(points, events, errors=0.0):
    """Points of panel 4e; the errors are the same everywhere unless an array is given."""
    errors = np.broadcast_to(errors, events.shape)
    return PanelEvents(FIG4E, points, events, errors)


def test_whp_table_says_where_events_fail_too_often():
    points = config_points("fig4e")
    events = np.array([exact_at(point).events for point in points])
    rows = whp_table([panel(points, events)])
    assert rows.schema.equals(SCHEMA)
    assert rows["event"].to_pylist() == [*PAPERS.events, ALL_FOUR]
    for k, row in enumerate(rows.to_pylist()):
        failure = 1 - (events[:, k] if k < 4 else events.min(axis=1))
        bad = failure > 0.01 / 200
        assert (row["points"], row["points_whp"]) == (80, 80 - bad.sum())
        assert row["points_undecided"] == 0
        assert row["worst_failure"] == pytest.approx(failure.max())
        assert row["worst_over_bound"] == pytest.approx(failure.max() * 200 / 0.01)


def test_whp_ranges_are_runs_of_neighbours():
    points = config_points("fig4e")[:6]
    events = np.ones((6, 4))
    events[[0, 2, 3, 5], 1] = 0.5
    events[:, 2] = np.nan
    events[1:, 3] = np.nan
    rows = whp_table([panel(points, events)]).to_pylist()
    assert [row["not_whp"] for row in rows] == [None, "0.01, 0.03 to 0.04, 0.06", *[None] * 3]
    assert [row["points"] for row in rows] == [6, 6, 0, 1, 0]
    assert rows[1]["worst_at"] == "0.01"
    assert rows[2]["worst_failure"] is None
    assert rows[0]["worst_failure"] == 0.0


BOUND = 0.01 / 200


@pytest.mark.parametrize(
    ("failure", "error", "counts"),
    [
        (0.99, 0.0, (1, 0)),
        (1.01, 0.0, (0, 0)),
        (0.5, 0.49, (1, 0)),
        (0.5, 0.51, (0, 1)),
        (1.5, 0.49, (0, 0)),
        (1.5, 0.51, (0, 1)),
    ],
)
def test_a_point_is_whp_or_not_only_if_it_surely_is(failure, error, counts):
    """Failure and error in units of delta/n; counts of points whp and undecided."""
    point = config_points("fig4e")[0]
    events = np.ones((1, 4)) - failure * BOUND
    row = whp_table([panel([point], events, error * BOUND)]).to_pylist()[0]
    assert (row["points_whp"], row["points_undecided"]) == counts
    assert (row["not_whp"] is None) == (counts != (0, 0))


def test_all_four_are_whp_where_each_is_and_fail_where_any_does():
    points = config_points("fig4e")[:5]
    failure, error = np.full((5, 4), 0.5), np.full((5, 4), 0.4)
    failure[1, 2] = 9
    error[2, 1] = error[3, 1] = 0.6
    failure[3, 0] = 7
    events = 1 - failure * BOUND
    events[4, 0] = np.nan
    row = whp_table([panel(points, events, error * BOUND)]).to_pylist()[-1]
    assert (row["event"], row["points"]) == (ALL_FOUR, 4)
    assert (row["points_whp"], row["points_undecided"]) == (1, 1)
    assert row["not_whp"] == "0.02, 0.04"
    assert row["worst_over_bound"] == pytest.approx(9)
    assert row["worst_at"] == "0.02"


def test_what_the_theorems_do_not_state_is_said():
    assert "failure at most delta/poly(n), read here as delta/n (delta = 0.01 where a" in ABOUT
    assert "For X the identity the paper states only F_exp > 0 on D1; Figure 7's" in ABOUT
    assert f"{ALL_FOUR} is that each of the four events is so at the same point" in ABOUT


def test_whp_refuses_probabilities_of_other_points_and_without_an_error():
    points = config_points("fig4e")[:3]
    with pytest.raises(ValueError, match="one row per point"):
        whp_table([panel(points, np.ones((2, 4)))])
    with pytest.raises(ValueError, match="one row per point"):
        whp_table([PanelEvents(FIG4E, points, np.ones((3, 4)), np.zeros((3, 3)))])
    with pytest.raises(ValueError, match="an error of f_exp_d1_positive is missing"):
        whp_table([panel(points, np.ones((3, 4)), np.nan)])
    unknown = np.full((3, 4), np.nan)
    assert whp_table([panel(points, unknown, np.nan)])["points"].to_pylist() == [0] * 5


def test_events_and_their_errors_are_read_from_a_table_of_exact_values():
    of = STUDY.results["whp"].settings.panels[0]
    count = len(config_points(of.name))
    values = {}
    for k, event in enumerate(PAPERS.events):
        values[f"prob_{event}"] = np.full(count, 1 - k * 1e-6)
        values[f"error_{event}"] = np.full(count, k * 1e-9)
    found = panel_events(of, pa.table(values))
    assert found.events[0].tolist() == [1 - k * 1e-6 for k in range(4)]
    assert found.errors[-1].tolist() == [k * 1e-9 for k in range(4)]
    del values["error_f_lin_d0_zero"]
    with pytest.raises(KeyError, match="error_f_lin_d0_zero"):
        panel_events(of, pa.table(values))


def test_whp_says_what_is_reconstructed_of_every_panel():
    job = STUDY.results["whp"].settings
    assert [of.name for of in job.panels] == [*SECTION.panels]
    assert PanelsJob.model_validate_json(job.model_dump_json(by_alias=True)) == job
    texts = {of.name: of.reconstruction for of in job.panels}
    assert texts == {name: STUDY.marked[name].reconstruction for name in SECTION.panels}
    assert "the datasets themselves" in texts["fig7a"]
    points = config_points("fig4e")[:1]
    assert whp_table([panel(points, np.ones((1, 4)))])["reconstructed"].to_pylist() == ["X"] * 5
    assert COLUMN in ABOUT
