"""A claim of the paper: what it says, what the code finds for it, and by how much it holds.

A claim compares *cells*, the numbers that it is about, such as the attention weights of some rows,
with a *bound*, at a *setting*: a size and the parameters of the datasets. Its *margin* is by how
much the worst cell lies on the claimed side.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from ...statistics.claims import Comparison, Estimate
from ..softmax_vs_linear.models import MODELS
from ..softmax_vs_linear.models.model import AttentionModel, Model
from .origins import origin, place
from .settings import ClaimsJob

PYTHON_SIGNS = str.maketrans(
    {"−": "-", "^": "**", "²": "**2", "⁴": "**4", "₀": "0", "₁": "1", "L": "log", "√": "sqrt"}
)
FORMULA_NAMES: dict[str, Any] = {"log": math.log, "sqrt": math.sqrt, "__builtins__": {}}


@cache
def formula(text: str) -> Callable[[dict[str, float]], float]:
    """The function that computes a printed formula, such as "√n / 2", from the values of its
    letters.

    What stands side by side is multiplied, and log and √ are of the number, letter or parenthesis
    behind them. Letters are named as in Python: a₁ is a1. SyntaxError if it is none.
    """
    # One letter for the logarithm, and parentheses around what it and √ are of.
    python = re.sub(r"([L√]) ?([a-zδτ]|[\d.]+)", r"\1(\2)", text.replace("log", "L"))
    python = re.sub(r"(?<=[\w.)])(?<!L) ?(?=[a-zδτ(L√])", "*", python)
    code = compile(python.translate(PYTHON_SIGNS), f"<{text}>", "eval")
    return lambda letters: eval(code, FORMULA_NAMES, letters)


MARGIN_TOLERANCE = 1e-10
"""Relative rounding that a margin forgives: both sides are sums and powers of floats."""

RARELY = "≤ δ/n"


class Relation(StrEnum):
    """How cells must stand to the bound; of an o() their ratio to it alone is known."""

    AT_MOST = "at most"
    AT_LEAST = "at least"
    EQUAL = "equal"
    RATIO = "ratio"


RELATIONS = {"≤": Relation.AT_MOST, "≥": Relation.AT_LEAST, "=": Relation.EQUAL}


class SignAndBound(NamedTuple):
    """The two parts of what is claimed: of "≤ δ/n" the sign "≤", of RELATIONS, and "δ/n"."""

    sign: str
    bound: str

    @classmethod
    def of(cls, claimed: str) -> Self:
        """The sign and the bound of a text such as "≤ δ/n"."""
        sign, _, bound = claimed.partition(" ")
        return cls(sign, bound)


class Size(NamedTuple):
    """n and d; d is None in the regression model."""

    n: int
    d: int | None


Changes = tuple[tuple[str, float], ...]
"""Parameters and the values that they have instead of the setting's."""


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
    def embedding_dimension(self) -> int:
        """The embedding dimension d of attention. ValueError in the regression model, which has
        none."""
        if self.d is None:
            raise ValueError(f"d=None at n={self.n}; allowed: a whole number, for attention")
        return self.d

    @property
    def log_n_over_delta(self) -> float:
        return math.log(self.n / self.delta)

    def columns(self, constant: float) -> int:
        """The number of sign columns m = C log(n / delta) of Definition 3.7, rounded up."""
        return math.ceil(constant * self.log_n_over_delta)

    @property
    def failure_probability(self) -> float:
        """delta / n: how often "with high probability" may fail."""
        return self.delta / self.n

    def letters(self, model: Model) -> dict[str, float]:
        """The values of the letters that formulas on a model have, by letter; t is the number of
        tokens in a class."""
        values = {
            "n": self.n,
            "s": self.s,
            "a0": self.a0,
            "a1": self.a1,
            "b": self.b,
            "c": self.c,
            "δ": self.delta,
            "τ": self.tau,
        }
        if isinstance(model, AttentionModel):
            values["d"] = self.embedding_dimension
            values["t"] = self.n / model.classes(self.embedding_dimension)
            values["τ"] = self.theta * self.s
        return values


@dataclass(frozen=True)
class Measured:
    """What a claim compares at one setting: the cell that is worst for it, and its bound.

    The margin is how far the cell is on the claimed side, relative to the larger of the two, so
    between -2 and 1, plus MARGIN_TOLERANCE; of an equality it is the tolerance less the relative
    difference. It is None, and so is whether it holds, where a claim cannot be judged at one size.
    `changes` are those of the parameters, at an end of their ranges.
    """

    n: int
    d: int | None
    value: float
    bound: float
    margin: float | None
    changes: Changes = ()

    @property
    def holds(self) -> bool | None:
        """Whether the cell is on the claimed side; None where a claim cannot be judged at one
        size."""
        return None if self.margin is None else self.margin >= 0


Cells = Callable[[Setting], float | Iterable[float]]
"""Setting -> one number, or all that a claim is about."""


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
    cells: Cells | None = None
    quantity: str = ""
    note: str = ""
    constant: Literal["least", "Hoeffding"] | None = None
    ranges: tuple[Changes, ...] = ()
    identity: bool = False
    sizes: Sequence[Size] = ()
    any_d: bool = False
    scope: str = ""

    @cached_property
    def relation(self) -> Relation:
        """How the claim's cells must stand to its bound."""
        sign, bound = self._sign_and_bound
        return Relation.RATIO if bound.startswith("o(") else RELATIONS[sign]

    @cached_property
    def _sign_and_bound(self) -> SignAndBound:
        return SignAndBound.of(self.claimed)

    def columns(self) -> dict[str, object]:
        """The columns of a claim's row that say what it is, whatever is computed."""
        source = origin(self.id, self.identity)
        return {
            "id": self.id,
            "place": place(self.id),
            "statement": self.statement,
            "formula": self.formula_text,
            "source": source.source,
            "bound_from": source.bound_from,
            "identity": self.identity,
            "model": self.model,
            "quantity": self.quantity or f"{self.left}{self.note}",
            "relation": self.relation,
        }

    @property
    def formula_text(self) -> str:
        """The whole claim as a formula, such as "f ≥ 1/2"."""
        return f"{self.left} {self.claimed}{self.note}"

    def bound(self, setting: Setting) -> float:
        """The number that cells are compared with, at a setting."""
        bound = self._sign_and_bound.bound
        return self._value(bound.removeprefix("o"), setting)

    def _value(self, text: str, setting: Setting) -> float:
        """The value of a formula at a setting; one on attention in general has no letters."""
        letters = setting.letters(MODELS[self.model]) if self.model in MODELS else {}
        return float(formula(text)(letters))

    def evaluate(self, setting: Setting) -> Measured:
        """What the claim measures at a setting: the cell with the least margin, against the bound.

        Of an o() it is the largest cell, without a margin.
        """
        cells = self._distinct_cells(setting)
        bound = self.bound(setting)
        if self.relation == Relation.RATIO:
            largest = float(np.max(cells))
            return Measured(setting.n, setting.d, value=largest, bound=bound, margin=None)
        margins = [self._margin(cell, bound) for cell in cells]
        # A NaN before all else: it is a failure.
        worst = int(np.argmin(margins))
        return Measured(
            setting.n, setting.d, value=cells[worst], bound=bound, margin=margins[worst]
        )

    def _distinct_cells(self, setting: Setting) -> list[float]:
        """The different cells at a setting: the rows of many tokens are equal."""
        cells = self.cells(setting) if self.cells else self._value(self.left, setting)
        if isinstance(cells, Iterable):
            return list(dict.fromkeys(map(float, cells)))
        return [cells]

    def _margin(self, cell: float, bound: float) -> float:
        """How far a cell lies on the claimed side of the bound, as `Measured` has it."""
        least = -math.inf if self.relation == Relation.AT_MOST else bound
        most = math.inf if self.relation == Relation.AT_LEAST else bound
        exact = Estimate.exactly(cell)
        comparison = Comparison(self.relation, exact, least, most, rounding=MARGIN_TOLERANCE)
        return comparison.slack_of_value


SettingAt = Callable[[int, int | None], Setting]
"""n, d -> the setting at this size."""


def setting_of(job: ClaimsJob, n: int, d: int | None, power: float = 1.0) -> Setting:
    """The setting of a job at one size, with the failure probability δ/poly(n) read as δ/n^power.

    That is δ/n with δ n^(1 − power) for δ; the experiments' own m has the job's δ.
    """
    rule = job.m.regression if d is None else job.m.attention
    return Setting(
        n=n,
        d=d,
        delta=job.delta * n ** (1 - power),
        a0=job.a0,
        a1=job.a1,
        b=job.b,
        c=job.c,
        m=rule.m(n, job.delta),
        theta=job.theta,
        tau=job.tau,
    )


def sizes_of(job: ClaimsJob, model: str) -> list[Size]:
    """The sizes of a job at which the claims on a model are evaluated."""
    return [Size(n, d) for n, d in job.sizes.of(model)]
