"""What the controls say is answered: a number, a picture, words, and Python that gives the same."""

import contextlib
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import ROOT
from matplotlib.figure import Figure

import attention_separation as asep
from attention_separation import head
from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.explorer.pictures import as_svg, in_digits, nearest_multiple, separation
from attention_separation.explorer.views import (
    CONTROLS,
    VIEWS,
    answer,
    at_address,
    in_address,
    question,
    show,
)

STEPS = {name: each.more["steps"] for name, each in CONTROLS.items() if each.kind == "slider"}
LISTS = {name: [*CONTROLS[name].more["options"].values()] for name in ("layer", "kernel")}
START = {name: CONTROLS[name].value for name in STEPS} | {
    "layer": LAYERS[0], "kernel": "exp", "formula": "", "others": ["linear"],
}  # fmt: skip


@given(st.fixed_dictionaries({name: st.sampled_from(x) for name, x in (STEPS | LISTS).items()}))
def test_whatever_the_controls_say_is_in_range(said):
    (kernel, *_), at = question(START | said)
    assert at["n"] % said["classes"] == 0
    assert abs(at["n"] - said["n"]) <= said["classes"]
    # What a kernel cannot do is said; nothing else may be wrong.
    with contextlib.suppress(ArithmeticError):
        found = separation(kernel, **at)
        assert -1e-12 <= found.probability <= 1
        assert found.d - said["layer"].of.other_columns == said["classes"]


def test_what_is_asked():
    assert question(START) == (["exp", "linear"], {"n": 2000})
    cross = START | {"layer": LAYERS[2], "b": 1.0, "kernel": "linear"}
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
    shown = show("Curve", [wrong, "exp"], {}, {})
    assert "separate(" not in shown.python
    alone = [show(name, [wrong], {}, {}) for name in ("Curve", "Scores", "Row")]
    assert [bool(each.svg) for each in (shown, *alone)] == [True, False, False, False]
    for each in (answer(wrong, {}), shown, *alone):
        assert each.faults == [str(error.value)]


OWN = {
    "against": "temperature", "mu": 3.5, "n": 2**20, "d": 16, "rank": 40, "heads": 4,
    "scores": "[0.1, -0.5, 7.25, 1, 2, 0.3, 1e-3, 2.5, 0 1\n0.5]", "fixed": "0",
    "target": "2",
}  # fmt: skip
ASKED = [
    (["exp", "linear"], {"n": 2000}),
    (["x**3", "exp"], {"n": 1995, "d": 23, "m": 7, "a1": 0.9, "temperature": 2.5}),
    (["linear_unnormalised"], {"model": "cross_attention", "n": 2000, "theta": 0.9}),
]


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize(("kernels", "at"), ASKED)
def test_the_python_gives_the_same_number_and_picture(monkeypatch, capsys, name, kernels, at):
    shown = show(name, kernels, at, {key: OWN[key] for key in VIEWS[name].controls})
    drawn: list[Figure] = []
    with monkeypatch.context() as patched:
        patched.setattr(Figure, "savefig", lambda figure, _: drawn.append(figure))
        exec(shown.python, {})
    assert [as_svg(figure) for figure in drawn] == [shown.svg]
    printed = float(capsys.readouterr().out)
    if VIEWS[name].kernels != 0:
        assert printed == separation(kernels[0], **at).probability


def test_a_pasted_row_is_measured_and_its_check_comes_first():
    text = VIEWS["Head"].controls["scores"].value
    [row] = head.measure([float(x) for x in text.split()], 300).itertuples()
    [words, _] = show("Head", [], {}, {"scores": text, "target": "300", "fixed": ""}).words
    assert words.startswith("held_out 1.00: an eighth of the context foretells all of it.")
    assert f" {row.share:.3g} of the weight among 600 tokens" in words
    assert f"to {row.reach:,.0f} if" in words
    assert f"{row.reach_low:,.0f} to {row.reach_high:,.0f}." in words
    fixed = show("Head", [], {}, {"scores": text, "target": "300", "fixed": "0"}).words[0]
    [row] = head.measure([float(x) for x in text.split()], 300, fixed=[0]).itertuples()
    assert f"to {row.reach:,.0f} if" in fixed
    short = {"scores": "0 1 2 1 0 1 2 1 0 9", "target": "9", "fixed": ""}
    assert "nan" not in show("Head", [], {}, short).words[0]
    assert at_address(VIEWS["Head"].controls, {"scores": ""})["scores"].value == ""
    for wrong, said in (("1 a", "scores: .*'a'"), ("1 2 3", "target has 300; allowed: .* to 2")):
        [fault] = show("Head", [], {}, {"scores": wrong, "target": "300", "fixed": ""}).faults
        assert re.match(said, fault)


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


@given(st.data())
def test_an_address_gives_back_what_was_said_into_it(data):
    said = {name: data.draw(st.sampled_from(x)) for name, x in (STEPS | LISTS).items()}
    names = [*CONTROLS["kernel"].more["options"].values()]
    said |= {
        "others": data.draw(st.lists(st.sampled_from(names), max_size=5, unique=True)),
        "formula": data.draw(st.sampled_from(["", "x**4", "a, b: c"])),
    }
    address = {name: text for name, text in in_address(CONTROLS, said).items() if text is not None}
    found = {}
    for name, each in at_address(CONTROLS, address).items():
        options = each.more.get("options", {})
        labels = each.value if isinstance(each.value, list) else [each.value]
        values = [options.get(label, label) for label in labels]
        found[name] = values if isinstance(each.value, list) else values[0]
    assert found == said
    assert all(found[name] != values_at_start()[name] for name in address)


def values_at_start():
    others = ["linear", "power_4", "elu_plus_one"]
    return START | {"others": others}


@pytest.mark.parametrize(
    "text", ["kernel=softmx", "n=7", "n=", "others=exp,,softmx", "layer=exp", "m=nan"]
)
def test_what_a_control_cannot_have_is_left_out_of_an_address(text):
    name, _, value = text.partition("=")
    found = at_address(CONTROLS, {name: value, "unknown": "1"})
    kept = ["exp: eˣ"] if name == "others" else CONTROLS[name].value
    assert found == CONTROLS | {name: CONTROLS[name]._replace(value=kept)}
    seven = [*CONTROLS["kernel"].more["options"].values()][:7]
    assert len(at_address(CONTROLS, {"others": ",".join(seven)})["others"].value) == 5
