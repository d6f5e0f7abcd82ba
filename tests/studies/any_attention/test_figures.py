"""Figures of kernels: what they show is the engine's, and the same twice."""

import csv
import re
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from making import CONFIG

from attention_separation.__main__ import run_job
from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.least_values import least_weights
from attention_separation.any_attention.values import best_probabilities
from attention_separation.attention.kernels import KERNELS, exponential, power
from attention_separation.datasets import another_x
from attention_separation.pages import drawing
from attention_separation.settings.kernel_section import ScoreKernel
from attention_separation.settings.kernel_values import own_kernel
from attention_separation.studies.any_attention import figures
from attention_separation.studies.any_attention.figures import spaced_multiples
from attention_separation.studies.any_attention.settings import FIGURES, KernelsJob

STUDY = CONFIG.studies()["any_attention"]
DATA = STUDY.section.data
ACCURACY = "kernels_accuracy"
MAPS = ("kernels_degrees", "kernels_temperature")


def draw(folder, name):
    """The path of a figure that its job draws."""
    output = folder / f"{name}.svg"
    settings = KernelsJob(data=DATA).canonical()
    words = ["--settings", settings, "--figure", name, "--output", str(output)]
    run_job("studies.any_attention.figures", *words)
    return output


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """The folder of all figures at fewer n and parameters, of which one of each kind is written as
    a picture."""
    folder = tmp_path_factory.mktemp("kernels")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "FORMATS", ("svg",))
        patch.setattr(figures, "MOST_SIZES_OF_MAP", 3)
        for name, count in ((ACCURACY, 9), ("kernels_margins", 4), ("kernels_budget", 3)):
            patch.setitem(figures.DRAWN, name, replace(figures.DRAWN[name], count=count))
        for name in MAPS:
            few = figures.DRAWN[name].values[::20]
            patch.setitem(figures.DRAWN, name, replace(figures.DRAWN[name], values=few))
        for name in (ACCURACY, MAPS[0]):
            draw(folder, name)
        again = draw(folder / "again", ACCURACY)
        assert again.read_bytes() == (folder / again.name).read_bytes()
        patch.setattr(drawing, "save", lambda *_: None)
        for name in {*FIGURES} - {ACCURACY, MAPS[0]}:
            draw(folder, name)
    return folder


def table(drawn, name):
    return pq.read_table(drawn / f"{name}.parquet").to_pandas()


def test_a_picture_has_its_title_and_every_figure_its_numbers(drawn):
    for name in (ACCURACY, MAPS[0]):
        assert figures.DRAWN[name].title[:30] in (drawn / f"{name}.svg").read_text(encoding="utf-8")
    for name in FIGURES:
        with (drawn / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
            assert len([*csv.reader(lines)]) == 1 + len(table(drawn, name))


def test_lines_are_exact_values(drawn):
    for layer in LAYERS:
        own = table(drawn, ACCURACY).query(
            f"model == '{layer.model}' and attention_x == '{layer.attention_x}'"
        )
        assert {*own["kernel"]} == {*figures.ACCURACY.shown} >= {"exp", "linear"}
        for name in ("exp_sqrt_d", "elu_plus_one"):
            line = own[own["kernel"] == name]
            wanted = best_probabilities(KERNELS[name], layer, DATA, line["n"].tolist())
            np.testing.assert_array_equal(line["p_best"], wanted)


def test_maps_are_exact_values_of_their_kernels(drawn):
    of = {"degree": power, "temperature": lambda t: exponential("", "", lambda _: t, "")}
    for figure, (name, kernel) in zip(MAPS, of.items(), strict=True):
        found = table(drawn, figure)
        assert len(found) == 3 * 4 * 3
        for layer in LAYERS:
            one = found.query(f"model == '{layer.model}' and attention_x == '{layer.attention_x}'")
            for _, row in one.sample(2, random_state=1).iterrows():
                wanted = best_probabilities(kernel(row[name]), layer, DATA, [row["n"]])
                assert row["p_best"] == pytest.approx(wanted[0], abs=1e-12)


def test_gaps_and_weights(drawn):
    gaps = table(drawn, "kernels_margins")
    linear = gaps.query("kernel == 'linear' and model == 'cross_attention'")
    slopes = np.diff(np.log(linear["margin"])) / np.diff(np.log(linear["n"]))
    np.testing.assert_allclose(slopes, -1, atol=0.02)
    assert gaps.query("kernel == 'uniform' and model == 'cross_attention'")["margin"].isna().all()
    other = gaps.query("attention_x == 'another'")["margin"]
    assert other.tolist() == [another_x.margin(DATA, figures.WEIGHT_OF_ANOTHER_X)] * 4
    weights = table(drawn, "kernels_budget").query("kernel == 'linear'")
    wanted = least_weights(KERNELS["linear"], LAYERS[0], DATA, weights["n"].tolist()[:3])
    np.testing.assert_array_equal(weights["weight"][:3], wanted)


def test_multiples_of_k_nearly_geometric():
    found = spaced_multiples(20, 7, least=20, most=2e7)
    assert found == [20, 200, 2000, 20_000, 200_000, 2_000_000, 20_000_000]
    assert spaced_multiples(7, 3, least=2, most=50)[0] == 7


def test_a_line_is_named_once_in_the_legend_in_mathematics(drawn):
    assert figures.with_exponents("x^8") == "x$^{8}$"
    assert figures.with_exponents("e^(10 cos(q, k))") == "e$^{10 cos(q, k)}$"
    labels = [figures.label_of(name, {}) for name in KERNELS]
    assert not any(re.search(r"(?<!\$)\^", label) for label in labels)
    few = figures.ACCURACY.at_most(2)
    picture = few.draw(few.numbers(DATA, {}), DATA, {})
    picture.draw_without_rendering()
    (legend,) = picture.legends
    assert len(legend.get_texts()) == len(few.shown)
    assert not any(ax.texts for ax in picture.axes)


def test_a_users_formula_is_text_and_cut_where_it_is_long():
    own = {"mine": replace(KERNELS["linear"], name="mine", symbol="x^2 + " * 20)}
    label = figures.label_of("mine", own)
    assert "$" not in label
    assert len(label) == len("mine: ") + figures.MOST_OF_SYMBOL


def test_a_dollar_in_the_comment_of_a_users_formula_is_one(tmp_path):
    own = {"mine": own_kernel("mine", ScoreKernel(score="x**2 # $\\foo$"))}
    few = figures.ACCURACY.at_most(2)
    picture = few.draw(few.numbers(DATA, own), DATA, own)
    drawing.save(picture, tmp_path / "one", formats=["svg"])
    assert r"<!-- mine: x**2 # $\foo$ -->" in (tmp_path / "one.svg").read_text(encoding="utf-8")


def test_panels_of_lines_have_one_range():
    few = figures.MARGINS.at_most(3)
    picture = few.draw(few.numbers(DATA, {}), DATA, {})
    assert len({ax.get_ylim() for ax in picture.axes}) == 1


@pytest.mark.parametrize("name", MAPS)
def test_a_law_is_drawn_as_its_note_says(name):
    few = figures.DRAWN[name].at_most(3)
    picture = few.draw(few.numbers(DATA), DATA)
    line = picture.axes[0].lines[0]
    assert (line.get_color(), len(line.get_path_effects())) == ("white", 1)
    assert "White with dark edges: the law's" in picture.get_supxlabel()


def test_a_legend_names_lines_in_the_order_in_which_they_end():
    few = figures.BUDGET.at_most(3)
    picture = few.draw(few.numbers(DATA, {}), DATA, {})
    first, *_ = picture.axes
    ends = {}
    for line in first.lines:
        heights = line.get_ydata()
        known = heights[np.isfinite(heights)]
        ends[line.get_label()] = known[-1] if len(known) else -np.inf
    labels = [text.get_text() for text in picture.legends[0].get_texts()]
    assert len(labels) == len(few.shown)
    assert labels == sorted(labels, key=ends.get, reverse=True)
