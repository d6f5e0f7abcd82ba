"""What the app has: its controls, the number, and its views as a table; all but how it looks."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from ..any_attention.exact.layers import LAYERS, Layer
from ..api.validation import layer_of
from ..attention.kernels import KERNELS
from . import draw_curve, draw_head, draw_needle, draw_rank_bound, draw_row, draw_scores
from .pictures import AXES, MUS, TEN, TOKENS, as_svg, in_digits, nearest_multiple, separation

FAULTS = (ValueError, TypeError, ArithmeticError, MemoryError)  # their texts say why


class Control(NamedTuple):
    """A control: its kind in `marimo.ui`, where it starts, and what else that is to know."""

    kind: str
    label: str
    value: Any
    more: Mapping[str, Any]

    def at(self, text: str | None) -> "Control":
        """It, starting where a text of an address says, if it can."""
        options = self.more.get("options") or {step: step for step in self.more.get("steps", ())}
        starts = {_text(value): start for start, value in options.items()}
        if self.kind == "multiselect" and text is not None:
            chosen = [starts[each] for each in text.split(",") if each in starts]
            return self._replace(value=chosen[: self.more["max_selections"]])
        own = self.value if text is None else text
        return self._replace(value=starts.get(text, self.value) if options else own)


def _text(value: Any) -> str:
    """A control's value as an address has it."""
    if isinstance(value, Layer | list):
        return value.words if isinstance(value, Layer) else ",".join(value)
    return f"{value:.15g}" if isinstance(value, int | float) else value


def at_address(controls: Mapping[str, Control], address: Mapping[str, str], of: str = "") -> dict:
    """Controls that start where an address says, in which their names begin with `of`."""
    return {name: each.at(address.get(of + name)) for name, each in controls.items()}


def in_address(controls: Mapping[str, Control], said: Mapping[str, Any], of: str = "") -> dict:
    """What an address says of values; None of those that are where their controls start."""
    texts = {name: (each, _text(said[name])) for name, each in controls.items()}
    return {of + name: None if each.at(x) == each else x for name, (each, x) in texts.items()}


def _slider(label: str, steps: Sequence[float], value: float) -> Control:
    return Control("slider", label, value, {"steps": steps, "show_value": True})


WORDS = {name: f"{name}: {kernel.symbol}" for name, kernel in KERNELS.items()}
NAMES = {words: name for name, words in WORDS.items()}
BESIDE = [WORDS[name] for name in ("linear", "power_4", "elu_plus_one")]
STEPS_OF_N = [*(x * 10**k for k in range(11) for x in TEN), 10**12]
FORMULA = {"placeholder": "such as x**4 or exp(x/2)", "debounce": False}
NORMAL = np.random.default_rng(0).standard_normal(600)
EXAMPLE = " ".join(f"{x:.2f}" for x in NORMAL + 8 * (np.arange(600) == 300))
AGAINST = {words: name for name, (words, _) in AXES.items()}

CONTROLS = {
    "layer": Control(
        "dropdown", "model", LAYERS[0].words, {"options": {each.words: each for each in LAYERS}}
    ),
    "kernel": Control("dropdown", "kernel", WORDS["exp"], {"options": NAMES, "searchable": True}),
    "formula": Control("text", "or a formula of your own, in x", "", FORMULA),
    "others": Control("multiselect", "beside it", BESIDE, {"options": NAMES, "max_selections": 5}),
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
    """A view: what draws it from kernels and their setting, or from its own controls; how many
    kernels it shows, None for all; and what prints its number where that is not the kernel's."""

    draw: Callable[..., Figure]
    kernels: int | None = 0
    controls: Mapping[str, Control] = {}
    python: str = ""


VIEWS = {
    "Curve": View(
        draw_curve, None,
        {"against": Control("dropdown", "against", "tokens n", {"options": AGAINST})},
    ),
    "Scores": View(draw_scores, 1),
    "Row": View(draw_row, None),
    "Needle": View(
        draw_needle, 0,
        {"mu": _slider("μ, signal to noise", MUS, 5.0), "n": _slider("n, tokens", TOKENS, 512)},
        "from attention_separation.needle import limit\n\nprint(limit('linear', {mu}, {n}))",
    ),
    "Rank bound": View(
        draw_rank_bound, 0,
        {
            "d": _slider("d, dimension", (4, 8, 16, 32, 48, 64, 96), 64),
            "rank": _slider("r, rank, at most d", range(1, 97), 32),
            "heads": _slider("H, heads", [2**k for k in range(21)], 2),
        },
        "from attention_separation.head_rank.theory.bound import bound\n\n"
        "print(bound({d}, min({rank}, {d}), {heads}))",
    ),
    "Head": View(
        draw_head, 0,
        {
            "scores": Control("text_area", "scores of a row, pasted", EXAMPLE, {"rows": 3}),
            "target": Control("text", "index of its token", "300", {}),
            "fixed": Control("text", "indices of sinks", "", {"placeholder": "such as 0"}),
        },
        "from attention_separation import head\n"
        "from attention_separation.explorer.pictures import numbers\n\n"
        "scores = numbers('scores', {scores!r})\n"
        "print(head.measure(scores, {target}, fixed=[{fixed}])['reach'][0])",
    ),
}  # fmt: skip
TABS = {"view": Control("tabs", "", "Curve", {"options": {name: name for name in VIEWS}})}


def question(said: Mapping[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """What the values of CONTROLS ask: kernels, each once, the first the one that the number is of;
    and their setting, n and what is not where it starts."""
    formula, layer, classes = said["formula"].strip(), said["layer"], said["classes"]
    kernels = [*([formula] if formula else []), said["kernel"], *said["others"]]
    at: dict[str, Any] = {"n": nearest_multiple(said["n"], classes)}
    if layer != LAYERS[0]:
        at |= layer.columns
    if classes != CONTROLS["classes"].value:
        at["d"] = layer.d(classes)
    # Tokens of cross-attention have neither b nor c.
    entries = ("a1",) if layer.model == "cross_attention" else ("a1", "b", "c")
    moved = [x for x in ("m", *entries, "theta", "temperature") if said[x] != CONTROLS[x].value]
    return [*dict.fromkeys(kernels)], at | {name: said[name] for name in moved}


class Shown(NamedTuple):
    """A part of the page: a number or a picture (SVG), words, faults, and Python that makes it."""

    number: str = ""
    svg: str = ""
    words: Sequence[str] = ()
    faults: Sequence[str] = ()
    python: str = ""


def answer(kernel: str, at: Mapping[str, Any]) -> Shown:
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
    number = f"print({_call('asep.separate', of, **asked)}.probability)"
    python = f"import attention_separation as asep\n\n{number}"
    return Shown(in_digits(found.probability), words=[words, *notes], python=python)


def show(name: str, kernels: Sequence[str], at: Mapping[str, Any], own: Mapping[str, Any]) -> Shown:
    """A view of kernels, as far as they have an answer at the setting, or of its own controls."""
    view = VIEWS[name]
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
    draw, number = view.draw.__name__, view.python.format(**own) or answers[kernels[0]].python
    lines = (
        f"{number}\n\nfrom attention_separation.explorer import {draw}\n\n"
        f'{_call(draw, *map(repr, given), **named)}.savefig("{draw}.svg")'
    )
    faults = [fault for each in answers.values() for fault in each.faults]
    apart = [] if given else ["The controls at the left do not apply here."]
    return Shown("", as_svg(figure), [figure.get_label(), *apart], faults, lines.strip())


def _call(function: str, *given: object, **named: Any) -> str:
    """A call as it is written."""
    words = [*map(str, given), *(f"{name}={x!r}" for name, x in named.items())]
    return f"{function}({', '.join(words)})"
