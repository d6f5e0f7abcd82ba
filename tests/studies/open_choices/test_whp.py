"""With high probability: at which points events fail too often."""

import numpy as np
import pyarrow as pa
import pytest
from making import STUDY, config_points, exact_at

from attention_separation.studies.open_choices.whp import ALL_FOUR, SCHEMA, whp_table
from attention_separation.studies.softmax_vs_linear.models.contest import CONTEST_OF_PAPER

FIG4E = STUDY.panels.exact["fig4e"].with_more(reconstructed=["X"])


def whp(events, errors=0.0):
    """The table of the first points of panel 4e, as many as there are probabilities (points, 4);
    the errors are the same everywhere unless an array is given."""
    values = FIG4E.points()[: len(events)]
    of = FIG4E.with_more(sweep={"a0": [point.a0 for point in values]})
    columns = {f"prob_{event}": events[:, k] for k, event in enumerate(CONTEST_OF_PAPER.events)}
    errors = np.broadcast_to(errors, events.shape)
    columns |= {f"error_{event}": errors[:, k] for k, event in enumerate(CONTEST_OF_PAPER.events)}
    return whp_table([of], [pa.table(columns)])


def test_whp_table_says_where_events_fail_too_often():
    points = config_points("fig4e")
    events = np.array([exact_at(point).events for point in points])
    rows = whp(events)
    assert rows.schema.equals(SCHEMA)
    assert rows["event"].to_pylist() == [*CONTEST_OF_PAPER.events, ALL_FOUR]
    for k, row in enumerate(rows.to_pylist()):
        failure = 1 - (events[:, k] if k < 4 else events.min(axis=1))
        bad = failure > 0.01 / 200
        assert (row["points"], row["points_whp"]) == (80, 80 - bad.sum())
        assert row["points_undecided"] == 0
        assert row["worst_failure"] == pytest.approx(failure.max())
        assert row["worst_over_bound"] == pytest.approx(failure.max() * 200 / 0.01)


def test_whp_ranges_are_runs_of_neighbours():
    events = np.ones((6, 4))
    events[[0, 2, 3, 5], 1] = 0.5
    events[:, 2] = np.nan
    events[1:, 3] = np.nan
    rows = whp(events).to_pylist()
    assert [row["not_whp"] for row in rows] == [None, "0.01, 0.03 to 0.04, 0.06", *[None] * 3]
    assert [row["points"] for row in rows] == [6, 6, 0, 1, 0]
    assert rows[1]["worst_at"] == "0.01"
    assert rows[2]["worst_failure"] is None
    assert rows[0]["worst_failure"] == 0.0


BOUND = 0.01 / 200


def test_a_point_is_whp_or_not_only_if_it_surely_is(subtests):
    """Failure and error in units of delta/n; counts of points whp and undecided."""
    for failure, error, counts in [
        (0.99, 0.0, (1, 0)),
        (1.01, 0.0, (0, 0)),
        (0.5, 0.49, (1, 0)),
        (0.5, 0.51, (0, 1)),
        (1.5, 0.49, (0, 0)),
        (1.5, 0.51, (0, 1)),
    ]:
        with subtests.test(failure=failure, error=error, counts=counts):
            row = whp(np.ones((1, 4)) - failure * BOUND, error * BOUND).to_pylist()[0]
            assert (row["points_whp"], row["points_undecided"]) == counts
            assert (row["not_whp"] is None) == (counts != (0, 0))


def test_all_four_are_whp_where_each_is_and_fail_where_any_does():
    failure, error = np.full((5, 4), 0.5), np.full((5, 4), 0.4)
    failure[1, 2] = 9
    error[2, 1] = error[3, 1] = 0.6
    failure[3, 0] = 7
    events = 1 - failure * BOUND
    events[4, 0] = np.nan
    row = whp(events, error * BOUND).to_pylist()[-1]
    assert (row["event"], row["points"]) == (ALL_FOUR, 4)
    assert (row["points_whp"], row["points_undecided"]) == (1, 1)
    assert row["not_whp"] == "0.02, 0.04"
    assert row["worst_over_bound"] == pytest.approx(9)
    assert row["worst_at"] == "0.02"


def test_whp_refuses_probabilities_of_other_points_and_without_an_error():
    of_one_point = pa.table(
        {f"{kind}_{e}": [1.0] for kind in ("prob", "error") for e in CONTEST_OF_PAPER.events}
    )
    with pytest.raises(ValueError, match="one row per point"):
        whp_table([FIG4E], [of_one_point])
    with pytest.raises(ValueError, match="an error of f_exp_d1_positive is missing"):
        whp(np.ones((3, 4)), np.nan)
    assert whp(np.full((3, 4), np.nan), np.nan)["points"].to_pylist() == [0] * 5
