"""Phase maps: exact values over two parameters, with the paper's points marked."""

import numpy as np
import pytest
from making import CHOICES, CONFIG, exact_at

from attention_separation.studies.open_choices.success_figures import phase_figure, places_on_map
from attention_separation.studies.open_choices.success_tables import phase_table
from attention_separation.studies.softmax_vs_linear.settings.panels import KEY


def job(points=4):
    of = CHOICES.results["phase"].settings
    maps = [entry.with_more(most_values=points) for entry in of.panels]
    return of.model_copy(update={"panels": maps})


def test_the_table_has_a_row_for_each_point():
    table = phase_table(job())
    assert table["map"].unique().to_pylist() == list(CONFIG.open_choices.phase)
    assert len(table) == sum(len(entry.points()) for entry in job().panels)
    for entry in job().panels[:2]:
        rows = [row for row in table.to_pylist() if row["map"] == entry.name]
        for row, point in zip(rows, entry.points(), strict=True):
            assert (row["a1"], row["n"], row["d"]) == (point.a1, point.n, point.d)
            assert row["p_exact"] == pytest.approx(exact_at(point).success, abs=1e-14)


def test_the_papers_operating_points_are_marked():
    marked = job().marked
    found = {entry.name: places_on_map(entry, marked) for entry in job(None).panels}
    assert (1.2, 0.8) in found["identity_a1_c"]
    assert (1.2, 0.5) in found["ones_a1_c"]
    assert {(200, 12), (1000, 12), (256, 66), (200, 22)} <= set(found["identity_n_d"])
    assert {(22, 1), (22, 80)} <= set(found["ones_d_m"])
    # Panel e sweeps a0: it leaves every map's plane but at the maps' own a0.
    assert all(len(dots) > 5 for dots in found.values())


def test_the_figure_shows_every_map():
    table = phase_table(job())
    figure = phase_figure(job(), table)
    figure.draw_without_rendering()
    maps = [ax for ax in figure.axes if ax.get_title(loc="left")]
    assert len(maps) == 6
    mesh = maps[0].collections[0]
    titles = [ax.get_title(loc="left") for ax in maps]
    assert all(("𝑐 + 0.1*" in title) == ("identity" in title) for title in titles)
    assert "one 𝑦 per trial*; V the identity*." in figure.get_supxlabel()
    assert KEY in figure.get_supxlabel()
    own = [row["p_exact"] for row in table.to_pylist() if row["map"] == "identity_a1_c"]
    np.testing.assert_array_equal(mesh.get_array().T.ravel(), own)


def test_a_note_of_settings_is_text_and_no_mathematics():
    panel, *_ = job().panels
    panels = [panel.with_more(notes=[r"cost $\foo$ of it"])]
    of_notes = job().model_copy(update={"panels": panels})
    figure = phase_figure(of_notes, phase_table(of_notes))
    figure.draw_without_rendering()
    assert r"cost $\foo$ of it." in " ".join(figure.get_supxlabel().split())
