"""What pages show of the API: examples, run; and beside an answer each default that turns it over.

A default turns an answer over if, varied by a step, it changes it by more than a factor of two, or
from some n to none or to no end.
"""

import doctest
import math
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest
from making import ROOT

from attention_separation import largest_n, needle, recall, separate

PAGES = ("README.md", "docs/api.md", "docs/site/long_description.md")


@pytest.mark.parametrize("page", PAGES)
def test_examples_answer_as_they_say(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    # No example is without its answer.
    assert blocks
    assert all(block.startswith(">>> ") for block in blocks)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, page, 0)
    said: list[str] = []
    found = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    assert found.attempted >= 2
    assert found.failed == 0, "".join(said)


class Default(NamedTuple):
    """Other values of a parameter, and how a page says the value that it has."""

    steps: tuple[float, ...]
    words: str


OF_DATA = {
    # 20 % less and 25 % more, and half and twice the whole numbers.
    "a0": Default((0.008, 0.0125), r"a₀ = 0\.01"),
    "a1": Default((0.96, 1.5), r"a₁ = (1\.2|0\.7 \| 1\.0 \| (\*\*)?1\.2)"),
    "b": Default((0.16, 0.25), r"b = 0\.2"),
    "c": Default((0.64, 1.0), r"c = 0\.8"),
    "d": Default((12, 42), r"d = 22"),
    "m": Default((8, 30), r"m = max"),
}
OF_CROSS = {name: OF_DATA[name] for name in ("a0", "a1", "d", "m")}
OF_RECALL = {
    "d": Default((32,), r"d = 64"),
    "level": Default((0.95,), r"accuracy (of )?0\.9"),
    "cosine": Default((0.9,), r"(query is the key itself|comes again as it was)"),
    "rewrites": Default((1,), r"written once"),
}
OF_NEEDLE = {"mu": Default((4.0, 6.25), r"μ = 5")}

Answer = Callable[..., float | None]


def reach(kernel: str, *layer: str) -> Answer:
    return lambda **varied: largest_n(kernel, *layer, **varied)


def pairs(layer: str) -> Answer:
    return lambda **varied: recall.largest_n(layer, **{"d": 64, "level": 0.9} | varied)


def noisy(kernel: str) -> Answer:
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

CALLS: list[tuple[str, str, Answer, Mapping[str, Default]]] = [
    ("README.md", TRY, reach("power_4"), OF_DATA),
    ("README.md", TRY, probability, OF_DATA),
    ("README.md", ENOUGH, noisy("linear"), OF_NEEDLE),
    ("docs/kernels.md", ANSWER, reach("power_4", "self_attention", "ones"), OF_DATA),
    ("docs/kernels.md", ANSWER, reach("elu_plus_one", "cross_attention"), OF_CROSS),
    ("docs/tasks.md", RECALL, pairs("linear"), OF_RECALL),
    ("docs/tasks.md", NEEDLE, noisy("exp"), OF_NEEDLE),
]
"""A page and its section, a number that stands there, and what is varied of it."""


def is_other(answer: float | None, usual: float | None) -> bool:
    """Whether an answer is not the usual one, up to a factor of two."""
    if not answer or not usual or math.isinf(answer) or math.isinf(usual):
        return (answer or 0) != (usual or 0)
    return not 0.5 <= answer / usual <= 2


def turning(answer: Answer, defaults: Mapping[str, Default]) -> list[str]:
    """The parameters that turn an answer over."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        usual = answer()
        for name, default in defaults.items():
            if any(is_other(answer(**{name: value}), usual) for value in default.steps):
                found.append(name)
    return found


def section_of(page: str, heading: str) -> str:
    text = (ROOT / page).read_text(encoding="utf-8")
    after = text.partition(f"\n{heading}\n")[2]
    assert after
    return " ".join(after.partition("\n## ")[0].split())


def test_what_turns_an_answer_over_is_named_beside_it(subtests):
    for number, (page, heading, answer, defaults) in enumerate(CALLS):
        section = section_of(page, heading)
        with subtests.test(f"{page}, {heading}, {number}"):
            for name in turning(answer, defaults):
                assert re.search(defaults[name].words, section), name


@pytest.mark.parametrize(
    ("answer", "defaults", "names"),
    [
        (reach("power_4"), OF_DATA, ["a1", "c"]),
        (reach("uniform"), OF_DATA, ["d"]),
        (reach("exp"), OF_DATA, []),
        (noisy("linear"), OF_NEEDLE, ["mu"]),
    ],
)
def test_what_turns_an_answer_over_is_found(answer: Any, defaults: Any, names: Any):
    assert turning(answer, defaults) == names
