"""Kernels by name: the built-in ones, and families of kernels with a number in their names."""

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from .kernel import Kernel
from .kernels import KERNELS, exponential, minus_mean, power, taylor

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
    whole: bool  # whether the number has no fraction
    of: Callable[..., Kernel]  # the number, and another kernel, to one with its name
    of_another: bool = False

    @property
    def words(self) -> str:
        """What is allowed: `power_P` with P from 0.01 to 1000."""
        number, another = "a whole P" if self.whole else "P", "_KERNEL" * self.of_another
        name = f"{self.prefix}_P{another} ({self.symbol})"
        return f"{name} with {number} from {self.low:g} to {self.high:g}"

    @property
    def form(self) -> str:
        """Of its names, the number and the other kernel's name as groups."""
        return f"{self.prefix}_({NUMBER})" + "_(.+)" * self.of_another


def at_temperature(temperature: float) -> Kernel:
    """e^(x/T)."""
    return exponential(
        f"exp_over_{temperature:g}", f"e^(x/{temperature:g})", lambda _: temperature,
        f"temperature {temperature:g}",
    )  # fmt: skip


FAMILIES = (
    KernelFamily("power", "x^P", 0.01, 1000, False, power),
    KernelFamily("taylor", "Taylor's sum of e^x to degree P", 1, 200, True, taylor),
    KernelFamily("exp_over", "e^(x/P)", 0.001, 10_000, False, at_temperature),
    KernelFamily(
        "minus_mean", "f − P/n, f of a kernel divided by the row's sum", 0, 1, False,
        minus_mean, of_another=True,
    ),
)  # fmt: skip

ALLOWED = f"allowed: {', '.join([*KERNELS, *(family.words for family in FAMILIES)])}"

MOST_SHOWN = 60
"""Characters of a name that a message shows."""


@lru_cache(maxsize=4096)
def kernel_named(name: str) -> Kernel:
    """The kernel of a name or alias: a built-in one, or one of a family. UnknownKernelError if
    there is none: the text names the nearest, or the ends of a family's number."""
    if (written := without_alias(name)) in KERNELS:
        return KERNELS[written]
    for family in FAMILIES:
        if found := re.fullmatch(family.form, name):
            return _of_family(family, name, *found.groups())
    shown = name if len(name) <= MOST_SHOWN else f"{name[:MOST_SHOWN]}..."
    raise UnknownKernelError(f"{shown!r} is no kernel; {_nearest(name)}{ALLOWED}")


def without_alias(name: str) -> str:
    """The name that is written: an alias becomes the kernel's own name, any other text stays."""
    return ALIASES.get(name, name)


def is_kernel(name: str) -> bool:
    """Whether a kernel has the name or alias, or it is in a family's form."""
    in_form = (re.fullmatch(family.form, name) for family in FAMILIES)
    return without_alias(name) in KERNELS or any(in_form)


def is_built_in(kernel: Kernel) -> bool:
    """Whether a kernel is what its name gives: a built-in one, or one of a family."""
    try:
        return kernel_named(kernel.name) is kernel
    except UnknownKernelError:
        return False


def _of_family(family: KernelFamily, name: str, number: str, *another: str) -> Kernel:
    value, of = float(number), [*map(kernel_named, another)]
    fits = all(kernel.normalised for kernel in of)
    fits = fits and family.low <= value <= family.high
    if not fits or (family.whole and value != int(value)):
        raise UnknownKernelError(f"{name!r} is no kernel; allowed: {family.words}")
    found = family.of(int(value) if value == int(value) else value, *of)
    if found.name != name:
        raise UnknownKernelError(f"{name!r} is no kernel; did you mean {found.name!r}?")
    return found


def _nearest(name: str) -> str:
    """The name that is most likely meant, as a question; "" where none is near."""
    close = difflib.get_close_matches(name[:MOST_SHOWN], [*KERNELS, *SAID_OTHERWISE], n=1)
    if not close:
        return ""
    meant = SAID_OTHERWISE.get(close[0])
    return f"did you mean {meant!r} ({close[0]})? " if meant else f"did you mean {close[0]!r}? "
