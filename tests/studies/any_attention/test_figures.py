"""Figures of kernels: what they show is the engine's, and the same twice."""

from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from making import CONFIG
from matplotlib.colors import rgb_to_hsv, to_rgb
from matplotlib.figure import Figure

from attention_separation.__main__ import run_job
from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.least_values import least_weights
from attention_separation.any_attention.values import best_probabilities
from attention_separation.attention.kernels import KERNELS, exponential, power
from attention_separation.datasets import another_x
from attention_separation.pages import drawing
from attention_separation.studies.any_attention import figures
from attention_separation.studies.any_attention.figures import multiples
from attention_separation.studies.any_attention.settings import FIGURES, KernelsJob

STUDY = CONFIG.studies()["any_attention"]
DATA = STUDY.section.data
ACCURACY = "kernels_accuracy"
MAPS = ("kernels_degrees", "kernels_temperature")


def draw(folder, *names):
    found = {}
    for name in names:
        found[name] = folder / f"{name}.svg"
        settings = KernelsJob(data=DATA).canonical()
        words = ["--settings", settings, "--figure", name, "--output", str(found[name])]
        run_job("studies.any_attention.figures", *words)
    return found


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """The figures at fewer n and parameters, and one of each kind drawn again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "FORMATS", ("svg",))
        patch.setattr(figures, "SIZES", 5)
        for name, count in ((ACCURACY, 9), ("kernels_margins", 4), ("kernels_budget", 3)):
            patch.setitem(figures.DRAWN, name, replace(figures.DRAWN[name], count=count))
        for name in MAPS:
            few = figures.DRAWN[name].values[::10]
            patch.setitem(figures.DRAWN, name, replace(figures.DRAWN[name], values=few))
        folders = (tmp_path_factory.mktemp("kernels") for _ in range(2))
        return draw(next(folders), *FIGURES), draw(next(folders), ACCURACY, MAPS[0])


def table(drawn, name):
    return pq.read_table(drawn[0][name].with_suffix(".parquet")).to_pandas()


def test_figures_are_the_same_twice(drawn):
    first, second = drawn
    for name, path in first.items():
        assert path.stat().st_size > 20_000
        assert path.with_suffix(".csv").exists()
        assert name not in second or path.read_bytes() == second[name].read_bytes()


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
        assert len(found) == 3 * 7 * 5
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
    assert other.tolist() == [another_x.margin(DATA, figures.WEIGHT)] * 4
    weights = table(drawn, "kernels_budget").query("kernel == 'linear'")
    wanted = least_weights(KERNELS["linear"], LAYERS[0], DATA, weights["n"].tolist()[:3])
    np.testing.assert_array_equal(weights["weight"][:3], wanted)


def test_multiples_of_k_nearly_geometric():
    found = multiples(20, 7, least=20, most=2e7)
    assert found == [20, 200, 2000, 20_000, 200_000, 2_000_000, 20_000_000]
    assert multiples(7, 3, least=2, most=50)[0] == 7


def test_a_line_that_stays_high_has_its_symbol_below_its_end():
    panel = Figure().subplots()
    panel.plot([100, 1000, 10_000], [1.0, 0.99, 0.93])
    figures.label_falling_lines(panel, ["x"])
    (label,) = panel.texts
    n, height = label.get_position()
    assert n == 10_000
    assert 0.88 < height < 0.93


@pytest.mark.parametrize("name", MAPS)
def test_the_colour_that_a_note_names_is_that_of_the_laws_line(name):
    """Colours by their hue, in degrees."""
    hues = {"Red": (345, 15), "Orange": (15, 45)}
    few = figures.DRAWN[name].at_most(3)
    picture = few.draw(few.numbers(DATA), DATA)
    hue = 360 * rgb_to_hsv(to_rgb(picture.axes[0].lines[0].get_color()))[0]
    named = [word for word in hues if f"{word}: the law's" in picture.get_supxlabel()]
    assert [word for word, (low, high) in hues.items() if low <= hue < high] == named
