"""Panels whose contest is not the paper's, from trials to figures."""

import pyarrow.parquet as pq
import pytest
import yaml
from making import CONFIG, entry, spelled_out
from picture_formats import pictures_as

from attention_separation.__main__ import run_job
from attention_separation.config import load_config
from attention_separation.looks.kernel_styles import kernel_line
from attention_separation.results.tables import TableError
from attention_separation.studies.open_choices.study import OpenChoices
from attention_separation.studies.open_choices.success_figures import (
    phase_figure,
    places_on_map,
    theta_figure,
    threshold_figure,
)
from attention_separation.studies.open_choices.success_tables import phase_table
from attention_separation.studies.softmax_vs_linear.exact.lines import lines_table
from attention_separation.studies.softmax_vs_linear.figures.panel_figure import draw as draw_figure
from attention_separation.studies.softmax_vs_linear.models import panel_tables
from attention_separation.studies.softmax_vs_linear.models.contest import CONTEST_OF_PAPER, Contest
from attention_separation.studies.softmax_vs_linear.settings.panels import PanelsJob

MANY = Contest(fires="exp", silent=("linear", "elu_plus_one", "power_2"))
ONE = Contest(fires="power_3", silent=())
EVENTS = (
    "exp_d1_positive", "linear_d1_zero", "elu_plus_one_d1_zero", "power_2_d1_zero",
    "exp_d0_zero", "linear_d0_zero", "elu_plus_one_d0_zero", "power_2_d0_zero",
)  # fmt: skip
SAID = (
    "In many, success: F_exp is positive on D1 and zero on D0; F_lin, F_elu_plus_one and F_power_2 "
    "are zero on both."
)
SAID_OF_ONE = "In one, success: F_power_3 is positive on D1 and zero on D0."
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
def studies(tmp_path_factory):
    """Three panels, of the paper's contest, of more and of fewer networks, and figures of them."""
    whole = spelled_out()
    values = whole["softmax_vs_linear"]
    values["panels"] = {name: panel | {"trials": TRIALS} for name, panel in PANELS.items()}
    values["figures"] = {
        "pair": {"title": "Two contests", "panels": ["papers", "many"]},
        "other": {"title": "Others", "panels": ["one", "many"]},
    }
    whole["open_choices"]["phase"] = {}
    path = tmp_path_factory.mktemp("config") / "config.yaml"
    path.write_text(yaml.safe_dump(whole, sort_keys=False))
    return load_config(path).studies()


def run(module, job, **options):
    """Run a job of the study with a job's settings; options are --NAME VALUE."""
    arguments = ["--settings", job if isinstance(job, str) else job.canonical()]
    for option, value in options.items():
        values = value if isinstance(value, list) else [value]
        arguments += [f"--{option}", *map(str, values)]
    assert run_job(f"studies.{module}", *arguments) == 0


@pytest.fixture(scope="module")
def made(studies, tmp_path_factory):
    """A folder of results: of the three panels all but the claims and the open choices."""
    paper, choices = studies["softmax_vs_linear"], studies["open_choices"]
    folder = tmp_path_factory.mktemp("results")
    with pictures_as():
        write(paper, choices, folder)
    return folder


def write(paper, choices, folder):
    exactly = {name: folder / f"exact/{name}.parquet" for name in PANELS}
    trials = {name: folder / f"panels/{name}.parquet" for name in PANELS}
    for name in PANELS:
        run(
            "softmax_vs_linear.simulation.simulate",
            paper.panels.simulated[name].canonical(),
            output=trials[name],
        )
    run(
        "softmax_vs_linear.exact.compute",
        PanelsJob(panels=[*paper.panels.exact.values()]),
        outputs=[*exactly.values()],
    )
    for name, figure in paper.section.figures.items():
        run(
            "softmax_vs_linear.figures.panel_figure", paper.results[name].settings,
            tables=[trials[panel] for panel in figure.panels],
            exact=[exactly[panel] for panel in figure.panels],
            output=folder / f"figures/{name}.svg",
        )  # fmt: skip
    run(
        "softmax_vs_linear.figures.verdicts", paper.results["verdicts"].settings,
        tables=[*trials.values()], exact=[*exactly.values()],
        output=folder / "tables/verdicts.parquet",
    )  # fmt: skip
    run(
        "open_choices.whp",
        choices.results["whp"].settings,
        exact=[*exactly.values()],
        output=folder / "tables/whp.parquet",
    )
    run(
        "open_choices.threshold", choices.results["threshold"].settings,
        table=folder / "tables/threshold.parquet", figure=folder / "figures/threshold.svg",
    )  # fmt: skip
    run(
        "open_choices.theta",
        choices.results["theta"].settings,
        output=folder / "figures/theta.svg",
    )


def read(made, path):
    return pq.ParquetFile(made / f"{path}.parquet").read()


def test_trials_count_the_events_of_the_contest(made):
    table = read(made, "panels/many")
    assert table.schema.names == panel_tables.simulated_schema(MANY).names
    assert [*EVENTS] == table.schema.names[15:23]
    assert not any(name.startswith("f_") for name in table.schema.names)
    for row in table.to_pylist():
        happened = [row[event] for event in EVENTS]
        assert max(0, sum(happened) - 7 * TRIALS) <= row["successes"] <= min(happened)
    assert read(made, "panels/one").schema.names[15:17] == [*ONE.events]
    assert read(made, "panels/papers").schema.names[15:19] == [*CONTEST_OF_PAPER.events]


def test_exact_values_are_joined_to_trials_of_their_contest(made):
    trials, exactly = (
        [made / f"{folder}/{name}.parquet" for name in ("one", "many")]
        for folder in ("panels", "exact")
    )
    assert len(panel_tables.read_joined(trials, exactly, (ONE, MANY))) == 2
    with pytest.raises(TableError, match="not a table of this version"):
        panel_tables.read_joined(trials, exactly, (MANY, ONE))


def test_the_simulation_agrees_with_its_exact_values(made):
    rows = read(made, "tables/verdicts").to_pylist()
    assert [(row["panel"], row["verdict"]) for row in rows] == [(name, "agrees") for name in PANELS]
    assert len(read(made, "tables/verdicts_points")) == 4 + 4 + 2


def test_with_high_probability_has_a_row_for_each_event_and_one_for_all(made):
    rows = read(made, "tables/whp").to_pylist()
    of = {name: [row for row in rows if row["panel"] == name] for name in PANELS}
    assert [row["event"] for row in of["papers"]] == [*CONTEST_OF_PAPER.events, "all_four"]
    assert [row["event"] for row in of["many"]] == [*EVENTS, "all"]
    assert [row["event"] for row in of["one"]] == [*ONE.events, "all"]
    for own in of.values():
        *each, together = own
        assert together["worst_failure"] == max(row["worst_failure"] for row in each)
        assert together["points_whp"] <= min(row["points_whp"] for row in each)


def test_a_figure_of_two_contests_has_both_kinds_of_columns(studies, made):
    table = read(made, "figures/pair")
    of = {name: [row for row in table.to_pylist() if row["panel"] == name] for name in PANELS}
    assert (len(of["papers"]), len(of["many"]), len(of["one"])) == (4, 4, 0)
    for contest, own, other in ((CONTEST_OF_PAPER, "papers", "many"), (MANY, "many", "papers")):
        for event in contest.events:
            for column in (event, f"prob_{event}", f"error_{event}"):
                assert all(row[column] is not None for row in of[own]), column
                assert all(row[column] is None for row in of[other]), column
    simulated = read(made, "panels/many").to_pylist()
    for row, own in zip(of["many"], simulated, strict=True):
        assert {name: row[name] for name in own} == own


def test_figures_say_whose_contest_is_not_the_papers(studies, made):
    paper, choices = studies["softmax_vs_linear"], studies["open_choices"]

    def note(figure):
        return " ".join(figure.get_supxlabel().split())

    of = {}
    for name, figure in paper.section.figures.items():
        job = paper.results[name].settings
        paths = (
            [made / f"{folder}/{panel}.parquet" for panel in figure.panels]
            for folder in ("panels", "exact")
        )
        of[name] = note(
            draw_figure(
                job,
                panel_tables.read_joined(*paths, [look.contest for look in job.panels]),
                lines_table(job.panels),
            )
        )
    assert SAID in of["pair"]
    assert "In papers" not in of["pair"]
    maps = note(theta_figure(choices.results["theta"].settings, read(made, "figures/theta")))
    for words in (of["other"], maps):
        assert SAID in words
        assert SAID_OF_ONE in words


def test_phase_maps_say_whose_contest_is_not_the_papers(studies):
    """Nor does their title say what F_lin does."""
    fixed = {key: value for key, value in SELF.items() if key != "a1"}
    maps = {
        name: entry("self_attention", {"m": [1, 4], "a1": [0.8, 1.2]}, contest=own, **fixed)
        for name, own in (("paper", CONTEST_OF_PAPER), ("other", MANY))
    }
    of = {}
    for names in (["paper"], ["paper", "other"]):
        phase_of = {"phase": {name: maps[name] for name in names}}
        section = CONFIG.open_choices.model_copy(update=phase_of)
        panels = studies["softmax_vs_linear"].panels
        job = OpenChoices(section, panels, "results").results["phase"].settings
        of[len(names)] = phase_figure(job, phase_table(job))
    assert "F_lin" in of[1].get_suptitle()
    assert "success:" not in of[1].get_supxlabel()
    assert "F_lin" not in of[2].get_suptitle()
    assert SAID.replace("many", "other") in " ".join(of[2].get_supxlabel().split())
    # Of the panels with the same numbers each is on the map of its contest.
    assert [places_on_map(each, job.marked) for each in job.panels] == [
        [(m, 1.2) for m in (1.0, 4.0, 9.0, 30.0)]
    ] * 2
    marked = {name: [of for of in job.marked if of.name == name] for name in PANELS}
    assert places_on_map(job.panels[0], marked["many"]) == []
    assert places_on_map(job.panels[1], marked["papers"]) == []


def test_the_figure_of_thresholds_has_a_colour_and_a_line_for_each_kernel(studies, made):
    choices = studies["open_choices"]
    job = choices.results["threshold"].settings
    names = ("exp", "linear", "elu_plus_one", "power_2", "power_3")
    colours = {name: kernel_line(name)["color"] for name in names}
    assert len({*colours.values()}) == 5
    figure = threshold_figure(job, read(made, "tables/threshold"))
    figure.draw_without_rendering()
    (legend,) = [*figure.legends, *(ax.get_legend() for ax in figure.axes if ax.get_legend())]
    words = [text.get_text() for text in legend.get_texts()]
    assert words[:5] == ["𝐹_exp", "𝐹_lin", "𝐹_elu_plus_one", "𝐹_power_2", "𝐹_power_3"]
    assert [line.get_color() for line in legend.get_lines()[:5]] == [*colours.values()]
    # Each contest has plots of its own, though two have one model, X and swept parameter.
    drawn = [{line.get_color() for line in ax.lines} - {"#222222"} for ax in figure.axes]
    for contest in (CONTEST_OF_PAPER, MANY, ONE):
        assert {colours[kernel] for kernel in contest.kernels} in drawn
    assert "the same for all networks" in " ".join(figure.get_supxlabel().split())
    papers = PanelsJob(panels=[p for p in job.panels if p.name == "papers"])
    figure = threshold_figure(papers, read(made, "tables/threshold"))
    assert "the same for both networks" in " ".join(figure.get_supxlabel().split())
