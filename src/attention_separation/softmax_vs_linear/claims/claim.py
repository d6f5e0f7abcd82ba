"""A claim of the paper: what it says, what the code finds for it, and by how much it holds."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from attention_separation.statistics.claims import Comparison, Estimate, judge

from ..models.model import MRule
from ..settings.claims import ClaimsJob

TOLERANCE = 1e-10
"""Relative rounding that a margin forgives: both sides are sums and powers of floats."""


@dataclass(frozen=True)
class Setting:
    """A size and the parameters at which claims are evaluated; d is None in the regression model.

    `theta` is tau / sqrt(log n) of cross-attention, `tau` the threshold of the regression model,
    `m_rule` gives the sign columns of the experiments on the model.
    """

    n: int
    d: int | None
    delta: float
    a0: float
    a1: float
    b: float
    c: float
    m_rule: MRule
    theta: float
    tau: float

    @property
    def log_n(self) -> float:
        return math.log(self.n)

    @property
    def s(self) -> float:
        """sqrt(log n)."""
        return math.sqrt(math.log(self.n))

    @property
    def m(self) -> int:
        """Sign columns of the paper's experiments on the model."""
        return self.m_rule.m(self.n, self.delta)

    def columns(self, constant: float) -> int:
        """m = C log(n / delta) of Definition 3.7, made whole."""
        return math.ceil(constant * self.log_n_over_delta)

    @property
    def log_n_over_delta(self) -> float:
        return math.log(self.n / self.delta)

    @property
    def rare(self) -> float:
        """delta / n: how often "with high probability" may fail."""
        return self.delta / self.n

    def a(self, dataset: int) -> float:
        """Size of the special entry in D0 or D1."""
        return self.a1 if dataset else self.a0


@dataclass(frozen=True)
class Measured:
    """What a claim compares at one setting: the cell that is worst for it, and its bound.

    The margin is None, and so is whether it holds, where a claim cannot be judged at one size.
    """

    value: float
    bound: float
    margin: float | None

    @property
    def holds(self) -> bool | None:
        return None if self.margin is None else self.margin >= 0


@dataclass(frozen=True)
class Claim:
    """One part of a lemma or theorem.

    Attributes
    ----------
    id : lemma and part, such as "D.4.P1"
    place, statement, formula : where it stands, what it says in words and in symbols
    source, bound_from : where the claim and where its bound come from, as `origins` has it
    model : name of its model, or "attention" in general
    quantity : what `cells` are
    relation : how every cell must stand to the bound; of an o() only their ratio is told
    cells : setting -> one number, or all that the claim is about
    bound : setting -> what they are compared with
    constant : the cells are a constant C that makes an O() true, the least one or the one that
        Hoeffding's bound needs; the bound is the proof's
    ranges : the ends of the ranges that the claim allows its parameters, each a set of changes
    identity : both sides are equal by the definitions alone, so the claim cannot fail
    sizes : (n, d) at which it is evaluated, if not at those of the job and along the paths
    scope : what alone it is evaluated on, if the claim says more, such as "random signs"
    """

    id: str
    place: str
    statement: str
    formula: str
    source: str
    bound_from: str
    model: str
    quantity: str
    relation: Literal["at most", "at least", "equal", "ratio"]
    cells: Callable[[Setting], float | Iterable[float]]
    bound: Callable[[Setting], float]
    constant: Literal["least", "Hoeffding"] | None = None
    ranges: tuple[tuple[tuple[str, float], ...], ...] = ()
    identity: bool = False
    sizes: tuple[tuple[int, int], ...] = ()
    scope: str = ""

    def evaluate(self, setting: Setting) -> Measured:
        """Compute the cells anew and hold the worst of them against the bound."""
        cells = self.cells(setting)
        bound = float(self.bound(setting))
        cells = [cells] if isinstance(cells, float) else [float(cell) for cell in cells]
        if self.relation == "ratio":
            return Measured(max(cells), bound, None)
        worst = judge(against(cell, bound, self.relation) for cell in cells).deciding
        return Measured(worst.measured.value, bound, worst.slack)


def against(value: float, bound: float, relation: str) -> Comparison:
    """A cell and its bound. The comparison's slack is how far the cell is on the claimed side,
    relative to the larger of the two, so between -2 and 1, plus TOLERANCE; of an equality it is the
    tolerance less the relative difference."""
    return Comparison(
        relation,
        Estimate.exactly(value),
        least=-math.inf if relation == "at most" else bound,
        most=math.inf if relation == "at least" else bound,
        rounding=TOLERANCE,
    )


def setting_of(job: ClaimsJob, n: int, d: int | None) -> Setting:
    """The parameters of a job at one size."""
    return Setting(
        n=n,
        d=d,
        delta=job.delta,
        a0=job.a0,
        a1=job.a1,
        b=job.b,
        c=job.c,
        m_rule=job.m.regression if d is None else job.m.attention,
        theta=job.theta,
        tau=job.tau,
    )
