"""Figures say what their tables say."""

import re

import numpy as np
import pytest
from making import contest, panel
from matplotlib.text import Text

from attention_separation.pages.drawing import save
from attention_separation.studies.softmax_vs_linear.exact.compute import compute_exact
from attention_separation.studies.softmax_vs_linear.exact.lines import lines_table
from attention_separation.studies.softmax_vs_linear.figures.panel_figure import HIGH, OUTSIDE, draw
from attention_separation.studies.softmax_vs_linear.models.panel_tables import join_exact
from attention_separation.studies.softmax_vs_linear.settings.panels import PanelsJob
from attention_separation.studies.softmax_vs_linear.simulation.simulate import simulate


def with_exact(of):
    return join_exact(simulate(of), compute_exact(of))


def drawn(*panels, reconstructed=()):
    tables = [with_exact(of) for of in panels]
    shown = [of.with_more(reconstructed=list(reconstructed)) for of in panels]
    return draw(PanelsJob(title="Title", panels=shown), tables, lines_table(panels)), tables


CROSS = {"n": 40, "d": 11, "m": 5, "a0": 0.0}


def texts(figure):
    return "\n".join(text.get_text() for text in figure.findobj(lambda a: hasattr(a, "get_text")))


def test_a_panel_shows_rates_intervals_and_what_is_held():
    figure, (table,) = drawn(
        panel("cross_attention", {"a1": [0.5, 1.0, 1.5]}, **CROSS), reconstructed=["m"]
    )
    (ax,) = figure.axes
    curve, dots = ax.lines
    np.testing.assert_array_equal(dots.get_xdata(), [0.5, 1.0, 1.5])
    np.testing.assert_array_equal(dots.get_ydata(), table["p_hat"].to_numpy())
    rates = dict(zip(*curve.get_data(), strict=True))
    assert len(rates) > 100
    own = [rates[value] for value in (0.5, 1.0, 1.5)]
    np.testing.assert_allclose(own, table["p_exact"].to_numpy(), atol=1e-12)
    assert curve.get_zorder() < dots.get_zorder()
    (bars,) = ax.collections
    low = [segment[0][1] for segment in bars.get_segments()]
    np.testing.assert_array_equal(low, table["ci_low"].to_numpy())
    assert ax.get_ylim() == (0, 1)
    assert ax.get_title(loc="left").startswith("𝑛 = 40,  𝑑 = 11,  𝑚 = 5*,  𝑎₀ = 0")
    assert "* reconstructed" in texts(figure)
    assert "Success: F_exp is positive on D1 and zero on D0; F_lin is zero on both." in texts(
        figure
    )


@pytest.mark.parametrize("count", [3, 20])
def test_whole_numbers_have_ticks_and_no_line_between(count):
    m = list(range(1, count + 1))
    figure, (table,) = drawn(panel("cross_attention", {"m": m}, n=40, d=11, a0=0.0, a1=1.2))
    (ax,) = figure.axes
    exact = table["p_exact"].to_numpy()
    if count == 3:
        ticks, _ = ax.lines
        assert (ticks.get_linewidth(), ticks.get_marker()) == (0, "_")
        np.testing.assert_array_equal(ticks.get_ydata(), exact)
    else:
        ticks, _ = ax.collections
        heights = np.array([segment[:, 1] for segment in ticks.get_segments()])
        np.testing.assert_array_equal(heights, np.column_stack([exact, exact]))
        assert len(ax.lines) == 1


def test_what_leaves_the_definition_is_shaded_and_said():
    """Cross-attention asks a1 >= 1."""
    figure, _ = drawn(panel("cross_attention", {"a1": [0.6, 0.8, 1.0, 1.2]}, **CROSS))
    (ax,) = figure.axes
    (span,) = ax.patches
    assert span.get_x() + span.get_width() == pytest.approx(0.9)
    assert OUTSIDE in texts(figure)
    assert "Shaded, outside the datasets' definition: 2 of 4 points" in texts(figure)
    inside, _ = drawn(panel("cross_attention", {"a1": [1.0, 1.2]}, **CROSS))
    assert not inside.axes[0].patches
    assert OUTSIDE not in texts(inside)


def test_one_value_inside_is_pointed_out_for_it_looks_like_a_fault():
    sweep = {"c": [0.7, 0.75, 0.8, 0.85, 0.9]}
    held = {"n": 40, "d": 12, "m": 5, "a0": 0.0, "a1": 1.2, "b": 0.2}
    figure, _ = drawn(panel("self_attention", sweep, **held))
    (words,) = [text for text in figure.axes[0].texts if "inside" in text.get_text()]
    assert "𝑐 = 0.8" in words.get_text()
    assert words.xy[0] == 0.8
    at_the_right, _ = drawn(panel("self_attention", {"c": [0.5, 0.6, 0.7, 0.8]}, **held))
    axes = at_the_right.axes[0]
    (words,) = axes.texts
    assert words.get_window_extent().x1 <= axes.get_window_extent().x1
    held = {name: value for name, value in held.items() if name != "a1"}
    several, _ = drawn(panel("self_attention", {"a1": [0.6, 0.7, 1.2]}, **held, c=0.8))
    assert not several.axes[0].texts


def test_a_figure_has_one_range_and_what_is_high_has_a_broken_axis():
    held = {"n": 40, "d": 21, "a0": 0.01, "m": 15, "trials": 200}
    high = panel("cross_attention", {"a1": [1.5, 2.0, 2.5]}, **held)
    low = panel("cross_attention", {"a1": [0.1, 2.0]}, **held)
    figure, (table, _) = drawn(high, low)
    assert table["ci_low"].to_numpy().min() >= HIGH
    assert [ax.get_ylim() for ax in figure.axes] == [(0, 1), (0, 1)]
    broken, whole = figure.axes
    heights = np.diff(broken.transScale.transform([[0, 0], [0, HIGH], [0, 1]])[:, 1])
    assert heights[1] > 4 * heights[0]
    assert any("broken" in text.get_text() for text in broken.texts)
    ticks = broken.get_yticks()
    assert ticks.min() == 0
    assert np.sum(ticks >= HIGH) > 2
    # Nothing is drawn twice.
    assert [len(line.get_xdata()) for line in broken.lines].count(len(table)) == 1
    assert not any(ax.child_axes for ax in figure.axes)
    assert whole.get_yscale() == "linear"


def test_nothing_is_marked_where_nothing_is_reconstructed():
    figure, _ = drawn(panel("cross_attention", {"a1": [0.5, 1.0]}, **CROSS))
    assert "*" not in texts(figure)


def hatched_cells(ax, mesh):
    """Whether each cell of a map (Y, X) lies within what is hatched."""
    corners = mesh.get_coordinates()
    middles = (corners[1:, 1:] + corners[:-1, :-1]) / 2
    (hatched,) = [patch for patch in ax.patches if patch.get_hatch()]
    inside = hatched.get_path().contains_points(middles.reshape(-1, 2))
    return inside.reshape(middles.shape[:2])


def test_a_map_has_the_swept_values_on_its_axes():
    sweep = {"a1": [0.5, 1.5], "theta": [0.5, 0.7, 0.9]}
    figure, (table,) = drawn(panel("cross_attention", sweep, **CROSS))
    ax, _ = figure.axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["0.5", "0.7", "0.9"]
    (mesh,) = ax.collections
    hatched = hatched_cells(ax, mesh)
    np.testing.assert_array_equal(hatched, [[True, False]] * 3)
    (key,) = figure.legends[0].get_texts()
    assert key.get_text() == OUTSIDE
    assert "Hatched, outside" in texts(figure)
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


def test_titles_notes_and_formulas_of_settings_are_text_and_no_mathematics():
    of_a_formula = contest("exp", r"x**2 # $\bogus$")
    p = panel("cross_attention", {"a1": [0.5, 1.0]}, **CROSS).with_more(contest=of_a_formula)
    table, lines = with_exact(p), lines_table([p])
    shown = p.with_more(notes=["cost $\\foo$ of it", "from $5 to $6*"])
    figure = draw(PanelsJob(title=r"from $\bogus{x}$ on", panels=[shown]), [table], lines)
    figure.draw_without_rendering()
    written = texts(figure)
    for text in (r"from $\bogus{x}$ on", r"cost $\foo$ of it; from $5 to $6*", r"# $\bogus$"):
        assert text in written
    assert not any(text.get_parse_math() for text in figure.findobj(Text) if "$" in text.get_text())


def test_saving_twice_gives_the_same_bytes(tmp_path):
    for stem in ("one", "two"):
        figure, _ = drawn(panel("cross_attention", {"a1": [0.5, 1.0]}, **CROSS))
        save(figure, tmp_path / stem)
    for extension in ("svg", "png", "pdf"):
        one, two = (tmp_path / f"{stem}.{extension}" for stem in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
        # Two saves within a second agree on the second: no date may stand in the file.
        assert not re.search(rb"CreationDate|dc:date", one.read_bytes())
