"""Contests: which networks must be positive on D1, and which must be zero on both datasets."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from ....attention.kernel import Kernel
from ....messages.words import joined
from ....settings.faults import fault
from ....settings.kernel_section import PythonKernel
from ....settings.kernel_text import KernelText, Named, is_formula, kernel_of_text
from ....settings.strict_model import StrictModel, unique

IN_THE_PAPER = {"exp": "exp", "linear": "lin"}
"""What the paper calls the networks: F_exp and F_lin."""

NETWORKS_IN_STREAMS = IN_THE_PAPER | {"uniform": "none"}
"""What names of streams call kernels that have another name elsewhere: draws stay as they are."""


class Network(NamedTuple):
    """One evaluation of a trial: a kernel's network on D0 or D1."""

    kernel: str
    dataset: int

    @property
    def stream(self) -> str:
        """The name of the stream that the network's signs y are drawn from, where networks do not
        share them."""
        return f"signs {NETWORKS_IN_STREAMS.get(self.kernel, self.kernel)} D{self.dataset}"


@cache
def _networks_of(kernels: tuple[str, ...]) -> tuple[Network, ...]:
    """The networks of some kernels, those on D1 first: the order of every axis of networks."""
    on_d1 = [Network(kernel, 1) for kernel in kernels]
    on_d0 = [Network(kernel, 0) for kernel in kernels]
    return (*on_d1, *on_d0)


class Contest(StrictModel, title="contest"):
    """Success: the network of `fires` is positive on D1 and zero on D0, all others zero on both."""

    own: SkipJsonSchema[Named | None] = None
    """Those of the reader's own kernels that it names, as the configuration fills them in."""
    fires: KernelText = Field(description="kernel whose network must be positive on D1 alone")
    silent: Annotated[
        tuple[KernelText, ...],
        BeforeValidator(lambda names: tuple(names) if isinstance(names, list) else names),
        AfterValidator(unique),
    ] = Field(description="kernels whose networks must be zero on both datasets")

    @model_validator(mode="after")
    def _not_both(self) -> "Contest":
        if self.fires in self.silent:
            text = "both fires and is silent; allowed: other kernels to be silent"
            raise fault(f"{self.fires!r} {text}")
        return self

    @property
    def kernels(self) -> tuple[str, ...]:
        """All kernels of the contest; the one whose network must be positive comes first."""
        return (self.fires, *self.silent)

    @property
    def formulas(self) -> tuple[str, ...]:
        """The kernels that are formulas, or that the reader's own settings define by one."""
        setting_by_name = {kernel.name: kernel.setting for kernel in self.own or ()}
        formulas = []
        for text in self.kernels:
            if text in setting_by_name:
                has_formula = not isinstance(setting_by_name[text], PythonKernel)
            else:
                has_formula = is_formula(text)
            if has_formula:
                formulas.append(text)
        return tuple(formulas)

    def kernel_of(self, text: str) -> Kernel:
        """The kernel of one of `kernels`."""
        return kernel_of_text(text, self.own or ())

    @property
    def networks(self) -> tuple[Network, ...]:
        """The networks of the contest: those on D1, in the order of `kernels`, then those on D0. It
        is the order of the last axis wherever networks stand side by side."""
        return _networks_of(self.kernels)

    @property
    def events(self) -> tuple[str, ...]:
        """The names of the events that together are success, one for each network, such as
        "f_exp_d1_positive"."""
        events: list[str] = []
        for k, network in enumerate(self.networks):
            name = network.kernel
            if self == CONTEST_OF_PAPER:
                name = f"f_{IN_THE_PAPER[name]}"
            sign = "positive" if k == 0 else "zero"
            events.append(f"{name}_d{network.dataset}_{sign}")
        return tuple(events)

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The names of what is counted over the trials of a point: successes, and each event."""
        return ("successes", *self.events)

    def event_flags(self, positive: np.ndarray) -> np.ndarray:
        """Which of `events` happened, (..., networks) bool; in a success all did.

        positive : (..., networks) bool, which networks are positive
        """
        return positive == (np.arange(len(self.networks)) == 0)

    def in_words(self) -> str:
        """What success is in the contest, as a sentence without capital and full stop."""
        text = f"success: {network_name(self.fires)} is positive on D1 and zero on D0"
        if not self.silent:
            return text
        silent = joined([network_name(kernel) for kernel in self.silent])
        verb = "is" if len(self.silent) == 1 else "are"
        return f"{text}; {silent} {verb} zero on both"


CONTEST_OF_PAPER = Contest(fires="exp", silent=("linear",))
"""The paper's: F_exp separates D1 from D0, and F_lin does not."""


def network_name(kernel: str) -> str:
    """A kernel's network in text, such as "F_exp"."""
    return f"F_{IN_THE_PAPER.get(kernel, kernel)}"


def contests_in_words(contests: Mapping[str, Contest]) -> list[str]:
    """Sentences on what success is in some panels, whose contests are given by their names: one
    sentence if all have the same, else the paper's contest first, then each other one with the
    names of its panels."""
    panels: dict[Contest, list[str]] = {}
    for name, contest in contests.items():
        panels.setdefault(contest, []).append(name)
    if len(panels) == 1:
        (shared_contest,) = panels
        return [_as_sentence(shared_contest)]
    sentences = []
    if panels.pop(CONTEST_OF_PAPER, None):
        sentences.append(_as_sentence(CONTEST_OF_PAPER))
    for contest, names in panels.items():
        sentences.append(f"In {joined(names)}, {contest.in_words()}.")
    return sentences


def _as_sentence(contest: Contest) -> str:
    """What success is in a contest, as a sentence."""
    words = contest.in_words()
    return f"{words[0].upper()}{words[1:]}."
