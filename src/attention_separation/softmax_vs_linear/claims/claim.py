"""A claim of the paper: what it says, what the code finds for it, and by how much it holds."""

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal

import numpy as np

from ...statistics.claims import Comparison, Estimate
from ..models import MODELS
from ..models.model import AttentionModel, Model
from ..settings.claims import ClaimsJob
from .origins import origin, place

PYTHON = str.maketrans(
    {"−": "-", "^": "**", "²": "**2", "⁴": "**4", "₀": "0", "₁": "1", "L": "log", "√": "sqrt"}
)
FUNCTIONS = {"log": math.log, "sqrt": math.sqrt, "__builtins__": {}}


@cache
def formula(text: str) -> Callable[[dict[str, float]], float]:
    """The formula that a text of ours prints, as a function of the values of its letters.

    What stands side by side is multiplied, and log and √ are of the number, letter or parenthesis
    behind them. Letters are named as in Python: a₁ is a1. SyntaxError if it is none.
    """
    # One letter for the logarithm, and parentheses around what it and √ are of.
    python = re.sub(r"([L√]) ?([a-zδτ]|[\d.]+)", r"\1(\2)", text.replace("log", "L"))
    python = re.sub(r"(?<=[\w.)])(?<!L) ?(?=[a-zδτ(L√])", "*", python)
    code = compile(python.translate(PYTHON), f"<{text}>", "eval")
    return lambda letters: eval(code, FUNCTIONS, letters)


TOLERANCE = 1e-10
"""Relative rounding that a margin forgives: both sides are sums and powers of floats."""

RARELY = "≤ δ/n"
RELATIONS = {"≤": "at most", "≥": "at least", "=": "equal"}


@dataclass(frozen=True)
class Setting:
    """A size and the parameters at which claims are evaluated; d is None in the regression model.

    `theta` is tau / sqrt(log n) of cross-attention, `tau` the threshold of the regression model,
    `m` is the number of sign columns that the paper's experiments on the model have.
    """

    n: int
    d: int | None
    delta: float
    a0: float
    a1: float
    b: float
    c: float
    m: int
    theta: float
    tau: float

    @cached_property
    def s(self) -> float:
        """sqrt(log n)."""
        return math.sqrt(math.log(self.n))

    @property
    def log_n_over_delta(self) -> float:
        return math.log(self.n / self.delta)

    def columns(self, constant: float) -> int:
        """m = C log(n / delta) of Definition 3.7, made whole."""
        return math.ceil(constant * self.log_n_over_delta)

    @property
    def failure_probability(self) -> float:
        """delta / n: how often "with high probability" may fail."""
        return self.delta / self.n

    def letters(self, model: Model) -> dict[str, float]:
        """Values of the letters of formulas; t is the number of tokens in a class."""
        found = {
            "n": self.n, "s": self.s, "a0": self.a0, "a1": self.a1, "b": self.b, "c": self.c,
            "δ": self.delta, "τ": self.tau,
        }  # fmt: skip
        if isinstance(model, AttentionModel):
            found |= {"d": self.d, "t": self.n / model.classes(self.d), "τ": self.theta * self.s}
        return found


@dataclass(frozen=True)
class Measured:
    """What a claim compares at one setting: the cell that is worst for it, and its bound.

    The margin is how far the cell is on the claimed side, relative to the larger of the two, so
    between -2 and 1, plus TOLERANCE; of an equality it is the tolerance less the relative
    difference. It is None, and so is whether it holds, where a claim cannot be judged at one size.
    `changes` are those of the parameters, at an end of their ranges.
    """

    value: float
    bound: float
    margin: float | None
    changes: tuple[tuple[str, float], ...] = ()

    @property
    def holds(self) -> bool | None:
        return None if self.margin is None else self.margin >= 0


@dataclass(frozen=True)
class PaperClaim:
    """One part of a lemma or theorem.

    Attributes
    ----------
    id : lemma and part, such as "D.4.P1"
    model : name of its model, or "attention" in general
    statement : what it says, in words
    left, claimed, note : its formula: of what, relation and bound, as "≤ δ/n", or "= o(n)" of an
        o(), and what it says beside this
    cells : setting -> one number, or all that the claim is about, each of which must stand so to
        the bound; of an o() their ratio to it alone is known. None: `left` is itself a formula
    quantity : what cells are, if `left` does not say it
    constant : the cells are a constant C that makes an O() true, the least one or the one that
        Hoeffding's bound needs; the bound is the proof's
    ranges : the ends of the ranges that the claim allows its parameters, each a set of changes
    identity : both sides are equal by the definitions alone, so the claim cannot fail
    sizes : (n, d) at which it is evaluated, if not at those of the job and along the paths
    any_d : it asks nothing of d, so how slowly d may grow is no question
    scope : what alone it is evaluated on, if the claim says more, such as "random signs"
    """

    id: str
    model: str
    statement: str
    left: str
    claimed: str
    cells: Callable[[Setting], float | Iterable[float]] | None = None
    quantity: str = ""
    note: str = ""
    constant: Literal["least", "Hoeffding"] | None = None
    ranges: tuple[tuple[tuple[str, float], ...], ...] = ()
    identity: bool = False
    sizes: tuple[tuple[int, int], ...] = ()
    any_d: bool = False
    scope: str = ""

    @property
    def relation(self) -> str:
        """How cells must stand to the bound; "ratio" of an o()."""
        return "ratio" if self.claimed.startswith("= o(") else RELATIONS[self.claimed[0]]

    def columns(self) -> dict[str, object]:
        """What a table says of it, whatever is computed."""
        return {
            **{name: getattr(self, name) for name in ("id", "statement", "identity", "model")},
            **origin(self.id, self.identity)._asdict(),
            "place": place(self.id),
            "formula": f"{self.left} {self.claimed}{self.note}",
            "quantity": self.quantity or f"{self.left}{self.note}",
            "relation": self.relation,
        }

    def bound(self, setting: Setting) -> float:
        """What cells are compared with."""
        return self._value(self.claimed[2:].removeprefix("o"), setting)

    def _value(self, text: str, setting: Setting) -> float:
        letters = setting.letters(MODELS[self.model]) if self.model in MODELS else {}
        return float(formula(text)(letters))

    def evaluate(self, setting: Setting) -> Measured:
        """Compute the cells anew and hold the worst of them against the bound."""
        cells = self.cells(setting) if self.cells else self._value(self.left, setting)
        # Once each: the rows of many tokens are alike.
        cells = [cells] if isinstance(cells, float) else [*dict.fromkeys(map(float, cells))]
        bound, relation = self.bound(setting), self.relation
        if relation == "ratio":
            return Measured(float(np.max(cells)), bound, None)
        least = -math.inf if relation == "at most" else bound
        most = math.inf if relation == "at least" else bound
        slacks = [
            Comparison(
                relation, Estimate.exactly(cell), least, most, rounding=TOLERANCE
            ).slack_of_value
            for cell in cells
        ]
        worst = int(np.argmin(slacks))  # A NaN before all else: it is a failure.
        return Measured(cells[worst], bound, slacks[worst])


SettingAt = Callable[[int, int | None], Setting]


def setting_of(job: ClaimsJob, n: int, d: int | None, power: float = 1.0) -> Setting:
    """The parameters of a job at one size, with δ/poly(n) read as δ/n^power.

    That is δ/n with δ n^(1 − power) for δ, everywhere but in the experiments' own m.
    """
    rule = job.m.regression if d is None else job.m.attention
    names = ("a0", "a1", "b", "c", "theta", "tau")
    delta, m = job.delta * n ** (1 - power), rule.m(n, job.delta)
    return Setting(n, d, delta, m=m, **{name: getattr(job, name) for name in names})
