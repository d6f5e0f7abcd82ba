"""What is shown: numbers, sentences, pictures, and Python that gives the same."""

import contextlib
import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention_separation as asep
from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.attention.kernels import KERNELS
from attention_separation.explorer import draw_curve, draw_rank_bound, draw_row, draw_scores
from attention_separation.explorer.answers import answer, in_digits, in_words, usable
from attention_separation.explorer.html import of_answer, of_view
from attention_separation.explorer.pictures import as_svg, power_of_10
from attention_separation.explorer.setting import CLASSES, PARAMETERS, Setting
from attention_separation.explorer.views import VIEWS, Asked, View, ask, view
from attention_separation.head_rank.theory.bound import bound
from attention_separation.needle import limit

PAGE = Path(__file__).parents[2] / "docs/explorer.md"

SAID = {
    "layer": LAYERS[0].words, "kernel": "exp", "formula": "", "others": ["linear", "uniform"],
    "n": 2000, "classes": 20, "m": 0, "a1": 1.2, "b": 0.2, "c": 0.8, "theta": 0,
    "temperature": 1.0,
}  # fmt: skip

steps = {name: st.sampled_from(each.steps) for name, each in PARAMETERS.items() if name != "d"}
said = st.fixed_dictionaries(
    steps
    | {
        "layer": st.sampled_from([each.words for each in LAYERS]),
        "kernel": st.sampled_from([*KERNELS]),
        "formula": st.just(""),
        "others": st.just([]),
        "classes": st.sampled_from(CLASSES),
        "m": st.sampled_from([0, 1, 100]),
        "theta": st.sampled_from([0, 0.9]),
    }
)


@given(said)
def test_whatever_the_controls_say_is_in_range(words):
    asked = ask(words)
    setting = asked.setting
    assert setting.data.classes == words["classes"]
    assert setting.n % setting.data.classes == 0
    assert abs(setting.n - words["n"]) <= max(setting.data.classes, 2)
    # What a kernel cannot do is said; nothing else may be wrong.
    with contextlib.suppress(ArithmeticError):
        assert 0 <= setting.of(asked.kernel).probability <= 1


def test_the_controls_as_they_stand_first():
    assert ask(SAID) == Asked("exp", ("linear", "uniform"), Setting())
    cross = ask(SAID | {"layer": LAYERS[2].words, "b": 1.0})
    assert cross.setting == Setting("cross_attention")
    own = ask(SAID | {"formula": " x**4 ", "n": 50, "classes": 3, "m": 7, "theta": 0.5})
    assert own.kernels == ["x**4", "exp", "linear", "uniform"]
    assert own.setting == Setting(n=51, d=5, m=7, theta=0.5)


@pytest.mark.parametrize(
    ("probability", "words"),
    [(0, "0.0000"), (1e-9, "< 0.0001"), (0.98664, "0.9866"), (0.99997, "> 0.9999"), (1, "1.0000")],
)
def test_digits(probability, words):
    assert in_digits(probability) == words


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (1.3561, "1.356 times"), (76834.2, "76,830 times"), (1e22, "1e+22 times"),
        (np.inf, "infinitely many times"), (np.nan, "no number of times"),
    ],
)  # fmt: skip
def test_how_many_times(ratio, words):
    assert in_words(ratio) == words


def test_an_answer_and_its_sentence():
    found = answer("exp", Setting(n=1995, d=23, temperature=2.0), 2000)
    wanted = asep.separate(asep.at_temperature("exp", 2), n=1995, d=23)
    assert found.number == f"{wanted.probability:.4f}"
    assert "that exp at T=2 alone separates D1 from D0 at its best threshold" in found.sentence
    assert f"{wanted.share:.3g}" in found.sentence
    assert found.notes == (
        "n = 1,995 is the multiple of K = 21 nearest to 2,000: tokens stack in K classes of one "
        "size.",
    )
    at_theta = answer("linear", Setting(theta=0.9)).sentence
    assert "at the threshold 0.9 √log n" in at_theta


def test_negative_weights_are_noted():
    (note,) = answer("log_n - x", Setting()).notes
    assert note.startswith("log_n - x: some weights are negative")


@pytest.mark.parametrize("wrong", ["exp(x", "softmx", "log(x - 1000)"])
def test_a_fault_is_the_apis_sentence(wrong):
    with pytest.raises((ValueError, ArithmeticError)) as error:
        asep.separate(wrong, n=2000)
    found = answer(wrong, Setting())
    assert found.is_fault
    assert found.sentence == str(error.value)
    assert usable([wrong, "exp", "exp"], Setting()) == (["exp"], [found.sentence])
    asked = Asked(wrong)
    shown = view("Curve", asked)
    assert shown.notes == (found.sentence,)
    assert "separate(" not in shown.lines
    assert view("Scores", asked) == View("", found.sentence)
    assert view("Curve", Asked(wrong, ())) == View("", found.sentence)
    for page in (of_answer(found), of_view("Scores", view("Scores", asked))):
        assert 'role="alert"' in page
        assert "<img" not in page


ASKED = [
    Asked(),
    Asked("x**3", ("exp",), Setting(n=1995, d=23, m=7, a1=0.9, temperature=2.5), "temperature"),
    Asked(
        "linear_unnormalised",
        (),
        Setting("cross_attention", theta=0.9),
        "theta",
        d=16,
        rank=8,
        heads=4,
    ),
    Asked("uniform", ("power_2",), Setting(attention_x="ones"), "d", 3.5, 2**20, 8, 20, 3),
]

NUMBERS = {
    "Needle": lambda asked: limit("linear", asked.mu, asked.needle_n),
    "Rank bound": lambda asked: bound(asked.d, min(asked.rank, asked.d), asked.heads),
}
"""What is printed beside pictures that are not of the chosen kernel."""


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("asked", ASKED, ids=lambda each: each.kernel)
def test_the_python_gives_the_same_number_and_picture(monkeypatch, tmp_path, name, asked):
    shown = view(name, asked)
    assert shown.svg, shown.sentence
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(shown.lines, {})
    wanted = NUMBERS.get(name, lambda asked: asked.setting.of(asked.kernel).probability)
    assert float(printed.getvalue()) == wanted(asked)
    (drawn,) = tmp_path.glob("*.svg")
    assert without_names(drawn.read_text(encoding="utf-8")) == without_names(shown.svg)
    # And what is shown twice is the same to the byte.
    assert view(name, asked) == shown


def without_names(svg: str) -> str:
    """An SVG less the names of its parts and its date, which are drawn by chance."""
    svg = re.sub(r"\s*<dc:date>.*?</dc:date>", "", svg, flags=re.S)
    return re.sub(r"(?<=[\"#])[pmhC][0-9a-f]{8,}(_\w+)?", "", svg)


def test_the_python_of_the_page(monkeypatch, tmp_path):
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    monkeypatch.chdir(tmp_path)
    exec(block, {})
    assert "<svg" in (tmp_path / "curve.svg").read_text(encoding="utf-8")


def test_a_curve_shows_the_apis_numbers():
    figure = draw_curve(["exp", "x**4"], "a1", n=2000, d=22)
    (axes,) = figure.axes
    for kernel in ("exp", "x**4"):
        (line,) = (each for each in axes.lines if each.get_label() == kernel)
        values, found = line.get_data()
        for a1, probability in [*zip(values, found, strict=True)][::9]:
            assert asep.separate(kernel, n=2000, a1=float(a1)).probability == probability
    with pytest.raises(ValueError, match="did you mean 'theta'"):
        draw_curve(["exp"], "thta")


def test_a_histogram_adds_up_to_the_law_on_either_side_of_the_threshold():
    figure = draw_scores("x**4", n=2000, theta=0.9)
    of_d1, of_d0 = figure.axes[0].patches
    won = asep.success({"fires": "x**4", "silent": []}, n=2000, theta=0.9)
    on_d1, on_d0 = won.events.values()
    for patch, above in ((of_d1, on_d1), (of_d0, 1 - on_d0)):
        chances, edges, _ = patch.get_data()
        assert abs(chances).sum() == pytest.approx(1, abs=5e-3)
        assert abs(chances[edges[:-1] > 0.9 - 1e-9]).sum() == pytest.approx(above, abs=5e-3)


def test_bars_of_a_row_are_shares():
    figure = draw_row(["exp", "linear_unnormalised"], n=2000)
    bars = [each for each in figure.axes[0].patches if each.get_width()]
    ends = {}
    for bar in bars:
        ends.setdefault(round(bar.get_y(), 3), []).append(bar.get_width())
    assert len(ends) == 4
    for widths in ends.values():
        assert sum(widths) == pytest.approx(1)
    first = asep.separate("exp", n=2000)
    assert any(bar.get_width() == pytest.approx(first.share) for bar in bars)


def test_the_rank_bound_is_the_bound():
    figure = draw_rank_bound(16, 5, 4)
    for any_value, line in zip((False, True), figure.axes[0].lines[::2], strict=False):
        ranks, found = line.get_data()
        assert {1, 5, 16} <= {*ranks}
        for r, value in zip(ranks, found, strict=True):
            assert bound(16, int(r), 4, any_value) == pytest.approx(value)
            assert value < figure.axes[0].get_ylim()[1]
    with pytest.raises(ValueError, match="allowed: d from 2, r from 1 to d"):
        draw_rank_bound(16, 17, 4)


def test_cross_attention_has_no_b_to_be_drawn_against():
    asked = replace(ask(SAID | {"layer": LAYERS[2].words}), against="b")
    assert view("Curve", asked).sentence.startswith("Tokens of cross-attention have no b")


def test_a_kernels_name_is_no_markup():
    asked = Asked(setting=Setting())
    page = of_view("<b>", View("", "<script>"))
    assert "<script>" not in page
    assert np.isfinite(asked.setting.of("exp").probability)
    assert "&lt;" in of_answer(answer("x < 1 && <b>", Setting()))


@pytest.mark.parametrize(
    ("value", "words"), [(1000, "10³"), (1e-5, "10⁻⁵"), (1, "1"), (100, "100"), (0.01, "0.01")]
)
def test_powers_of_10(value, words):
    assert power_of_10(value) == words


def test_the_same_figure_gives_the_same_text():
    figures = [draw_row(["exp"], n=2000) for _ in range(2)]
    assert as_svg(figures[0]) == as_svg(figures[1])
