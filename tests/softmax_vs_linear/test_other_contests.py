"""Panels whose contest is not the paper's, from trials to figures."""

import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml
from making import ROOT, entry, spelled_out, study_of

from attention_separation.__main__ import run_job
from attention_separation.config import load_config
from attention_separation.results.tables import TableError
from attention_separation.softmax_vs_linear.audits import phase, theta
from attention_separation.softmax_vs_linear.audits import threshold as threshold_audit
from attention_separation.softmax_vs_linear.audits.phase import marks
from attention_separation.softmax_vs_linear.audits.theta import BEST, MAP, PAPER
from attention_separation.softmax_vs_linear.audits.threshold import colours_of
from attention_separation.softmax_vs_linear.exact.compute import references
from attention_separation.softmax_vs_linear.figures.panel_figure import draw as draw_figure
from attention_separation.softmax_vs_linear.models import MODELS, panel_tables
from attention_separation.softmax_vs_linear.models.contest import PAPERS, Contest
from attention_separation.softmax_vs_linear.settings.panels import PanelsJob
from attention_separation.softmax_vs_linear.simulation.simulate import simulate
from attention_separation.softmax_vs_linear.study import SoftmaxVsLinear

MANY = Contest(fires="exp", silent=("linear", "elu_plus_one", "power_2"))
ONE = Contest(fires="power_3", silent=())
EVENTS = (
    "exp_d1_positive", "linear_d1_zero", "elu_plus_one_d1_zero", "power_2_d1_zero",
    "exp_d0_zero", "linear_d0_zero", "elu_plus_one_d0_zero", "power_2_d0_zero",
)  # fmt: skip
SAID = (
    "In many, success: F_exp positive on D1 and zero on D0; F_lin, F_elu_plus_one and F_power_2 "
    "zero on both."
)
SAID_OF_ONE = "In one, success: F_power_3 positive on D1 and zero on D0."
SELF = {"n": 60, "d": 12, "a0": 0.01, "a1": 1.2, "b": 0.2, "c": 0.8}
PANELS = {
    "papers": {"model": "self_attention", "sweep": {"m": [1, 4, 9, 30]}, "fixed": SELF},
    "many": {
        "model": "self_attention", "sweep": {"m": [1, 4, 9, 30]}, "fixed": SELF,
        "contest": MANY.model_dump(),
    },
    "one": {
        "model": "cross_attention", "sweep": {"a1": [0.6, 1.2]},
        "fixed": {"n": 60, "d": 13, "m": 5, "a0": 0.01}, "contest": ONE.model_dump(),
    },
}  # fmt: skip
TRIALS = 300


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    """Three panels, of the paper's contest, of more and of fewer networks, and figures of them."""
    whole = spelled_out()
    values = whole["softmax_vs_linear"]
    values["panels"] = {name: panel | {"trials": TRIALS} for name, panel in PANELS.items()}
    values["figures"] = {
        "pair": {"title": "Two contests", "panels": ["papers", "many"]},
        "other": {"title": "Others", "panels": ["one", "many"]},
    }
    values["phase"] = {}
    path = tmp_path_factory.mktemp("config") / "config.yaml"
    path.write_text(yaml.safe_dump(whole, sort_keys=False))
    return study_of(path)


def run(module, job, **options):
    """Run a job of the study with a job's settings; options are --NAME VALUE."""
    arguments = ["--settings", job if isinstance(job, str) else job.canonical()]
    for option, value in options.items():
        values = value if isinstance(value, list) else [value]
        arguments += [f"--{option}", *map(str, values)]
    assert run_job(f"softmax_vs_linear.{module}", *arguments) == 0


@pytest.fixture(scope="module")
def made(config, tmp_path_factory):
    """A folder of results: of the three panels all but the claims and the open choices."""
    folder = tmp_path_factory.mktemp("results")
    exactly = {name: folder / f"exact/{name}.parquet" for name in PANELS}
    trials = {name: folder / f"panels/{name}.parquet" for name in PANELS}
    for name in PANELS:
        run("simulation.simulate", config.simulated[name].canonical(), output=trials[name])
    run("exact.compute", PanelsJob(panels=[*config.exact.values()]), outputs=[*exactly.values()])
    for name, figure in config.section.figures.items():
        run(
            "figures.panel_figure", config.results[name].settings,
            tables=[trials[panel] for panel in figure.panels],
            exact=[exactly[panel] for panel in figure.panels],
            output=folder / f"figures/{name}.svg",
        )  # fmt: skip
    run(
        "audits.verdicts", config.results["verdicts"].settings, tables=[*trials.values()],
        exact=[*exactly.values()], output=folder / "tables/verdicts.parquet",
    )  # fmt: skip
    run(
        "audits.whp",
        config.results["whp"].settings,
        exact=[*exactly.values()],
        output=folder / "tables/whp.parquet",
    )
    run(
        "audits.threshold", config.results["threshold"].settings,
        table=folder / "tables/threshold.parquet", figure=folder / "figures/threshold.svg",
    )  # fmt: skip
    run("audits.theta", config.results["theta"].settings, output=folder / "figures/theta.svg")
    return folder


def read(made, path):
    return pq.ParquetFile(made / f"{path}.parquet").read()


def test_the_events_of_a_contest_are_named_by_its_kernels():
    assert MANY.events == EVENTS
    assert ONE.events == ("power_3_d1_positive", "power_3_d0_zero")


def test_trials_count_the_events_of_the_contest(made):
    table = read(made, "panels/many")
    assert table.schema.names == panel_tables.simulated_schema(MANY).names
    assert [*EVENTS] == table.schema.names[15:23]
    assert not any(name.startswith("f_") for name in table.schema.names)
    for row in table.to_pylist():
        happened = [row[event] for event in EVENTS]
        assert max(0, sum(happened) - 7 * TRIALS) <= row["successes"] <= min(happened)
    assert read(made, "panels/one").schema.names[15:17] == [*ONE.events]
    assert read(made, "panels/papers").schema.names[15:19] == [*PAPERS.events]


def test_both_engines_count_the_same(config, made):
    job = config.simulated["many"].model_copy(update={"engine": "dense"})
    assert simulate(job).to_pylist() == read(made, "panels/many").to_pylist()


def test_exact_values_have_the_probabilities_of_the_contests_events(config, made):
    table = read(made, "exact/many")
    assert table.schema.names == [
        "panel", "parameter", "value", "p_exact", "p_error", "p_method",
        *(f"prob_{event}" for event in EVENTS), *(f"error_{event}" for event in EVENTS),
    ]  # fmt: skip
    job = config.exact["many"]
    (model,) = {MODELS[job.model]}
    for row, point in zip(table.to_pylist(), job.points(), strict=True):
        (found,) = references(model, [point])
        assert row["p_exact"] == pytest.approx(found.success, abs=1e-14)
        own = [row[f"prob_{event}"] for event in EVENTS]
        assert own == pytest.approx(found.events, abs=1e-14)
        assert row["p_exact"] <= min(own) + 1e-12
        assert {row[f"error_{event}"] for event in EVENTS} == {0.0}


def test_networks_that_must_be_zero_too_take_from_success_and_change_no_other_event(made):
    papers, many = (read(made, f"exact/{name}").to_pylist() for name in ("papers", "many"))
    for own, other in zip(papers, many, strict=True):
        assert other["p_exact"] < own["p_exact"]
        for event, same in zip(PAPERS.events, (EVENTS[0], EVENTS[1], *EVENTS[4:6]), strict=True):
            assert other[f"prob_{same}"] == pytest.approx(own[f"prob_{event}"], abs=1e-14)


def test_exact_values_are_joined_to_trials_of_their_contest(made):
    trials, exactly = (
        [made / f"{folder}/{name}.parquet" for name in ("one", "many")]
        for folder in ("panels", "exact")
    )
    tables = panel_tables.read_joined(trials, exactly, (ONE, MANY))
    for table, contest in zip(tables, (ONE, MANY), strict=True):
        assert table.schema.names == [
            *panel_tables.simulated_schema(contest).names,
            *panel_tables.exact_schema(contest).names[3:],
        ]
    with pytest.raises(TableError, match="not a table of this version"):
        panel_tables.read_joined(trials, exactly, (MANY, ONE))


def test_the_simulation_agrees_with_its_exact_values(made):
    rows = read(made, "tables/verdicts").to_pylist()
    assert [(row["panel"], row["verdict"]) for row in rows] == [(name, "agrees") for name in PANELS]
    assert len(read(made, "tables/verdicts_points")) == 4 + 4 + 2


def test_with_high_probability_has_a_row_for_each_event_and_one_for_all(made):
    rows = read(made, "tables/whp").to_pylist()
    of = {name: [row for row in rows if row["panel"] == name] for name in PANELS}
    assert [row["event"] for row in of["papers"]] == [*PAPERS.events, "all_four"]
    assert [row["event"] for row in of["many"]] == [*EVENTS, "all"]
    assert [row["event"] for row in of["one"]] == [*ONE.events, "all"]
    for own in of.values():
        *each, together = own
        assert together["worst_failure"] == max(row["worst_failure"] for row in each)
        assert together["points_whp"] <= min(row["points_whp"] for row in each)


def test_a_figure_of_two_contests_has_both_kinds_of_columns(config, made):
    table = read(made, "figures/pair")
    of = {name: [row for row in table.to_pylist() if row["panel"] == name] for name in PANELS}
    assert (len(of["papers"]), len(of["many"]), len(of["one"])) == (4, 4, 0)
    for contest, own, other in ((PAPERS, "papers", "many"), (MANY, "many", "papers")):
        for event in contest.events:
            for column in (event, f"prob_{event}", f"error_{event}"):
                assert all(row[column] is not None for row in of[own]), column
                assert all(row[column] is None for row in of[other]), column
    simulated = read(made, "panels/many").to_pylist()
    for row, own in zip(of["many"], simulated, strict=True):
        assert {name: row[name] for name in own} == own


def test_figures_say_whose_contest_is_not_the_papers(config, made):
    def note(figure):
        return " ".join(figure.get_supxlabel().split())

    of = {}
    for name, figure in config.section.figures.items():
        job = config.results[name].settings
        paths = (
            [made / f"{folder}/{panel}.parquet" for panel in figure.panels]
            for folder in ("panels", "exact")
        )
        of[name] = note(
            draw_figure(
                job, panel_tables.read_joined(*paths, [look.contest for look in job.panels])
            )
        )
    assert SAID in of["pair"]
    assert "In papers" not in of["pair"]
    maps = note(theta.draw(config.results["theta"].settings, read(made, "figures/theta")))
    for words in (of["other"], maps):
        assert SAID in words
        assert SAID_OF_ONE in words


def test_phase_maps_say_whose_contest_is_not_the_papers(config):
    """Nor does their title say what F_lin does."""
    fixed = {key: value for key, value in SELF.items() if key != "a1"}
    maps = {
        name: entry("self_attention", {"m": [1, 4], "a1": [0.8, 1.2]}, contest=own, **fixed)
        for name, own in (("paper", PAPERS), ("other", MANY))
    }
    of = {}
    for names in (["paper"], ["paper", "other"]):
        phase_of = {"phase": {name: maps[name] for name in names}}
        section = config.section.model_copy(update=phase_of)
        job = SoftmaxVsLinear(section, config.seed, config.jobs).results["phase"].settings
        of[len(names)] = phase.draw(job, phase.phase_table(job))
    assert "F_lin" in of[1].get_suptitle()
    assert "success:" not in of[1].get_supxlabel()
    assert "F_lin" not in of[2].get_suptitle()
    assert SAID.replace("many", "other") in " ".join(of[2].get_supxlabel().split())
    # Of the panels with the same numbers each is on the map of its contest.
    assert [marks(each, job.marked) for each in job.panels] == [
        [(m, 1.2) for m in (1.0, 4.0, 9.0, 30.0)]
    ] * 2
    marked = {name: [of for of in job.marked if of.name == name] for name in PANELS}
    assert marks(job.panels[0], marked["many"]) == marks(job.panels[1], marked["papers"]) == []


def test_thresholds_have_a_row_for_each_kernel(made):
    rows = read(made, "tables/threshold").to_pylist()
    for name, contest in (("papers", PAPERS), ("many", MANY), ("one", ONE)):
        own = [row for row in rows if row["panel"] == name]
        values = [1.0, 4.0, 9.0, 30.0] if name != "one" else [0.6, 1.2]
        assert [(row["value"], row["network"]) for row in own] == [
            (value, kernel) for value in values for kernel in contest.kernels
        ]
        for row in own:
            assert row["p_at_theta"] <= row["p_best"] + 1e-12
            assert row["best_theta_low"] < row["best_theta_high"]
    # A network alone knows of no contest.
    of = {name: {(row["value"], row["network"]): row for row in rows if row["panel"] == name}
          for name in PANELS}  # fmt: skip
    for key, row in of["papers"].items():
        assert row["p_best"] == pytest.approx(of["many"][key]["p_best"], abs=1e-14)


def test_success_is_at_most_what_the_firing_network_does_alone(made):
    """With the panel's threshold: success asks that the others are zero too."""
    rows = read(made, "tables/threshold").to_pylist()
    alone = {(row["panel"], row["value"], row["network"]): row["p_at_theta"] for row in rows}
    for row in read(made, "exact/many").to_pylist():
        assert row["p_exact"] <= alone["many", row["value"], "exp"] + 1e-12
    # Without any other it is the same.
    for row in read(made, "exact/one").to_pylist():
        assert row["p_exact"] == pytest.approx(alone["one", row["value"], "power_3"], abs=1e-13)


def test_the_figure_of_thresholds_has_a_colour_and_a_line_for_each_kernel(config, made):
    job = config.results["threshold"].settings
    colours = colours_of(job.panels)
    assert [*colours] == ["exp", "linear", "elu_plus_one", "power_2", "power_3"]
    assert len({*colours.values()}) == 5
    figure = threshold_audit.draw(job, read(made, "tables/threshold"))
    figure.draw_without_rendering()
    (legend,) = [*figure.legends, *(ax.get_legend() for ax in figure.axes if ax.get_legend())]
    words = [text.get_text() for text in legend.get_texts()]
    assert words[:5] == ["𝐹_exp", "𝐹_lin", "𝐹_elu_plus_one", "𝐹_power_2", "𝐹_power_3"]
    assert [line.get_color() for line in legend.get_lines()[:5]] == [*colours.values()]
    # Each contest has plots of its own, though two have one model, X and swept parameter.
    drawn = [{line.get_color() for line in ax.lines} - {"#222222"} for ax in figure.axes]
    for contest in (PAPERS, MANY, ONE):
        assert {colours[kernel] for kernel in contest.kernels} in drawn
    assert "the same for all networks" in " ".join(figure.get_supxlabel().split())
    papers = PanelsJob(panels=[p for p in job.panels if p.name == "papers"])
    figure = threshold_audit.draw(papers, read(made, "tables/threshold"))
    assert "the same for both networks" in " ".join(figure.get_supxlabel().split())


def test_maps_over_the_threshold_are_of_the_contests_success(made):
    rows = read(made, "figures/theta").to_pylist()
    assert {row["panel"] for row in rows} == {*PANELS}
    for name in PANELS:
        exactly = {row["value"]: row["p_exact"] for row in read(made, f"exact/{name}").to_pylist()}
        kinds = {kind: [r for r in rows if (r["panel"], r["kind"]) == (name, kind)]
                 for kind in (PAPER, BEST, MAP)}  # fmt: skip
        assert {row["value"] for row in kinds[MAP]} == {*exactly}
        for row, best in zip(kinds[PAPER], kinds[BEST], strict=True):
            assert row["p_exact"] == pytest.approx(exactly[row["value"]], abs=1e-12)
            assert best["p_exact"] >= row["p_exact"] - 1e-12
            on_map = [r["p_exact"] for r in kinds[MAP] if r["value"] == row["value"]]
            assert max(on_map) <= best["p_exact"] + 1e-9
            assert np.isfinite(best["theta"])


def test_a_model_without_the_kernels_refuses_the_contest(tmp_path):
    whole = spelled_out()
    values = whole["softmax_vs_linear"]
    values["panels"]["fig3a"]["contest"] = MANY.model_dump()
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump(whole))
    with pytest.raises(ValueError, match=r"panels\.fig3a\.contest: .* takes exp and linear alone"):
        load_config(path)
    assert load_config(ROOT / "config.yaml")
