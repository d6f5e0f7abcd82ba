"""What the app has: its controls, the number, and its views as a table; all but how it looks."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from ..any_attention.exact.layers import LAYERS
from ..api.validation import layer_of
from ..attention.kernels import KERNELS
from . import draw_curve, draw_head, draw_needle, draw_rank_bound, draw_row, draw_scores
from .pictures import AXES, MUS, TEN, TOKENS, as_svg, in_digits, nearest_multiple, separation

FAULTS = (ValueError, TypeError, ArithmeticError, MemoryError)  # their texts say why
Values = Mapping[str, Any]


class Control(NamedTuple):
    """A control: its kind in `marimo.ui`, where it starts, and what else that is to know."""

    kind: str
    label: str
    value: Any
    more: Values

    def at(self, text: str) -> Any:
        """The value of which an address has a text, or the start if it can have none such."""
        values = {in_address(x): x for x in self.more.get("options", self.more.get("steps", ()))}
        if isinstance(self.value, list):
            return [x for x in text.split(";") if x in values][: self.more["max_selections"]]
        return values.get(text, self.value) if values else text


def in_address(value: Any) -> str:
    """A control's value as an address has it."""
    if isinstance(value, list):
        return ";".join(value)
    return value if isinstance(value, str) else f"{value:.15g}"


def _slider(label: str, steps: Sequence[float], value: float) -> Control:
    return Control("slider", label, value, {"steps": steps, "show_value": True})


NAMES = {f"{name}: {kernel.symbol}": name for name, kernel in KERNELS.items()}
WORDS = [*NAMES]
MODELS = {each.words: each for each in LAYERS}
DRAWN = [x for x in WORDS if NAMES[x] in ("exp", "linear", "power_4", "elu_plus_one")]
STEPS_OF_N = [*(x * 10**k for k in range(11) for x in TEN), 10**12]
FORMULA = {"placeholder": "such as x**4 or exp(x/2)", "debounce": False}
NORMAL = np.random.default_rng(0).standard_normal(600)
EXAMPLE = " ".join(f"{x:.2f}" for x in NORMAL + 8 * (np.arange(600) == 300))

CONTROLS = {
    "layer": Control("dropdown", "model", LAYERS[0].words, {"options": [*MODELS]}),
    "kernel": Control("dropdown", "kernel", DRAWN[0], {"options": WORDS, "searchable": True}),
    "formula": Control("text", "or a formula of your own, in x", "", FORMULA),
    "others": Control(
        "multiselect", "beside it", DRAWN[1:], {"options": WORDS, "max_selections": 5}
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


class View(NamedTuple):
    """A view: what draws it, how many kernels it shows, None for all, and its own controls."""

    draw: Callable[..., Figure]
    kernels: int | None
    controls: Mapping[str, Control] = {}


VIEWS = {
    "Curve": View(
        draw_curve, None, {"against": Control("dropdown", "against", "n", {"options": [*AXES]})}
    ),
    "Scores": View(draw_scores, 1),
    "Row": View(draw_row, None),
    "Needle": View(
        draw_needle, 0,
        {"mu": _slider("μ, signal to noise", MUS, 5.0), "n": _slider("n, tokens", TOKENS, 512)},
    ),
    "Rank bound": View(
        draw_rank_bound, 0,
        {
            "d": _slider("d, dimension", (4, 8, 16, 32, 48, 64, 96), 64),
            "rank": _slider("r, rank, at most d", range(1, 97), 32),
            "heads": _slider("H, heads", [2**k for k in range(21)], 2),
        },
    ),
    "Head": View(
        draw_head, 0,
        {
            "scores": Control("text_area", "scores of a row, pasted", EXAMPLE, {"rows": 3}),
            "target": Control("text", "index of its token", "300", {}),
            "fixed": Control("text", "indices of sinks", "", {"placeholder": "such as 0"}),
        },
    ),
}  # fmt: skip
OWN = {f"{name}.{own}": x for name, view in VIEWS.items() for own, x in view.controls.items()}
STARTS = {name: x.value for name, x in (CONTROLS | OWN).items()} | {"view": next(iter(VIEWS))}


def question(said: Values) -> tuple[list[str], dict[str, Any]]:
    """What the values of CONTROLS ask: kernels, each once, the first the one that the number is of;
    and their setting, n and what is not where it starts."""
    formula, layer, classes = said["formula"].strip(), MODELS[said["layer"]], said["classes"]
    named = [NAMES[words] for words in (said["kernel"], *said["others"])]
    kernels = dict.fromkeys([formula, *named] if formula else named)
    at: dict[str, Any] = {"n": nearest_multiple(said["n"], classes)}
    if layer != LAYERS[0]:
        at |= layer.columns
    if classes != STARTS["classes"]:
        at["d"] = layer.d(classes)
    # Tokens of cross-attention have neither b nor c.
    entries = ("a1",) if layer.model == "cross_attention" else ("a1", "b", "c")
    at |= {x: said[x] for x in ("m", *entries, "theta", "temperature") if said[x] != STARTS[x]}
    return [*kernels], at


class Shown(NamedTuple):
    """A part of the page: a number or a picture (SVG), words, faults, and Python that makes it."""

    number: str = ""
    svg: str = ""
    words: Sequence[str] = ()
    faults: Sequence[str] = ()
    python: str = ""


def answer(kernel: str, at: Values) -> Shown:
    """The probability of a kernel at a setting."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            found = separation(kernel, **at)
        except FAULTS as error:
            return Shown(faults=[str(error)])
    theta = " to ".join(f"{x:.4g}" for x in np.atleast_1d(found.theta) if x is not None)
    best = "the threshold" if "theta" in at else "the best threshold,"
    where = f"{best} {theta} √log n" if theta else "any threshold"
    words = (
        f"is the probability that {found.kernel} alone separates D1 from D0 at {where}. The "
        f"special token's weight in its own row on D1 is {found.share:.3g}. "
        f"{layer_of(found.model, found.attention_x).words}, n = {found.n:,}, d = {found.d}, "
        f"m = {found.m}."
    )
    notes = [f"{each.message}." for each in warned]
    asked, of = dict(at), repr(kernel)
    if "temperature" in at:
        of = _call("asep.at_temperature", of, asked.pop("temperature"))
    number = _call("asep.separate", of, **asked)
    python = f"import attention_separation as asep\n\nprint({number}.probability)"
    return Shown(in_digits(found.probability), words=[words, *notes], python=python)


def show(name: str, kernels: Sequence[str], at: Values, said: Values) -> Shown:
    """A view of kernels, as far as they have an answer at the setting, or of the values of OWN."""
    view = VIEWS[name]
    own = {each: said[f"{name}.{each}"] for each in view.controls}
    answers = {kernel: answer(kernel, at) for kernel in kernels[: view.kernels]}
    good = [kernel for kernel, each in answers.items() if each.number]
    given = [good or kernels[:1]] if view.kernels is None else [*answers]
    named = {**own, **(at if given else {})}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # said beside the number
            figure = view.draw(*given, **named)
    except FAULTS as error:
        return Shown(faults=[str(error)])
    draw, number = view.draw.__name__, f"{answers[kernels[0]].python}\n\n" if given else ""
    python = (
        f"{number}from attention_separation.explorer import {draw}\n\n"
        f"figure = {_call(draw, *map(repr, given), **named)}\n"
        f'figure.savefig("{draw}.svg")\nprint(figure.get_label())'
    )
    faults = [fault for each in answers.values() for fault in each.faults]
    apart = [] if given else ["The controls at the left do not apply here."]
    return Shown("", as_svg(figure), [figure.get_label(), *apart], faults, python.strip())


def _call(function: str, *given: object, **named: Any) -> str:
    """A call as it is written."""
    words = [*map(str, given), *(f"{name}={x!r}" for name, x in named.items())]
    return f"{function}({', '.join(words)})"
