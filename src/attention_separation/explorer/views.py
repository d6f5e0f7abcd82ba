"""What each view of the app shows: a picture, a sentence, and the Python that makes it.

Whatever the app's controls say is a question that can be asked.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.datasets.dataset import FixedData

from .answers import FAULTS, answer, in_digits, in_words, usable
from .laws import score_laws, special_rows
from .needle import draw_needle, say_needle
from .pictures import as_svg, draw_curve, draw_row, draw_scores
from .rank_bound import draw_rank_bound, say_rank_bound
from .setting import (
    ONLY_SELF_ATTENTION,
    PARAMETERS,
    Setting,
    called,
    nearest_multiple,
    number_lines,
    picture_lines,
)


@dataclass(frozen=True)
class Asked:
    """All that the app's controls say.

    Attributes
    ----------
    kernel : the one that the number is of, a name or a formula
    others : those beside it
    setting : with an n that stacks
    against : parameter of the curve
    mu, needle_n : of the needle
    d, rank, heads : of the rank bound; a rank above d is d
    """

    kernel: str = "exp"
    others: tuple[str, ...] = ("linear", "power_4", "elu_plus_one")
    setting: Setting = field(default_factory=Setting)
    against: str = "n"
    mu: float = 5.0
    needle_n: int = 512
    d: int = 64
    rank: int = 32
    heads: int = 2

    @property
    def kernels(self) -> list[str]:
        """All of them, each once."""
        return [*dict.fromkeys((self.kernel, *self.others))]


@dataclass(frozen=True)
class View:
    """What is shown.

    Attributes
    ----------
    svg : the picture; "" where there is none
    sentence : what is seen on it, or why there is none
    lines : the Python that makes it; "" where there is none
    notes : of kernels that are not on it
    """

    svg: str
    sentence: str
    lines: str = ""
    notes: tuple[str, ...] = ()


def _with_number(asked: Asked, lines: str) -> str:
    """The Python of a picture, after that of the number, if there is one."""
    if answer(asked.kernel, asked.setting).is_fault:
        return lines
    return f"{number_lines(asked.kernel, asked.setting)}\n\n{lines}"


def of_curve(asked: Asked) -> View:
    """The probability against a parameter."""
    setting, parameter = asked.setting, PARAMETERS[asked.against]
    if setting.model != "self_attention" and asked.against in ONLY_SELF_ATTENTION:
        return View("", f"Tokens of cross-attention have no {asked.against}; choose another axis.")
    good, faults = usable(asked.kernels, setting)
    if not good:
        return View("", faults[0])
    # Along the curve its own parameter takes all values: the picture's others are said.
    more = setting.written()
    how = "at each kernel's own best threshold"
    if asked.against == "theta":
        how = "at each threshold"
    elif setting.theta != "best":
        how = f"at the threshold {setting.theta:g} √log n"
    nearest = "; n is the nearest that stacks" if asked.against == "d" else ""
    return View(
        as_svg(draw_curve(good, asked.against, **more)),
        f"Exact, against {parameter.words}, {how}{nearest}. Dots are at the values chosen.",
        _with_number(asked, picture_lines("draw_curve", good, asked.against, **more)),
        tuple(faults),
    )


def of_scores(asked: Asked) -> View:
    """The distribution of scores."""
    found = asked.setting.of(asked.kernel)
    more = asked.setting.written()
    low = None
    if found.theta is not None:
        low = found.theta[0] if isinstance(found.theta, tuple) else found.theta
    if low is None:
        sentence = f"No threshold of {found.kernel} separates D1 from D0."
    else:
        laws = score_laws(asked.kernel, asked.setting)
        d0, d1 = (in_digits(law.above(low)) for law in laws)
        both = in_digits(found.probability)
        sentence = (
            f"The largest score of {found.kernel} over all tokens and sign columns is above "
            f"{low:.4g} √log n on D1 with probability {d1}, and on D0 with {d0}. That it is on D1 "
            f"and is not on D0 has {both}."
        )
    return View(
        as_svg(draw_scores(asked.kernel, **more)),
        sentence,
        _with_number(asked, picture_lines("draw_scores", asked.kernel, **more)),
    )


def of_row(asked: Asked) -> View:
    """The special token's row."""
    good, faults = usable(asked.kernels, asked.setting)
    if not good:
        return View("", faults[0])
    more = asked.setting.written()
    on_d0, on_d1 = (in_words(each.loudness) for each in special_rows(good[0], asked.setting))
    name = asked.setting.of(good[0]).kernel
    return View(
        as_svg(draw_row(good, **more)),
        f"On D1 {name} gives the special token {on_d1} the weight of one token of another class, "
        f"on D0 {on_d0}; there are n = {asked.setting.n:,} tokens.",
        _with_number(asked, picture_lines("draw_row", good, **more)),
        tuple(faults),
    )


def of_needle(asked: Asked) -> View:
    """The needle's lines."""
    numbers = {"mu": asked.mu, "n": asked.needle_n}
    return View(
        as_svg(draw_needle(**numbers)),
        say_needle(**numbers),
        f"from attention_separation.needle import limit\n\n"
        f"print({called('limit', 'linear', **numbers)})\n\n"
        f"{picture_lines('draw_needle', **numbers)}",
    )


def of_rank_bound(asked: Asked) -> View:
    """The second paper's bound."""
    numbers = {"d": asked.d, "rank": min(asked.rank, asked.d), "heads": asked.heads}
    return View(
        as_svg(draw_rank_bound(**numbers)),
        say_rank_bound(**numbers),
        "from attention_separation.head_rank.theory.bound import bound\n\n"
        f"print({called('bound', *numbers.values())})\n\n"
        f"{picture_lines('draw_rank_bound', **numbers)}",
    )


VIEWS: dict[str, Callable[[Asked], View]] = {
    "Curve": of_curve,
    "Scores": of_scores,
    "Row": of_row,
    "Needle": of_needle,
    "Rank bound": of_rank_bound,
}


def view(name: str, asked: Asked) -> View:
    """A view by its name; a question that cannot be answered is its sentence."""
    try:
        return VIEWS[name](asked)
    except FAULTS as error:
        return View("", str(error))


def ask(said: Mapping[str, Any]) -> Asked:
    """The question of controls.

    Parameters
    ----------
    said : layer, by its words; kernel, formula (in the kernel's place, which then stands beside
        it), others; n, which becomes the nearest that stacks; classes; m and theta, 0 for the
        default; a1, b, c and temperature
    """
    (layer,) = (each for each in LAYERS if each.words == said["layer"])
    classes = said["classes"]
    sizes = {name: said[name] for name in ("a1", "b", "c", "temperature")}
    if layer.model != "self_attention":
        sizes = {name: x for name, x in sizes.items() if name not in ONLY_SELF_ATTENTION}
    setting = Setting(
        layer.model, layer.attention_x, nearest_multiple(said["n"], classes),
        None if classes == FixedData.classes else layer.d(classes),
        said["m"] or None, theta=said["theta"] or "best", **sizes,
    )  # fmt: skip
    formula = said["formula"].strip()
    if not formula:
        return Asked(said["kernel"], tuple(said["others"]), setting)
    return Asked(formula, (said["kernel"], *said["others"]), setting)
