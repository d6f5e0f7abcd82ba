"""Success over thresholds, over two parameters, and at the best threshold: tables and figures."""

import math
from dataclasses import replace

import numpy as np
import pytest
from making import (
    CHOICES,
    CONFIG,
    SECTION,
    STUDY,
    changed_study,
    config_points,
    contest,
    entry,
    exact_at,
    panel,
    point,
)
from threshold_cases import SELF, SUCCESS, curve_of

from attention_separation.studies.open_choices.study import OpenChoices
from attention_separation.studies.open_choices.success_figures import (
    phase_figure,
    places_on_map,
    theta_figure,
    threshold_figure,
)
from attention_separation.studies.open_choices.success_tables import (
    MAP_POINTS,
    THETA_SCHEMA,
    THETAS,
    ThetaKind,
    phase_table,
    theta_table,
    threshold_table,
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
    for of_panel in PANELS:
        mapped = rows_of(table, of_panel.name, ThetaKind.MAP)
        assert len(mapped) == min(4, len(config_points(of_panel.name))) * len(THETAS)
        for best in rows_of(table, of_panel.name, ThetaKind.BEST):
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


def phase_job(points=4):
    of = CHOICES.results["phase"].settings
    maps = [entry.with_more(most_values=points) for entry in of.panels]
    return of.model_copy(update={"panels": maps})


@pytest.fixture(scope="module")
def phases():
    return phase_table(phase_job())


def test_the_table_of_phases_has_a_row_for_each_point(phases):
    assert phases["map"].unique().to_pylist() == list(CONFIG.open_choices.phase)
    assert len(phases) == sum(len(shown.points()) for shown in phase_job().panels)
    for shown in phase_job().panels[:2]:
        rows = [row for row in phases.to_pylist() if row["map"] == shown.name]
        for row, at in zip(rows, shown.points(), strict=True):
            assert (row["a1"], row["n"], row["d"]) == (at.a1, at.n, at.d)
            assert row["p_exact"] == pytest.approx(exact_at(at).success, abs=1e-14)


def test_the_papers_operating_points_are_marked():
    marked = phase_job().marked
    found = {entry.name: places_on_map(entry, marked) for entry in phase_job(None).panels}
    assert (1.2, 0.8) in found["identity_a1_c"]
    assert (1.2, 0.5) in found["ones_a1_c"]
    assert {(200, 12), (1000, 12), (256, 66), (200, 22)} <= set(found["identity_n_d"])
    assert {(22, 1), (22, 80)} <= set(found["ones_d_m"])
    # Panel e sweeps a0: it leaves every map's plane but at the maps' own a0.
    assert all(len(dots) > 5 for dots in found.values())


def test_the_figure_shows_every_map(phases):
    figure = phase_figure(phase_job(), phases)
    figure.draw_without_rendering()
    maps = [ax for ax in figure.axes if ax.get_title(loc="left")]
    assert len(maps) == len(CONFIG.open_choices.phase)
    mesh = maps[0].collections[0]
    titles = [ax.get_title(loc="left") for ax in maps]
    assert all(("𝑐 + 0.1*" in title) == ("identity" in title) for title in titles)
    assert "one 𝑦 per trial*; V the identity*." in figure.get_supxlabel()
    assert KEY in figure.get_supxlabel()
    own = [row["p_exact"] for row in phases.to_pylist() if row["map"] == "identity_a1_c"]
    np.testing.assert_array_equal(mesh.get_array().T.ravel(), own)


def test_a_best_that_float64_does_not_tell_is_none():
    values = SELF | {"a0": 0.01, "a1": 0.1, "d": 22, "m": 15}
    at = point("self_attention", n=10**12, **values)
    assert not curve_of(at, "linear").resolved
    assert not curve_of(replace(at, n=4 * 10**13, s=math.sqrt(math.log(4e13))), "exp").resolved
    sweep = panel("self_attention", {"n": [200, 10**12]}, **values)
    job = PanelsJob(panels=[sweep])
    rows = [row for row in threshold_table(job).to_pylist() if row["network"] == "linear"]
    assert [row["resolved"] for row in rows] == [True, False]
    for name in ("p_best", "best_theta_low", "best_theta_high"):
        assert rows[0][name] is not None
        assert rows[1][name] is None
    threshold_figure(job, threshold_table(job)).draw_without_rendering()


def small_job():
    names = ["fig3b", "fig4b", "fig4c", "fig4d", "fig7b"]
    panels = [STUDY.panels.marked[name].with_more(most_values=3) for name in names]
    return PanelsJob(panels=panels)


def test_the_table_and_the_figure():
    job = small_job()
    table = threshold_table(job)
    assert len(table) == 2 * sum(len(p.points()) for p in job.panels)
    for row in table.to_pylist():
        assert 0 <= row["p_at_theta"] <= row["p_best"] <= 1
        assert row["best_theta_low"] < row["best_theta_high"]
    best = {kernel: [] for kernel in SUCCESS}
    for row in table.to_pylist():
        best[row["network"]].append(row["p_best"])
    assert all(e >= lin - 1e-9 for e, lin in zip(best["exp"], best["linear"], strict=True))
    marked = dict(zip(table["panel"].to_pylist(), table["reconstructed"].to_pylist(), strict=True))
    assert marked == {
        panel.name: STUDY.panels.marked[panel.name].reconstruction for panel in job.panels
    }
    figure = threshold_figure(job, table)
    figure.draw_without_rendering()
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    columns = {title.partition("\n")[0] for title in titles if "\n" in title}
    assert columns == {
        "Softmax regression*",
        "Self-attention, X = identity",
        "Cross-attention, X = identity*",
    }
    assert any("at 𝑛 = 200, 𝑑 = 22" in title for title in titles)
    assert KEY in figure.get_supxlabel()
    labels = [ax.get_xlabel() for ax in figure.axes]
    assert {"𝑑", "𝑑*", "𝑎₁", "(τ/√log 𝑛)*"} <= set(labels)


def test_panels_that_sweep_neither_n_nor_m_or_two_parameters(subtests):
    for model, sweep, held in [
        ("self_attention", {"a1": [0.5, 1.2]}, {"n": 200, "d": 22, "m": 15}),
        ("self_attention", {"a1": [0.5, 1.2], "c": [0.6, 0.8]}, {"n": 200, "d": 22, "m": 15}),
        ("self_attention", {"n": [40, 80], "d": [4, 6]}, {"m": 15}),
        ("cross_attention", {"d": [3, 5]}, {"n": 40, "m": 15}),
    ]:
        with subtests.test(model=model, sweep=sweep, held=held):
            own = SELF if model == "self_attention" else {"a0": 0.01, "a1": 1.2}
            held |= {key: value for key, value in own.items() if key not in sweep}
            one = panel(model, sweep, **held)
            table = threshold_table(PanelsJob(panels=[one]))
            assert len(table) == 2 * math.prod(len(values) for values in sweep.values())
            for name, values in sweep.items():
                assert set(table[name].to_pylist()) == set(values)
            panels = threshold_figure(PanelsJob(panels=[one]), table).axes
            assert any(ax.lines for ax in panels)


def test_the_job_takes_all_panels_but_sweeps_of_the_threshold():
    names = {panel.name for panel in CHOICES.results["threshold"].settings.panels}
    assert names == {*SECTION.panels}
    swept = entry("self_attention", {"theta": [0.5, 0.9]}, n=200, d=22, m=15, **SELF)
    panels = changed_study(panels={**SECTION.panels, "mine": swept}).panels
    results = OpenChoices(CONFIG.open_choices, panels, "results").results
    assert "mine" not in {panel.name for panel in results["threshold"].settings.panels}


def test_formulas_and_notes_of_settings_are_text_and_no_mathematics(job, table):
    def noted(of_panel, **changes):
        return of_panel.with_more(notes=[r"cost $\foo$ of it"], **changes)

    of_map = PanelsJob(panels=[noted(job.panels[0])])
    of_phase = phase_job().model_copy(update={"panels": [noted(phase_job().panels[0])]})
    (swept,) = (each for each in small_job().panels if each.name == "fig4c")
    of_a_formula = contest("exp", r"x**2 # $\bogus$")
    of_thresholds = PanelsJob(panels=[noted(swept, contest=of_a_formula)])
    for figure in (
        theta_figure(of_map, table),
        phase_figure(of_phase, phase_table(of_phase)),
        threshold_figure(of_thresholds, threshold_table(of_thresholds)),
    ):
        figure.draw_without_rendering()
        assert r"cost $\foo$ of it." in " ".join(figure.get_supxlabel().split())
