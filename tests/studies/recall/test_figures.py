"""Figures of recall: every line and dot of the tables is drawn, and a table of little draws."""

import pyarrow as pa
import pytest

from attention_separation.looks.kernel_styles import kernel_marker
from attention_separation.studies.recall import figures
from attention_separation.studies.recall.tables.joined import CAPACITIES, LINES_SCHEMA


def row(part, layer, d, n, accuracy, age=None):
    return {
        "part": part, "layer": layer, "d": d, "n": n, "age": age, "accuracy": accuracy,
        "error": 0.01, "method": "exact",
    }  # fmt: skip


ROWS = [
    row("line", "linear", 16, 4, 0.95), row("line", "linear", 16, 2, 0.99),
    row("dot", "linear", 16, 4, 0.94), row("line", "one_of_mine", 16, 4, 0.7),
    row("line", "linear", 64, 4, 0.99), row("line", "linear", 16, 64, 0.7, 0),
    row("line", "linear", 16, 64, 0.7, 9), row("dot", "linear", 16, 64, 0.71, 9),
]  # fmt: skip


def drawn(figure):
    """Labelled lines of each panel, and marks."""
    return [{text.get_label(): list(text.get_xdata()) for text in ax.lines} for ax in figure.axes]


def test_accuracies():
    figure = figures.draw_accuracies("title", pa.Table.from_pylist(ROWS, LINES_SCHEMA))
    at_16, at_64 = drawn(figure)
    assert at_16["linear"] == [0.125, 0.25]
    assert at_16["one_of_mine"] == [0.25]
    assert at_64["linear"] == [0.0625]
    assert "elu_plus_one zigzags" in figure.get_supxlabel()
    (legend,) = figure.legends
    markers = {text.get_text(): handle.get_marker() for text, handle in
               zip(legend.get_texts(), legend.legend_handles, strict=True)}  # fmt: skip
    assert markers == {"linear": kernel_marker("linear"), "one_of_mine": "None"}


def test_ages():
    figure = figures.draw_ages("title", pa.Table.from_pylist(ROWS, LINES_SCHEMA))
    (at_16,) = drawn(figure)
    assert at_16["linear"] == [0, 9 / 16]
    assert "n = 4 d pairs" in figure.get_supxlabel().replace("\n", " ")


@pytest.mark.parametrize("draw", [figures.draw_accuracies, figures.draw_ages])
def test_lines_are_at_most_eight_beside_a_users(draw):
    layers = [*figures.LAYERS_IN_LEGEND, "one_of_mine"]
    rows = [row("line", layer, 16, 4, 0.9, age) for layer in layers for age in (None, 0, 1)]
    (panel,) = drawn(draw("title", pa.Table.from_pylist(rows, LINES_SCHEMA)))
    shown = panel.keys() & {*layers}
    assert "one_of_mine" in shown
    assert len(shown) == 8 + 1


def test_states():
    rows = [
        {"layer": layer, "d": 16, "level": 0.9, "largest_n": largest, "low": low, "high": None,
         "state": state, "kept": "", "method": ""}
        for layer, largest, low, state in (
            ("linear", 10.0, 10.0, 16.0), ("sparsemax", None, 500.0, 500.0),
            ("ssmax", float("inf"), float("inf"), None), ("elu_plus_one", 1.0, 1.0, 16.0),
        )
    ]  # fmt: skip
    figure = figures.draw_states("title", pa.Table.from_pylist(rows, CAPACITIES))
    (found,) = drawn(figure)
    assert found["linear"] == [16]
    assert found["sparsemax"] == [500]
    assert "ssmax" not in found
    assert "elu_plus_one" not in found


@pytest.mark.parametrize("draw", [figures.draw_accuracies, figures.draw_ages])
def test_of_no_rows_there_is_an_empty_picture(draw):
    draw("title", pa.Table.from_pylist([], LINES_SCHEMA))
