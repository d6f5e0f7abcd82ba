"""A default that turns an answer of a page over is named where the answer stands.

Each default of a call is varied by a step. Where that changes the answer by more than a factor of
two, or from some n to none or to no end, the page says what the default is, in the same section.
"""

import math
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from making import ROOT

from attention_separation import largest_n, needle, recall, separate

STEPS: Mapping[str, tuple[float, ...]] = {
    "a0": (0.008, 0.0125),
    "a1": (0.96, 1.5),
    "b": (0.16, 0.25),
    "c": (0.64, 1.0),
    "d": (12, 42),
    "m": (8, 30),
}
"""Of the first paper's data: 20 % less and 25 % more, and half and twice the whole numbers."""

OF_RECALL: Mapping[str, tuple[float, ...]] = {
    "d": (32, 128),
    "level": (0.85, 0.95),
    "cosine": (0.9,),
    "rewrites": (1,),
}
OF_NEEDLE: Mapping[str, tuple[float, ...]] = {"mu": (4.0, 6.25)}

WORDS = {
    "a0": r"a₀ = 0\.01",
    "a1": r"a₁ = (1\.2|0\.7 \| 1\.0 \| (\*\*)?1\.2)",
    "b": r"b = 0\.2",
    "c": r"c = 0\.8",
    "d": r"d = 22",
    "m": r"m = max",
}
OF_RECALL_IN_WORDS = {
    "d": r"d = 64",
    "level": r"accuracy (of )?0\.9",
    "cosine": r"(query is the key itself|comes again as it was)",
    "rewrites": r"written once",
}
OF_NEEDLE_IN_WORDS = {"mu": r"μ = 5"}


@dataclass(frozen=True)
class Call:
    """A number of a page: where it stands, and how it is computed.

    Attributes
    ----------
    section : heading of the page
    answer : the number, with keyword arguments for what is varied
    steps : other values of each argument
    words : how the page says each argument's value
    """

    page: str
    section: str
    answer: Callable[..., float | None]
    steps: Mapping[str, tuple[float, ...]] = field(default_factory=lambda: STEPS)
    words: Mapping[str, str] = field(default_factory=lambda: WORDS)


def reach(kernel: Any, model: str = "self_attention", x: str = "identity") -> Callable[..., Any]:
    return lambda **varied: largest_n(kernel, model, x, **varied)


def reaches(kernels: tuple[Any, ...]) -> list[Callable[..., Any]]:
    layers = (
        ("self_attention", "identity"), ("self_attention", "ones"),
        ("cross_attention", "identity"),
    )  # fmt: skip
    return [reach(kernel, *layer) for kernel in kernels for layer in layers]


def pairs(layer: str) -> Callable[..., Any]:
    return lambda **varied: recall.largest_n(layer, **{"d": 64, "level": 0.9} | varied)


def noisy(kernel: str) -> Callable[..., Any]:
    return lambda **varied: needle.critical_n(kernel, **{"mu": 5.0} | varied)


def probability(**varied: float) -> float:
    """Of 2,000 tokens, or of the next number that stacks in the classes."""
    classes = int(varied.get("d", 22)) - 2
    return separate("linear", n=classes * math.ceil(2000 / classes), **varied).probability


TRY = "## Try your own attention"
ENOUGH = "## Is linear attention good enough?"
ANSWER = "## The answer"
NEEDLE = "## Find one token in noise"
RECALL = "## Recall one of n pairs"
IN_TABLE = ("exp", "exp_sqrt_d", "x**4", "linear", "uniform")
ON_KERNELS = (
    "exp", "exp_sqrt_d", "power_8", "power_4", "elu_plus_one", "linear", "linear_unnormalised",
    "uniform",
)  # fmt: skip

CALLS = (
    *(Call("README.md", TRY, reach(kernel)) for kernel in IN_TABLE),
    Call("README.md", TRY, reach(lambda x: np.exp(np.sqrt(x)))),
    Call("README.md", TRY, probability),
    *(Call("README.md", ENOUGH, reach(kernel)) for kernel in ("linear", "exp", "exp_sqrt_d")),
    *(
        Call("README.md", ENOUGH, pairs(layer), OF_RECALL, OF_RECALL_IN_WORDS)
        for layer in ("linear", "exp_sqrt_d")
    ),
    *(
        Call("README.md", ENOUGH, noisy(kernel), OF_NEEDLE, OF_NEEDLE_IN_WORDS)
        for kernel in ("linear", "exp")
    ),
    *(Call("docs/kernels.md", ANSWER, answer) for answer in reaches(ON_KERNELS)),
    *(
        Call("docs/tasks.md", RECALL, pairs(layer), OF_RECALL, OF_RECALL_IN_WORDS)
        for layer in ("linear", "power_2", "exp_sqrt_d")
    ),
    *(
        Call("docs/tasks.md", NEEDLE, noisy(kernel), OF_NEEDLE, OF_NEEDLE_IN_WORDS)
        for kernel in ("uniform", "linear", "exp", "bayes")
    ),
)


def is_other(answer: float | None, usual: float | None) -> bool:
    """Whether an answer is not the usual one, up to a factor of two."""
    if not answer or not usual or math.isinf(answer) or math.isinf(usual):
        return (answer or 0) != (usual or 0)
    return not 0.5 <= answer / usual <= 2


def turning(call: Call) -> list[str]:
    """The arguments that turn an answer over."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        usual = call.answer()
        for name, values in call.steps.items():
            for value in values:
                try:
                    answer = call.answer(**{name: value})
                except ValueError as error:
                    # In cross-attention tokens have neither b nor c.
                    assert "with cross_attention" in str(error)  # noqa: PT017
                    continue
                if is_other(answer, usual):
                    found.append(name)
    return [*dict.fromkeys(found)]


def section_of(call: Call) -> str:
    text = (ROOT / call.page).read_text(encoding="utf-8")
    after = text.partition(f"\n{call.section}\n")[2]
    assert after
    return " ".join(after.partition("\n## ")[0].split())


@pytest.mark.exhaustive
@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.page} {call.section}")
def test_what_turns_an_answer_over_is_named_beside_it(call):
    section = section_of(call)
    missing = [name for name in turning(call) if not re.search(call.words[name], section)]
    assert missing == []


@pytest.mark.exhaustive
def test_what_turns_an_answer_over_is_found():
    assert turning(Call("README.md", TRY, reach("x**4"))) == ["a1", "c"]
    assert turning(Call("README.md", TRY, reach("uniform"))) == ["d"]
    assert turning(Call("README.md", TRY, reach("exp"))) == []
    of_noise = Call("docs/tasks.md", NEEDLE, noisy("linear"), OF_NEEDLE)
    assert turning(of_noise) == ["mu"]
