"""Kernels by name: the built-in ones, and families of kernels with a number in their names."""

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from .kernel import Kernel
from .kernels import (
    KERNELS,
    cosine_softmax,
    entmax_of,
    exponential,
    focused,
    minus_mean,
    power,
    sigmoid,
    ssmax,
    taylor,
)

NUMBER = r"\d{1,5}(?:\.\d{1,6})?"

SAID_OTHERWISE = {
    "softmax": "exp",
    "identity": "linear",
    "gaussian": "rbf",
    "elu": "elu_plus_one",
    "relu": "relu_features",
    "based": "taylor_2",
    "entmax": "entmax_15",
    "cosine": "cosine_softmax_10",
}
"""What people call kernels, and their names here; understood in suggestions alone."""

FAMILIES_SAID_OTHERWISE = {"cosine_softmax": ("cosine",), "exp_over": ("softmax_over",)}
"""The same of families, by what their names begin with."""

ALIASES = {"none": "uniform"}
"""Other names, read wherever a kernel is named, and the names that are written."""


class UnknownKernelError(ValueError, KeyError):
    """No kernel has the name; the text says which is the nearest, and what is allowed. A KeyError
    too, for kernels are a mapping's."""

    # KeyError's own would put it in quotes.
    __str__ = ValueError.__str__


@dataclass(frozen=True)
class KernelFamily:
    """Kernels that differ in a number from `low` to `high`."""

    prefix: str  # a name is the prefix, "_" and the number; of another kernel, "_" and its name
    symbol: str  # the formula, with P for the number
    low: float
    high: float
    build: Callable[..., Kernel]  # the number, and another kernel, to one with its name
    is_whole: bool = False  # whether the number has no fraction
    takes_kernel: bool = False  # whether `build` takes another kernel
    suffix: str = ""  # behind the number
    other_names: Mapping[float, str] = field(default_factory=dict)  # of numbers out of its range

    @property
    def form(self) -> str:
        """The form of the family's names: "power_P"."""
        form = f"{self.prefix}_P{self.suffix}"
        if self.takes_kernel:
            form += "_KERNEL"
        return form

    @property
    def words(self) -> str:
        """The form and the range of the number, in words: "power_P with P from 0.01 to 1000"."""
        number = "a whole P" if self.is_whole else "P"
        return f"{self.form} ({self.symbol}) with {number} from {self.low:g} to {self.high:g}"

    @property
    def pattern(self) -> str:
        """The regular expression of the family's names; its groups are the number and, if the
        family takes one, the other kernel's name."""
        pattern = f"{self.prefix}_({NUMBER}){self.suffix}"
        if self.takes_kernel:
            pattern += "_(.+)"
        return pattern


def at_temperature(temperature: float) -> Kernel:
    """The kernel e^(x/T)."""
    return exponential(
        f"exp_over_{temperature:g}",
        f"e^(x/{temperature:g})",
        lambda _: temperature,
        f"temperature {temperature:g}",
    )


def scalable_softmax(s: float) -> Kernel:
    """e^(s log n x / sqrt d)."""
    return ssmax(s, f"ssmax_{s:g}")


def alpha_entmax(alpha: float) -> Kernel:
    """alpha-entmax of x."""
    return entmax_of(alpha, f"entmax_{alpha:g}")


def alpha_entmax_sqrt_d(alpha: float) -> Kernel:
    """The kernel alpha-entmax of x / sqrt d."""
    return entmax_of(alpha, f"entmax_{alpha:g}_sqrt_d", over_sqrt_d=True)


def focused_of_degree(p: float) -> Kernel:
    """The kernel with the feature map phi = |z_+| z_+^p / |z_+^p|."""
    return focused(p, f"φ = ‖z₊‖ z₊^{p:g} / ‖z₊^{p:g}‖")


def biased(bias: float) -> Kernel:
    """The kernel sigmoid(x - bias log n), divided by the row's sum."""
    return sigmoid(
        f"sigmoid_{bias:g}_log_n",
        f"σ(x − {bias:g} log n)",
        bias,
        "arXiv 2409.04431, another bias, divided by the row's sum",
    )


FAMILIES = (
    KernelFamily("power", "x^P", low=0.01, high=1000, build=power, other_names={0: "uniform"}),
    KernelFamily(
        "taylor",
        "Taylor's sum of e^x to degree P",
        low=1,
        high=200,
        build=taylor,
        is_whole=True,
        other_names={0: "uniform"},
    ),
    KernelFamily("exp_over", "e^(x/P)", low=0.001, high=10_000, build=at_temperature),
    KernelFamily(
        "cosine_softmax",
        "e^(P cos(q, k))",
        low=0.01,
        high=1000,
        build=cosine_softmax,
        other_names={0: "uniform"},
    ),
    KernelFamily(
        "ssmax",
        "e^(P log n · x/√d)",
        low=0.001,
        high=100,
        build=scalable_softmax,
        other_names={0: "uniform"},
    ),
    KernelFamily(
        "entmax", "P-entmax", low=1.01, high=2, build=alpha_entmax, other_names={1: "exp"}
    ),
    KernelFamily(
        "entmax",
        "P-entmax of x/√d",
        low=1.01,
        high=2,
        build=alpha_entmax_sqrt_d,
        suffix="_sqrt_d",
        other_names={1: "exp_sqrt_d"},
    ),
    KernelFamily("focused", "φ = ‖z₊‖ z₊^P / ‖z₊^P‖", low=1, high=100, build=focused_of_degree),
    KernelFamily(
        "sigmoid",
        "σ(x − P log n)",
        low=0.01,
        high=100,
        build=biased,
        suffix="_log_n",
        other_names={0: "sigmoid"},
    ),
    KernelFamily(
        "minus_mean",
        "f − P/n, f of a kernel divided by the row's sum",
        low=0,
        high=1,
        build=minus_mean,
        takes_kernel=True,
    ),
)

FORMS = ", ".join(family.form for family in FAMILIES)
ALLOWED = f"allowed: {', '.join(KERNELS)}, and with a number P {FORMS}"

MOST_SHOWN = 60
"""Characters of a name that a message shows."""


@lru_cache(maxsize=4096)
def kernel_named(name: str) -> Kernel:
    """The kernel of a name or alias: a built-in one, or one of a family. UnknownKernelError if
    there is none: the text names the nearest, or the ends of a family's number."""
    written = without_alias(name)
    if written in KERNELS:
        return KERNELS[written]
    for family in FAMILIES:
        match = re.fullmatch(family.pattern, name)
        if match:
            number, *names_of_others = match.groups()
            return _kernel_of_family(family, name, number, names_of_others)
    shown = name if len(name) <= MOST_SHOWN else f"{name[:MOST_SHOWN]}..."
    raise UnknownKernelError(f"{shown!r} is no kernel; {_nearest(name)}{ALLOWED}")


def without_alias(name: str) -> str:
    """The name that is written: an alias becomes the kernel's own name, any other text stays."""
    return ALIASES.get(name, name)


def is_kernel(name: str) -> bool:
    """Whether a kernel has the name or alias, or it is in a family's form."""
    if without_alias(name) in KERNELS:
        return True
    return any(re.fullmatch(family.pattern, name) for family in FAMILIES)


def is_built_in(kernel: Kernel) -> bool:
    """Whether a kernel is what its name gives: a built-in one, or one of a family."""
    try:
        return kernel_named(kernel.name) is kernel
    except UnknownKernelError:
        return False


def _kernel_of_family(
    family: KernelFamily, name: str, number: str, names_of_others: list[str]
) -> Kernel:
    """The kernel of a family with a number, and of another kernel in a family that takes one."""
    other_kernels = [kernel_named(name_of_other) for name_of_other in names_of_others]
    value = float(number)
    is_whole = value == int(value)
    fits = (
        all(kernel.normalised for kernel in other_kernels)
        and family.low <= value <= family.high
        and (is_whole or not family.is_whole)
    )
    if not fits:
        hint = _with_a_point(family, number)
        if value in family.other_names:
            hint = f"did you mean {family.other_names[value]!r}, which it would be? "
        raise UnknownKernelError(f"{name!r} is no kernel; {hint}allowed: {family.words}")
    kernel = family.build(int(value) if is_whole else value, *other_kernels)
    if kernel.name != name:
        raise UnknownKernelError(f"{name!r} is no kernel; did you mean {kernel.name!r}?")
    return kernel


def _with_a_point(family: KernelFamily, number: str) -> str:
    """The question whether a name is meant whose decimal point is missing, as in `entmax_17`; "" if
    none is."""
    meant = f"{number[0]}.{number[1:]}"
    if family.high >= 10 or not number.isdecimal() or not family.low <= float(meant) <= family.high:
        return ""
    return f"did you mean '{family.prefix}_{float(meant):g}{family.suffix}'? "


def _nearest(name: str) -> str:
    """The question whether the nearest name is meant; "" where none is near."""
    meanings = {kernel: kernel for kernel in KERNELS} | SAID_OTHERWISE
    for number in re.findall(NUMBER, name[:MOST_SHOWN]):
        meanings |= _members_with(number)
    close = difflib.get_close_matches(name[:MOST_SHOWN], meanings, n=1)
    if not close:
        return ""
    meant = meanings[close[0]]
    if meant == close[0]:
        return f"did you mean {meant!r}? "
    return f"did you mean {meant!r} ({close[0]})? "


def _members_with(number: str) -> dict[str, str]:
    """The names in families with a number, each by itself and by what people call it."""
    members = {}
    for family in FAMILIES:
        if family.takes_kernel or not family.low <= float(number) <= family.high:
            continue
        for prefix in (family.prefix, *FAMILIES_SAID_OTHERWISE.get(family.prefix, ())):
            ending = f"_{number}{family.suffix}"
            members[f"{prefix}{ending}"] = f"{family.prefix}{ending}"
    return members
