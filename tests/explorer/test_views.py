"""What the controls say is answered: a number, a picture, words, and Python that gives the same."""

import contextlib
import itertools
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import ROOT
from matplotlib.figure import Figure

import attention_separation as asep
from attention_separation.any_attention.layers import LAYERS
from attention_separation.explorer.pictures import as_svg, in_digits, nearest_multiple, separation
from attention_separation.explorer.views import (
    CONTROLS,
    KERNEL_BY_WORDS,
    LAYER_BY_WORDS,
    STARTS,
    VIEW_CONTROLS,
    VIEWS,
    answer,
    in_address,
    question,
    show,
)

pytestmark = pytest.mark.filterwarnings("ignore:.*a temperature (does not change|multiplies)")
"""What `at_temperature` says of scale-free kernels; the app says it beside the number."""

STEPS = {name: each.more["steps"] for name, each in CONTROLS.items() if each.kind == "slider"}
LISTS = {name: CONTROLS[name].more["options"] for name in ("layer", "kernel")}
WORDS = {name: words for words, name in KERNEL_BY_WORDS.items()}
START = STARTS | {"others": [WORDS["linear"]]}


@settings(max_examples=20)
@given(st.fixed_dictionaries({name: st.sampled_from(x) for name, x in (STEPS | LISTS).items()}))
def test_whatever_the_controls_say_is_in_range(said):
    (kernel, *_), at = question(START | said)
    assert at["n"] % said["classes"] == 0
    assert abs(at["n"] - said["n"]) <= said["classes"]
    # What a kernel cannot do is said; nothing else may be wrong.
    with contextlib.suppress(ArithmeticError):
        found = separation(kernel, **at)
        assert -1e-12 <= found.probability <= 1
        assert found.d - LAYER_BY_WORDS[said["layer"]].dataset.other_columns == said["classes"]


def test_what_is_asked():
    assert question(START) == (["exp", "linear"], {"n": 2000})
    cross = START | {"layer": LAYERS[2].words, "b": 1.0, "kernel": WORDS["linear"]}
    at = {"n": 2000, "model": "cross_attention", "attention_x": "identity"}
    assert question(cross) == (["linear"], at)
    own = START | {"formula": " x**4 ", "n": 50, "classes": 3, "m": 7, "theta": 0.5}
    assert question(own) == (["x**4", "exp", "linear"], {"n": 51, "d": 5, "m": 7, "theta": 0.5})
    assert [nearest_multiple(n, 21) for n in (2000, 1, 10**12)] == [1995, 21, 10**12 - 1]


def test_an_answer_and_its_words():
    found = asep.separate(asep.at_temperature("exp", 2), n=1995, d=23)
    shown = answer("exp", {"n": 1995, "d": 23, "temperature": 2.0})
    assert shown.number == f"{found.probability:.4f}"
    best = "{:.4g} to {:.4g} √log n".format(*found.theta)
    assert f"exp at T=2 alone separates D1 from D0 at the best threshold, {best}" in shown.words[0]
    assert f"{found.share:.3g}" in shown.words[0]
    assert "at the threshold 0.9 √log n" in answer("linear", {"theta": 0.9}).words[0]
    assert answer("log_n - x", {}).words[1].startswith("log_n - x: some weights are negative")
    assert [in_digits(x) for x in (-1e-21, 1e-9, 0.99997)] == ["0.0000", "< 0.0001", "> 0.9999"]


@pytest.mark.parametrize("wrong", ["exp(x", "softmx", "log(x - 1000)"])
def test_a_fault_is_the_apis_sentence(wrong):
    with pytest.raises((ValueError, ArithmeticError)) as error:
        asep.separate(wrong, n=2000)
    shown = show("Curve", [wrong, "exp"], {}, STARTS)
    assert "separate(" not in shown.python
    alone = [show(name, [wrong], {}, STARTS) for name in ("Curve", "Scores", "Row")]
    assert [bool(each.svg) for each in (shown, *alone)] == [True, False, False, False]
    for each in (answer(wrong, {}), shown, *alone):
        assert each.faults == [str(error.value)]


MOVED = {
    "Curve.against": "temperature", "Needle.mu": 3.5, "Needle.n": 2**20, "Rank bound.d": 16,
    "Recall.d": 16, "Recall.n": 32, "Recall.decay": 0.9,
    "Rank bound.rank": 40, "Rank bound.heads": 4,
}  # fmt: skip
ASKED = [
    (["exp", "linear"], {"n": 2000}),
    (["x**3", "exp"], {"n": 1995, "d": 23, "m": 7, "a1": 0.9, "temperature": 2.5}),
    (["linear_unnormalised"], {"model": "cross_attention", "n": 2000, "theta": 0.9}),
]


OF_KERNELS = [name for name, view in VIEWS.items() if view.kernels != 0]
SHOWN = [(name, ASKED[0]) for name in VIEWS] + [*itertools.product(OF_KERNELS, ASKED[1:])]


@pytest.mark.parametrize(("name", "asked"), SHOWN)
def test_the_python_gives_the_same_number_and_picture(monkeypatch, capsys, name, asked):
    assert {*MOVED} == {*VIEW_CONTROLS}
    kernels, at = asked
    shown = show(name, kernels, at, MOVED)
    drawn: list[Figure] = []
    with monkeypatch.context() as patched:
        patched.setattr(Figure, "savefig", lambda figure, _: drawn.append(figure))
        exec(shown.python, {})
    assert [as_svg(figure) for figure in drawn] == [shown.svg]
    printed = capsys.readouterr().out.splitlines()
    assert printed.pop() == shown.words[0]
    numbers = [separation(kernels[0], **at).probability] if name in OF_KERNELS else []
    assert [float(each) for each in printed] == numbers


FORMULAS = ("x**4", "exp(x/2)", "where(x > 1, x**3, 0.5)", "log(x + 2)*n**.5", "maximum(x, 1e-3)")


def test_it_needs_neither_pyarrow_nor_numexpr():
    """A browser's Python has no numexpr: there NumPy evaluates formulas, to the last bits."""
    code = (
        "import sys; sys.modules |= {'pyarrow': None, 'numexpr': None};"
        "import attention_separation.explorer.views; from attention_separation import separate;"
        f"print([separate(x, n=2000).probability for x in {FORMULAS}])"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT / "src", check=True, text=True, capture_output=True)
    wanted = [asep.separate(x, n=2000).probability for x in FORMULAS]
    assert eval(done.stdout) == pytest.approx(wanted, rel=1e-12)


EVERY = CONTROLS | VIEW_CONTROLS
VALUES = {name: each.more.get("options", each.more.get("steps")) for name, each in EVERY.items()}


@settings(max_examples=30)
@given(st.data())
def test_an_address_gives_back_what_was_said_into_it(data):
    said = {name: data.draw(st.sampled_from(x)) for name, x in VALUES.items() if x}
    said |= {name: data.draw(st.text()) for name, x in VALUES.items() if not x}
    said["others"] = data.draw(
        st.lists(st.sampled_from([*KERNEL_BY_WORDS]), max_size=5, unique=True)
    )
    found = {name: EVERY[name].value_of(in_address(value)) for name, value in said.items()}
    assert found == said
    # A slider gives floats where it has any.
    assert CONTROLS["theta"].value_of(in_address(0.0)) == 0
    assert CONTROLS["temperature"].value_of("2") == 2


def test_what_a_control_cannot_have_is_left_out_of_an_address():
    for text in ("kernel=softmx", "n=7", "n=", "others=exp: eˣ;;softmx", "layer=exp", "m=nan"):
        name, _, value = text.partition("=")
        kept = ["exp: eˣ"] if name == "others" else STARTS[name]
        assert CONTROLS[name].value_of(value) == kept
    assert len(CONTROLS["others"].value_of(";".join([*KERNEL_BY_WORDS][:7]))) == 5
