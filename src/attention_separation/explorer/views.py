"""What the app has: its controls, the number, and its views as a table; all but how it looks.

A *setting* is the parameters of `separate` that the controls say, by name.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from ..any_attention.layers import LAYERS
from ..api.separating import Separation
from ..api.validation import layer_of
from ..attention.kernels import KERNELS
from . import draw_curve, draw_needle, draw_rank_bound, draw_recall, draw_row, draw_scores
from .pictures import (
    AXES,
    DECAYS,
    MUS,
    PAIRS,
    TEN,
    TOKENS,
    as_svg,
    in_digits,
    nearest_multiple,
    separation,
)

FAULTS = (ValueError, TypeError, ArithmeticError, MemoryError)  # their texts say why
Values = Mapping[str, Any]


class Control(NamedTuple):
    """A control: its kind in `marimo.ui`, where it starts, and what else that is to know."""

    kind: str
    label: str
    start: Any
    more: Values

    def value_of(self, text: str) -> Any:
        """The control's value that an address has as text; the value at the start if the text is
        none of its values."""
        allowed = self.more.get("options", self.more.get("steps", ()))
        value_by_text = {in_address(value): value for value in allowed}
        if isinstance(self.start, list):
            chosen = [word for word in text.split(";") if word in value_by_text]
            return chosen[: self.more["max_selections"]]
        return value_by_text.get(text, self.start) if allowed else text


def in_address(value: Any) -> str:
    """The text that an address has for a control's value."""
    if isinstance(value, list):
        return ";".join(value)
    return value if isinstance(value, str) else f"{value:.15g}"


def _slider(label: str, steps: Sequence[float], start: float) -> Control:
    """The control that is a slider over some steps."""
    return Control("slider", label, start, {"steps": steps, "show_value": True})


KERNEL_BY_WORDS = {f"{name}: {kernel.symbol}": name for name, kernel in KERNELS.items()}
"""Names of kernels by what menus say."""

WORDS_OF_KERNELS = [*KERNEL_BY_WORDS]
LAYER_BY_WORDS = {layer.words: layer for layer in LAYERS}
DRAWN_AT_START = [
    words
    for words in WORDS_OF_KERNELS
    if KERNEL_BY_WORDS[words] in ("exp", "linear", "power_4", "elu_plus_one")
]
"""Kernels that are shown at the start, in the words of menus."""

STEPS_OF_N = [part * 10**k for k in range(11) for part in TEN]
STEPS_OF_N.append(10**12)
FORMULA_FIELD = {"placeholder": "such as x**4 or exp(x/2)", "debounce": False}


CONTROLS = {
    "layer": Control("dropdown", "model", LAYERS[0].words, {"options": [*LAYER_BY_WORDS]}),
    "kernel": Control(
        "dropdown", "kernel", DRAWN_AT_START[0], {"options": WORDS_OF_KERNELS, "searchable": True}
    ),
    "formula": Control("text", "or a formula of your own, in x", "", FORMULA_FIELD),
    "others": Control(
        "multiselect",
        "beside it",
        DRAWN_AT_START[1:],
        {"options": WORDS_OF_KERNELS, "max_selections": 5},
    ),
    "n": _slider("n, tokens; made a multiple of K", STEPS_OF_N, 2_000),
    "classes": _slider("K, classes; d is 2 more, in cross-attention 1", range(2, 65), 20),
    "m": _slider("m, sign columns; 0 for the paper's", range(101), 0),
    "a1": _slider("a₁, special entry", AXES["a1"][1], 1.2),
    "b": _slider("b, class entries, in self-attention", AXES["b"][1], 0.2),
    "c": _slider("c, last entry, in self-attention", AXES["c"][1], 0.8),
    "theta": _slider("θ, threshold; 0 for the best", (0, *AXES["theta"][1]), 0),
    "temperature": _slider("T, temperature", AXES["temperature"][1], 1.0),
}


SEPARATES = "Which attention separates D1, with one special token, from D0?"
"""What views of kernels ask."""


class View(NamedTuple):
    """A view: what draws it, how many kernels it shows, None for all, its own controls, and its
    question."""

    draw: Callable[..., Figure]
    kernels: int | None
    controls: Mapping[str, Control] = {}
    question: str = SEPARATES


VIEWS = {
    "Curve": View(
        draw_curve, None, {"against": Control("dropdown", "against", "n", {"options": [*AXES]})}
    ),
    "Scores": View(draw_scores, 1),
    "Row": View(draw_row, None),
    "Needle": View(
        draw_needle,
        0,
        {"mu": _slider("μ, signal to noise", MUS, 5.0), "n": _slider("n, tokens", TOKENS, 512)},
        "How often can one query tell whether one token among n, all of them noisy, is special?",
    ),
    "Recall": View(
        draw_recall,
        0,
        {
            "d": _slider("d, dimension", (8, 16, 32, 64, 128), 64),
            "n": _slider("n, pairs", PAIRS, 64),
            "decay": _slider("decay, for each step of age", DECAYS, 0.99),
        },
        "How many pairs of a key and a value does one head give back?",
    ),
    "Rank bound": View(
        draw_rank_bound,
        0,
        {
            "d": _slider("d, dimension", (4, 8, 16, 32, 48, 64, 96), 64),
            "rank": _slider("r, rank, at most d", range(1, 97), 32),
            "heads": _slider("H, heads", [2**k for k in range(21)], 2),
        },
        "Which error does one layer of heads of rank r never go below?",
    ),
}


VIEW_CHOICE = Control("dropdown", "view", next(iter(VIEWS)), {"options": [*VIEWS]})
"""What chooses a view: a list of the browser's own, which keys move as they do everywhere."""


def is_of_kernels(name: str) -> bool:
    """Whether a view shows kernels: it takes CONTROLS, and the number is of its question."""
    return VIEWS[name].kernels != 0


def title(name: str) -> str:
    """The question of a view."""
    return VIEWS[name].question


def _controls_of_views() -> dict[str, Control]:
    """The controls of single views, by the view's name, a dot, and the control's."""
    controls = {}
    for name, view in VIEWS.items():
        for key, control in view.controls.items():
            controls[f"{name}.{key}"] = control
    return controls


VIEW_CONTROLS = _controls_of_views()
STARTS = {name: control.start for name, control in (CONTROLS | VIEW_CONTROLS).items()}
STARTS["view"] = VIEW_CHOICE.start


def question(values: Values) -> tuple[list[str], dict[str, Any]]:
    """The question that the values of CONTROLS are: the kernels, each once, of which the first has
    the number, and their setting: n, and each value that is not the one at the start."""
    layer = LAYER_BY_WORDS[values["layer"]]
    classes = values["classes"]
    kernels = [KERNEL_BY_WORDS[words] for words in (values["kernel"], *values["others"])]
    formula = values["formula"].strip()
    if formula:
        kernels = [formula, *kernels]
    setting: dict[str, Any] = {"n": nearest_multiple(values["n"], classes)}
    if layer != LAYERS[0]:
        setting |= layer.columns
    if classes != STARTS["classes"]:
        setting["d"] = layer.d(classes)
    # Tokens of cross-attention have neither b nor c.
    entries = ("a1",) if layer.model == "cross_attention" else ("a1", "b", "c")
    for name in ("m", *entries, "theta", "temperature"):
        if values[name] != STARTS[name]:
            setting[name] = values[name]
    return list(dict.fromkeys(kernels)), setting


class Shown(NamedTuple):
    """A part of the page: a number or a picture (SVG), words, faults, and Python that makes it."""

    number: str = ""
    svg: str = ""
    words: Sequence[str] = ()
    faults: Sequence[str] = ()
    python: str = ""


def answer(kernel: str, setting: Values) -> Shown:
    """The probability of a kernel at a setting."""
    return _answer(kernel, **setting)


# The number and the view ask the same.
@lru_cache(maxsize=64)
def _answer(kernel: str, **setting: Any) -> Shown:
    """The number of a kernel in a setting with its words and warnings, or the fault that there is
    none."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = separation(kernel, **setting)
        except FAULTS as error:
            return Shown(faults=[str(error)])
    notes = [f"{warning.message}." for warning in caught]
    number = in_digits(result.probability)
    return Shown(
        number, words=[_words_of(result, setting), *notes], python=_python_of(kernel, setting)
    )


def _words_of(result: Separation, setting: Values) -> str:
    """The words beside the number: what it is the probability of, at which threshold and sizes."""
    if result.theta is None:
        threshold = "any threshold"
    else:
        ends = " to ".join(f"{end:.4g}" for end in np.atleast_1d(np.asarray(result.theta)))
        kind = "the threshold" if "theta" in setting else "the best threshold,"
        threshold = f"{kind} {ends} √log n"
    return (
        f"is the probability that {result.kernel} alone separates D1 from D0 at "
        f"{threshold}. The special token's weight in its own row on D1 is {result.share:.3g}. "
        f"{layer_of(result.model, result.attention_x).words}, n = {result.n:,}, d = {result.d}, "
        f"m = {result.m}."
    )


def _python_of(kernel: str, setting: Values) -> str:
    """The Python program that prints the number of a kernel in a setting."""
    remaining = dict(setting)
    argument = repr(kernel)
    if "temperature" in remaining:
        argument = _call("asep.at_temperature", argument, remaining.pop("temperature"))
    number = _call("asep.separate", argument, **remaining)
    return f"import attention_separation as asep\n\nprint({number}.probability)"


def show(name: str, kernels: Sequence[str], setting: Values, values: Values) -> Shown:
    """What a view shows: of kernels, as far as they have an answer in the setting, or of the values
    of the view's own controls, from VIEW_CONTROLS."""
    view = VIEWS[name]
    own_values = {key: values[f"{name}.{key}"] for key in view.controls}
    shown_by_kernel = {kernel: answer(kernel, setting) for kernel in kernels[: view.kernels]}
    with_an_answer = [kernel for kernel, shown in shown_by_kernel.items() if shown.number]
    positional: list[Any]
    if view.kernels is None:
        positional = [with_an_answer or kernels[:1]]
    else:
        positional = list(shown_by_kernel)
    named = {**own_values, **setting} if is_of_kernels(name) else own_values
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # said beside the number
            figure = view.draw(*positional, **named)
    except FAULTS as error:
        return Shown(faults=[str(error)])
    draw = view.draw.__name__
    words = [str(figure.get_label())]
    python = f"{shown_by_kernel[kernels[0]].python}\n\n" if is_of_kernels(name) else ""
    python += (
        f"from attention_separation.explorer import {draw}\n\n"
        f"figure = {_call(draw, *map(repr, positional), **named)}\n"
        f'figure.savefig("{draw}.svg")\nprint(figure.get_label())'
    )
    faults = [fault for shown in shown_by_kernel.values() for fault in shown.faults]
    return Shown("", as_svg(figure), words, faults, python.strip())


def _call(function: str, *positional: object, **named: Any) -> str:
    """A call of a function as Python code."""
    words = [str(argument) for argument in positional]
    words += [f"{name}={value!r}" for name, value in named.items()]
    return f"{function}({', '.join(words)})"
