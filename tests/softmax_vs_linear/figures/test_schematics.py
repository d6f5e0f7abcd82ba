"""Schematics show the shapes and values of the arrays that the code computes."""

import itertools
import json
from collections import Counter

import matplotlib
import numpy as np
import pytest

from attention_separation.attention.dense import attention
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets import self_attention
from attention_separation.job import parsed
from attention_separation.pages.drawing import RC, save
from attention_separation.softmax_vs_linear.figures import schematic as schematics
from attention_separation.softmax_vs_linear.figures.regression_schematics import example
from attention_separation.softmax_vs_linear.figures.schematic import fig1, fig2, fig6
from attention_separation.softmax_vs_linear.figures.sheet import SHADES
from attention_separation.softmax_vs_linear.models import regression
from attention_separation.softmax_vs_linear.models.networks import tensor_attention

SIZES = [
    (fig1, (8, 3)),
    (fig1, (16, 8)),
    (fig2, (4, 3, 2)),
    (fig2, (2, 2, 1)),
    (fig2, (6, 5, 4)),
    (fig6, (6, 5)),
    (fig6, (2, 3)),
    (fig6, (12, 8)),
]


def parts(figure, kind):
    """Everything drawn whose name starts with KIND-, by its whole name."""
    drawn = [part for part in figure.axes[0].get_children() if part.get_gid()]
    named = [part for part in drawn if part.get_gid().startswith(f"{kind}-")]
    found = {part.get_gid(): part for part in named}
    assert len(found) == len(named), "every name stands once"
    return found


def shown(figure, name):
    """The matrix that the heat map of this name shows."""
    (mesh,) = (part for part in figure.axes[0].get_children() if part.get_gid() == name)
    return np.asarray(mesh.get_array())


def words(figure):
    return [text for text in figure.axes[0].texts if text.get_text().strip()]


def texts(figure):
    return [text.get_text() for text in words(figure)]


def lines(figure, names):
    """How many lines of each sign lead from entries to units."""
    signs = parts(figure, names)
    return [
        sum(len(part.get_segments()) for name, part in signs.items() if name.endswith(end))
        for end in ("plus", "minus")
    ]


@pytest.mark.parametrize(("n", "m"), [(8, 3), (5, 4), (16, 8)])
def test_figure_1_has_an_entry_for_each_token_and_m_units(n, m):
    figure = fig1(n, m)
    assert len(parts(figure, "entry")) == n
    assert len(parts(figure, "unit")) == m
    assert sum(lines(figure, "signs")) == n * m
    assert {f"{n} × {m}", f"{m} ReLU units", str(n)} <= set(texts(figure))
    assert shown(figure, "a").shape[0] == n
    assert f"{n} × {shown(figure, 'a').shape[1]}" in texts(figure)


def test_figure_1_shows_both_networks_weights_of_one_input():
    figure = fig1(8, 3)
    z = (shown(figure, "a") @ shown(figure, "x"))[:, 0]
    np.testing.assert_allclose(shown(figure, "z")[:, 0], z)
    assert ((z > 3.9 * np.log(8)).sum(), (z < 1.41 * np.log(8)).sum()) == (1, 7)
    softmax = regression.normalise(regression.u_exp(z))
    np.testing.assert_allclose(shown(figure, "f-strip")[0], softmax)
    linear = regression.normalise(regression.u_lin(z))
    np.testing.assert_allclose(shown(figure, "f_lin-strip")[0], linear)
    faces = [parts(figure, "entry")[f"entry-{j + 1}"].get_facecolor() for j in range(8)]
    np.testing.assert_allclose(faces, SHADES["blue"](softmax))


def test_lines_say_which_sign_leads_from_an_entry_to_a_unit():
    figure = fig1(8, 3)
    entries, units = (
        {part.center: index for index, part in enumerate(parts(figure, kind).values())}
        for kind in ("entry", "unit")
    )
    y = np.zeros((8, 3))
    for name, sign in (("signs-plus", 1), ("signs-minus", -1)):
        for start, end in parts(figure, "signs")[name].get_segments():
            y[entries[tuple(start)], units[tuple(end)]] = sign
    np.testing.assert_array_equal(y, example(8, 3)["y"])


@pytest.mark.parametrize(("n", "d", "m"), [(4, 3, 2), (5, 4, 3), (2, 5, 1)])
def test_figure_2_has_n_blocks_of_d_entries_and_m_units(n, d, m):
    figure = fig2(n, d, m)
    assert set(parts(figure, "token")) == {f"token-{j + 1}" for j in range(n)}
    assert len(parts(figure, "entry")) == n * d
    for token in range(1, n + 1):
        assert len(parts(figure, f"entry-{token}")) == d
        assert len(parts(figure, f"unit-{token}")) == m
        assert sum(lines(figure, f"signs-{token}")) == d * m
        assert shown(figure, f"block-{token}").shape == (n, d * d)
    assert len(parts(figure, "block")) == n
    shapes = {f"{n} × {d}", f"{n * n} × {d * d}", str(d * d), f"{d} × {m}", f"{n * m} ReLU units"}
    assert shapes <= set(texts(figure))


def test_figure_2_shows_the_kronecker_product_and_the_attention_of_its_tokens():
    figure = fig2(5, 4, 3)
    tokens = shown(figure, "a1")
    np.testing.assert_array_equal(shown(figure, "a2"), tokens)
    blocks = np.concatenate([shown(figure, f"block-{j + 1}") for j in range(5)])
    np.testing.assert_array_equal(blocks, np.kron(tokens, tokens))
    x = shown(figure, "x").reshape(4, 4)
    c = tensor_attention(tokens, tokens, tokens, x, np.eye(4), np.exp)
    entries = parts(figure, "entry")
    faces = [
        [entries[f"entry-{j + 1}-{i + 1}"].get_facecolor() for i in range(4)] for j in range(5)
    ]
    np.testing.assert_allclose(faces, SHADES["blue"](c / c.max()))


@pytest.mark.parametrize(("n", "d"), [(6, 5), (9, 5), (4, 4)])
def test_figure_6_shows_every_step_from_tokens_to_c(n, d):
    figure = fig6(n, d)
    a, x, s = (shown(figure, name) for name in ("a1", "x", "scores"))
    np.testing.assert_array_equal(a, self_attention.tokens(n, d, 1.2, 0.2, 0.8, j3=1))
    np.testing.assert_array_equal(shown(figure, "a2t"), a.T)
    np.testing.assert_allclose(s, a @ x @ a.T)
    for name, u in (("exp", np.exp(s)), ("linear", s)):
        f, a3v, c = (shown(figure, f"{step}-{name}") for step in ("f", "a3v", "c"))
        np.testing.assert_allclose(f, u / u.sum(axis=1, keepdims=True))
        np.testing.assert_array_equal(a3v, a)
        np.testing.assert_allclose(c, f @ a3v)
        np.testing.assert_allclose(c, attention(a, a, a, x, np.eye(d), np.eye(d), KERNELS[name]))
    shapes = Counter()
    for shape, times in (
        (f"{n} × {d}", 5),
        (f"{n} × {n}", 3),
        (f"{d} × {d}", 1),
        (f"{d} × {n}", 1),
    ):
        shapes[shape] += times
    assert Counter(text for text in texts(figure) if text in shapes) == shapes


def test_the_two_kernels_of_figure_6_share_their_scales():
    figure = fig6(6, 5)
    for step in "fc":
        meshes = parts(figure, step).values()
        assert len({mesh.get_clim() for mesh in meshes}) == 1
        highest = max(np.max(mesh.get_array()) for mesh in meshes)
        assert {mesh.get_clim() for mesh in meshes} == {(0, highest)}


@pytest.mark.parametrize(("draw", "sizes"), SIZES)
def test_no_text_runs_over_another_or_over_the_edge(draw, sizes):
    figure = draw(*sizes)
    with matplotlib.rc_context(RC):
        figure.draw_without_rendering()
        boxes = [(text.get_text(), text.get_window_extent()) for text in words(figure)]
    sheet = figure.bbox
    for text, box in boxes:
        assert sheet.x0 < box.x0 < box.x1 < sheet.x1, text
        assert sheet.y0 < box.y0 < box.y1 < sheet.y1, text
    for (one, first), (two, second) in itertools.combinations(boxes, 2):
        across = min(first.x1, second.x1) - max(first.x0, second.x0)
        down = min(first.y1, second.y1) - max(first.y0, second.y0)
        # Neighbours in a formula touch; boxes of lines leave room for letters such as Å.
        assert across < 1.5 or down < 3.0, (one, two)


@pytest.mark.parametrize(
    ("draw", "sizes", "sentence"),
    [
        (fig6, (7, 5), r"n=7 with d=5: .* nearest valid n: 6 or 9"),
        (fig6, (6, 2), r"d=2: .* allowed: d >= 3"),
        (fig6, (13, 3), r"n=13: a schematic shows every entry; allowed: 2 <= n <= 12"),
        (fig1, (1, 3), r"n=1: .* allowed: 2 <= n"),
        (fig1, (17, 3), r"n=17: .* allowed: 2 <= n <= 16"),
        (fig1, (8, 0), r"m=0: .* allowed: 1 <= m <= 8"),
        (fig2, (4, 3, 5), r"m=5: .* allowed: 1 <= m <= 4"),
    ],
)
def test_sizes_that_cannot_be_drawn_are_named(draw, sizes, sentence):
    with pytest.raises(ValueError, match=sentence):
        draw(*sizes)


def run(*words):
    schematics.run(**parsed(schematics.run, "schematic", [*map(str, words)]))


def assert_same_files(folder, *stems):
    for extension in ("svg", "png", "pdf"):
        one, two = ((folder / f"{stem}.{extension}").read_bytes() for stem in stems)
        assert one == two, extension


def test_the_job_draws_the_figure_of_the_given_sizes(tmp_path):
    settings = json.dumps({"n": 3, "d": 3})
    run("--figure", "fig6", "--settings", settings, "--output", tmp_path / "any.svg")
    save(fig6(3, 3), tmp_path / "same")
    assert_same_files(tmp_path, "any", "same")


def test_the_same_figure_gives_the_same_bytes(tmp_path):
    for stem in ("one", "two"):
        save(fig2(2, 2, 1), tmp_path / stem)
    assert_same_files(tmp_path, "one", "two")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ('{"k": 3}', r"k: unknown key; .*allowed: n, m"),
        ('{"n": 0}', r"n: 0 is not allowed; should be greater than or equal to 1"),
        ('{"n": 2.5}', r"n: 2\.5 is not allowed"),
    ],
)
def test_faults_of_the_settings_are_named(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        schematics.draw("fig1", settings)


def test_every_figure_has_sizes_of_its_own():
    assert list(schematics.FIGURES) == list(schematics.SIZES) == ["fig1", "fig2", "fig6"]
