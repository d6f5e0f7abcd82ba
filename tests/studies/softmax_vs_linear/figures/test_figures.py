"""Figures say what their tables say."""

import re

import numpy as np
import pytest
from making import panel

from attention_separation.pages.drawing import save
from attention_separation.studies.softmax_vs_linear.exact.compute import compute_exact
from attention_separation.studies.softmax_vs_linear.figures.panel_figure import draw
from attention_separation.studies.softmax_vs_linear.models.panel_tables import join_exact
from attention_separation.studies.softmax_vs_linear.settings.panels import PanelsJob
from attention_separation.studies.softmax_vs_linear.simulation.simulate import simulate


def with_exact(of):
    return join_exact(simulate(of), compute_exact(of))


def drawn(*panels, reconstructed=()):
    tables = [with_exact(of) for of in panels]
    shown = [of.with_more(reconstructed=list(reconstructed)) for of in panels]
    return draw(PanelsJob(title="Title", panels=shown), tables), tables


CROSS = {"n": 40, "d": 11, "m": 5, "a0": 0.0}


def texts(figure):
    return "\n".join(text.get_text() for text in figure.findobj(lambda a: hasattr(a, "get_text")))


def test_a_panel_shows_rates_intervals_and_what_is_held():
    figure, (table,) = drawn(
        panel("cross_attention", {"a1": [0.5, 1.0, 1.5]}, **CROSS), reconstructed=["m"]
    )
    (ax,) = figure.axes
    curve, dots = ax.lines
    for line, column in ((curve, "p_exact"), (dots, "p_hat")):
        np.testing.assert_array_equal(line.get_xdata(), [0.5, 1.0, 1.5])
        np.testing.assert_array_equal(line.get_ydata(), table[column].to_numpy())
    assert curve.get_zorder() < dots.get_zorder()
    (bars,) = ax.collections
    low = [segment[0][1] for segment in bars.get_segments()]
    np.testing.assert_array_equal(low, table["ci_low"].to_numpy())
    assert ax.get_ylim() == (0, 1)
    assert ax.get_title(loc="left").startswith("𝑛 = 40,  𝑑 = 11,  𝑚 = 5*,  𝑎₀ = 0")
    assert "* reconstructed" in texts(figure)


def test_nothing_is_marked_where_nothing_is_reconstructed():
    figure, _ = drawn(panel("cross_attention", {"a1": [0.5, 1.0]}, **CROSS))
    assert "*" not in texts(figure)


def test_a_map_has_the_swept_values_on_its_axes():
    sweep = {"a1": [0.5, 1.5], "theta": [0.5, 0.7, 0.9]}
    figure, (table,) = drawn(panel("cross_attention", sweep, **CROSS))
    ax, _ = figure.axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["0.5", "0.7", "0.9"]
    mesh, *contours = ax.collections
    assert contours
    rates = {(row["a1"], row["tau"]): row["p_hat"] for row in table.to_pylist()}
    thresholds = sorted({tau for _, tau in rates})
    expected = [[rates[a1, tau] for a1 in (0.5, 1.5)] for tau in thresholds]
    np.testing.assert_array_equal(mesh.get_array().reshape(3, 2), expected)


@pytest.mark.parametrize("sweep", [{"a1": [0.5], "theta": [0.5]}, {"a1": [0.5, 1], "m": [3]}])
def test_a_map_of_one_row_or_column_has_cells(sweep):
    figure, (table,) = drawn(
        panel("cross_attention", sweep, **{k: v for k, v in CROSS.items() if k not in sweep})
    )
    (mesh,) = figure.axes[0].collections
    assert mesh.get_array().size == len(table)
    assert "intervals" not in texts(figure)


def test_a_title_is_text_and_no_formula():
    p = panel("cross_attention", {"a1": [0.5, 1.0]}, **CROSS)
    figure = draw(PanelsJob(title=r"from $\bogus{x}$ on", panels=[p]), [with_exact(p)])
    figure.draw_without_rendering()
    assert r"from $\bogus{x}$ on" in texts(figure)


@pytest.mark.parametrize("law", ["uniform", "low"])
def test_saving_twice_gives_the_same_bytes(tmp_path, law):
    for stem in ("one", "two"):
        figure, _ = drawn(panel("regression", {"n": list(range(8, 40))}, m=2, law=law))
        save(figure, tmp_path / stem)
    for extension in ("svg", "png", "pdf"):
        one, two = (tmp_path / f"{stem}.{extension}" for stem in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
        # Two saves within a second agree on the second: no date may stand in the file.
        assert not re.search(rb"CreationDate|dc:date", one.read_bytes())
