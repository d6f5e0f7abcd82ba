"""The audit of thresholds: its table, its figure, and the panels that it takes."""

import math
from dataclasses import replace

from making import CHOICES, CONFIG, SECTION, STUDY, changed_study, contest, entry, panel, point
from threshold_cases import SELF, SUCCESS, curve_of

from attention_separation.studies.open_choices.study import OpenChoices
from attention_separation.studies.open_choices.success_figures import threshold_figure
from attention_separation.studies.open_choices.success_tables import threshold_table
from attention_separation.studies.softmax_vs_linear.settings.panels import KEY, PanelsJob


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
            threshold_figure(PanelsJob(panels=[one]), table).draw_without_rendering()


def test_formulas_and_notes_of_settings_are_text_and_no_mathematics():
    (panel,) = (panel for panel in small_job().panels if panel.name == "fig4c")
    of_a_formula = contest("exp", r"x**2 # $\bogus$")
    panel = panel.with_more(contest=of_a_formula, notes=[r"cost $\foo$ of it"])
    job = PanelsJob(panels=[panel])
    figure = threshold_figure(job, threshold_table(job))
    figure.draw_without_rendering()
    assert r"cost $\foo$ of it." in figure.get_supxlabel()


def test_the_job_takes_all_panels_but_sweeps_of_the_threshold():
    names = {panel.name for panel in CHOICES.results["threshold"].settings.panels}
    assert names == {*SECTION.panels}
    swept = entry("self_attention", {"theta": [0.5, 0.9]}, n=200, d=22, m=15, **SELF)
    panels = changed_study(panels={**SECTION.panels, "mine": swept}).panels
    results = OpenChoices(CONFIG.open_choices, panels, "results").results
    assert "mine" not in {panel.name for panel in results["threshold"].settings.panels}
