"""Lines of exact values: between a panel's points they are exact too."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import SECTION, STUDY, panel

from attention_separation.studies.softmax_vs_linear.exact.lines import (
    FINEST_STEP,
    SCHEMA,
    has_line,
    line,
    lines_table,
    rates_at,
)

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
