"""Maps over the threshold: exact values at every panel's own, at the best one and on a grid."""

import pytest
from making import CHOICES, CONFIG, SECTION, changed_study, config_points, exact_at

from attention_separation.studies.open_choices.study import OpenChoices
from attention_separation.studies.open_choices.success_figures import theta_figure
from attention_separation.studies.open_choices.success_tables import (
    MAP_POINTS,
    THETA_SCHEMA,
    THETAS,
    ThetaKind,
    theta_table,
)
from attention_separation.studies.softmax_vs_linear.settings.panels import KEY, PanelsJob

PANELS = CHOICES.results["theta"].settings.panels


@pytest.fixture(scope="module")
def job():
    """All maps, but few points of each."""
    return PanelsJob(panels=[panel.with_more(most_values=4) for panel in PANELS])


@pytest.fixture(scope="module")
def table(job):
    return theta_table(job)


def rows_of(table, panel, kind):
    return [r for r in table.to_pylist() if (r["panel"], r["kind"]) == (panel, kind)]


def test_at_the_panels_own_threshold_it_is_the_exact_value(table):
    assert table.schema.equals(THETA_SCHEMA)
    for name in ("fig4b", "fig4f", "fig5d", "fig7e"):
        own = rows_of(table, name, ThetaKind.PAPER)
        points = {p.swept[0]: p for p in config_points(name)}
        assert len(own) == 4
        for row in own:
            point = points[row["value"]]
            assert row["theta"] == point.theta
            assert row["p_exact"] == pytest.approx(exact_at(point).success, abs=1e-12)
            assert row["reconstructed"] == (name[3] != "5")


def test_nothing_on_the_map_is_above_the_best(table):
    for panel in PANELS:
        mapped = rows_of(table, panel.name, ThetaKind.MAP)
        assert len(mapped) == min(4, len(config_points(panel.name))) * len(THETAS)
        for best in rows_of(table, panel.name, ThetaKind.BEST):
            own = [r["p_exact"] for r in mapped if r["value"] == best["value"]]
            assert max(own) <= best["p_exact"] + 1e-9
            assert best["theta_low"] < best["theta"] < best["theta_high"]


def test_the_map_is_thinned_and_its_best_thresholds_are_not():
    (panel,) = (panel for panel in PANELS if panel.name == "fig7c")
    table = theta_table(PanelsJob(panels=[panel]))
    assert len(rows_of(table, "fig7c", ThetaKind.BEST)) == len(config_points("fig7c")) == 80
    assert len(rows_of(table, "fig7c", ThetaKind.MAP)) == MAP_POINTS * len(THETAS)


def test_the_figure_marks_theta_where_it_is_reconstructed(job, table):
    figure = theta_figure(job, table)
    figure.draw_without_rendering()
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    # The last line of a title is on its panel alone, those above it are on its column.
    of_panels = [title.rpartition("\n")[2] for title in titles if title]
    assert {title.partition(":")[0] for title in of_panels} == {panel.name for panel in PANELS}
    of_columns = {
        title.partition("\n")[0]: title.rpartition("\n")[0] for title in titles if "\n" in title
    }
    assert of_columns.keys() == {
        "Self-attention, X = identity",
        "Self-attention, X = all ones",
        "Cross-attention, X = identity*",
    }
    assert "𝑐 + 0.1*" in of_columns["Self-attention, X = identity"]
    assert "𝑐 + 0.1" in of_columns["Self-attention, X = all ones"]
    assert "*" not in of_columns["Self-attention, X = all ones"]
    assert "𝑛 = 200*" in of_columns["Cross-attention, X = identity*"]
    assert "= 0.9*" in of_columns["Cross-attention, X = identity*"]
    assert "(τ/√log 𝑛)*" in [ax.get_ylabel() for ax in figure.axes]
    assert KEY in figure.get_supxlabel()


def test_a_note_of_settings_is_text_and_no_mathematics(job, table):
    panel, *_ = job.panels
    of_notes = PanelsJob(panels=[panel.with_more(notes=[r"cost $\foo$ of it"])])
    figure = theta_figure(of_notes, table)
    figure.draw_without_rendering()
    assert r"cost $\foo$ of it." in figure.get_supxlabel()


def test_a_best_that_is_not_told_is_null():
    (panel,) = (panel for panel in PANELS if panel.name == "fig4a")
    far = panel.with_more(fixed=panel.fixed | {"a1": 0.1}, sweep={"n": [200, 10**12]})
    job = PanelsJob(panels=[far])
    table = theta_table(job)
    near, beyond = rows_of(table, "fig4a", ThetaKind.BEST)
    assert near["p_exact"] is not None
    assert [beyond[name] for name in ("theta", "p_exact", "theta_low", "theta_high")] == [None] * 4
    theta_figure(job, table).draw_without_rendering()


def test_it_is_among_the_files_of_a_run():
    assert CHOICES.expected_tables()["figures/theta.parquet"].in_default_run
    of_regression = changed_study(panels={"fig3a": SECTION.panels["fig3a"]}, figures={}).panels
    without = OpenChoices(CONFIG.open_choices, of_regression, "results")
    assert "figures/theta.parquet" not in without.expected_tables()
