"""With high probability: at which points events fail too often."""

import numpy as np
import pytest
from making import config_points, exact_at

from attention_separation.softmax_vs_linear.claims.whp import WHP_SCHEMA, PanelEvents, whp_table
from attention_separation.softmax_vs_linear.success import EVENTS


def test_whp_table_says_where_events_fail_too_often():
    points = config_points("fig4e")
    events = np.array([exact_at(point).events for point in points])
    rows = whp_table([PanelEvents("fig4e", "a0", points, events)])
    assert rows.schema.equals(WHP_SCHEMA)
    assert rows["event"].to_pylist() == list(EVENTS)
    for k, row in enumerate(rows.to_pylist()):
        failure = 1 - events[:, k]
        bad = failure > 0.01 / 200
        assert (row["points"], row["points_whp"]) == (80, 80 - bad.sum())
        assert row["worst_failure"] == pytest.approx(failure.max())
        assert row["worst_over_bound"] == pytest.approx(failure.max() * 200 / 0.01)


def test_whp_ranges_are_runs_of_neighbours():
    points = config_points("fig4e")[:6]
    events = np.ones((6, 4))
    events[[0, 2, 3, 5], 1] = 0.5
    events[:, 2] = np.nan
    events[1:, 3] = np.nan
    rows = whp_table([PanelEvents("fig4e", "a0", points, events)]).to_pylist()
    assert [row["not_whp"] for row in rows] == [None, "0.01, 0.03 to 0.04, 0.06", None, None]
    assert [row["points"] for row in rows] == [6, 6, 0, 1]
    assert rows[1]["worst_at"] == "0.01"
    assert rows[2]["worst_failure"] is None
    assert rows[0]["worst_failure"] == 0.0


def test_whp_bound_is_delta_over_n():
    point = config_points("fig4e")[0]
    rows = []
    for failure in (0.99, 1.01):
        events = np.ones((1, 4)) - failure * 0.01 / 200
        rows.append(whp_table([PanelEvents("fig4e", "a0", [point], events)]).to_pylist()[0])
    assert [row["points_whp"] for row in rows] == [1, 0]


def test_whp_refuses_probabilities_of_other_points():
    points = config_points("fig4e")[:3]
    with pytest.raises(ValueError, match="one row per point"):
        whp_table([PanelEvents("fig4e", "a0", points, np.ones((2, 4)))])
