"""What is claimed of recall, judged: limits, dots on their lines, the order of layers, the budget
of noise.

A *line* has the accuracies of a layer that its law gives, a *dot* is one that the literal layer has
in simulation; both have a row a point, with an error of 95 %. A *capacity* is the largest number of
pairs that a layer gives back at the level of the study, known to lie from `low` to `high`.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ....pages.table_page import write_result
from ....recall.exact.large_d_limits import delta_limit, linear_limit
from ....recall.layers import Delta
from ....results.claims import ABOUT, SCHEMA, claim_by_rule, claim_rows
from ....results.provenance import record
from ....results.tables import Row, read_parquet, table_from_rows
from ....statistics.claims import Comparison, Estimate, at_least, at_most, within
from ....statistics.means import simultaneous_quantile
from ....statistics.seeding import stream
from ..settings.section import ClaimsJob
from ..settings.titles import RECALL_CLAIMS_TITLE
from ..tables.cell_table import DOT, LINE, LINES_SCHEMA
from ..tables.joined import CAPACITIES


class Kind(StrEnum):
    """What a claim is judged on: computed numbers, or numbers with noise, which share the level."""

    COMPUTED = "computed"
    SIMULATED = "simulated"


LINEAR_TOLERANCE = 0.6
"""Times 1/d, of linear attention to its limit."""

DELTA_TOLERANCE = 0.45
"""Times 1/d, of delta rules to theirs, beside NOISE_TOLERANCE."""

DELTA_BETAS = {"delta_1": 1.0, "delta_half": 0.5}
"""Layers of the configuration, and their beta."""

NOISE_TOLERANCE = 0.03
"""How far an accuracy with noise may be from what it is held against: its interval must be
shorter."""

LINE_TOLERANCE = 0.08
LINE_TOLERANCE_BY_AGE = 0.12
"""The same of dots and their lines, and of those at one age, which have fewer trials."""

NORMAL_95 = 1.96

FORGETTING_POINTS = 10
"""At most so many points of lines have the latest key."""

CAPACITY_ORDER = (
    "linear",
    "delta_half",
    "least_squares",
    "taylor_2_sqrt_d",
    "power_2",
    "exp_sqrt_d",
)
"""Layers from the fewest pairs at the level to the most."""

BUDGET_KEYS = 40
BUDGET_DIMENSION = 24
BUDGET_DRAWS = 50
"""Of the budget of noise."""

BUDGET_ROUNDING = 1e-12


@dataclass(frozen=True)
class Evidence:
    """What claims are judged on: rows of lines and dots, of capacities, and the level of all claims
    on simulated numbers."""

    lines: Sequence[Row]
    capacities: Sequence[Row]
    level: float
    seed: int

    def rows_of(self, part: str) -> list[Row]:
        """The rows of a part: the points of all lines, or all dots."""
        return [row for row in self.lines if row["part"] == part]

    def line_against_n(self, layer: str) -> list[Row]:
        """The points of a layer's line against n, means over all ages."""
        points = [row for row in self.rows_of(LINE) if row["layer"] == layer]
        return [row for row in points if row["age"] is None]

    def widening(self, intervals: int) -> float:
        """The factor by which so many intervals of 95 % are widened to hold together at the
        level."""
        return simultaneous_quantile(self.level / 2, max(intervals, 1)) / NORMAL_95


def _point_name(row: Row) -> str:
    """The d and n of a row, in words."""
    return f"d = {row['d']}, n = {row['n']:,}"


def linear_distances(evidence: Evidence) -> Iterator[Comparison]:
    """d times the accuracy of linear attention less its limit, at each point of its lines."""
    for row in evidence.line_against_n("linear"):
        d = row["d"]
        distance = row["accuracy"] - linear_limit(row["n"] / d)
        scaled = Estimate.within(d * distance, d * row["error"])
        yield within(_point_name(row), scaled, LINEAR_TOLERANCE)


def delta_distances(evidence: Evidence) -> Iterator[Comparison]:
    """The accuracy of delta rules less its limit, at each point of their lines; intervals hold
    together."""
    rows = [row for layer in DELTA_BETAS for row in evidence.line_against_n(layer)]
    widening = evidence.widening(len(rows))
    for row in rows:
        layer = row["layer"]
        d = row["d"]
        limit = delta_limit(Delta(DELTA_BETAS[layer]), row["n"], d, None)
        distance = Estimate.within(row["accuracy"] - limit, row["error"] * widening)
        yield within(
            f"{layer}, {_point_name(row)}", distance, DELTA_TOLERANCE / d + NOISE_TOLERANCE
        )


def dot_distances(evidence: Evidence) -> Iterator[Comparison]:
    """The accuracy of each dot less that of the line it stands on; intervals hold together."""
    line_by_place = {_place(row): row for row in evidence.rows_of(LINE)}
    dots = evidence.rows_of(DOT)
    widening = evidence.widening(len(dots))
    for dot in dots:
        on_line = line_by_place[_place(dot)]
        difference = dot["accuracy"] - on_line["accuracy"]
        # Both are independent: their errors add as squares do.
        error = math.hypot(dot["error"], on_line["error"])
        name = f"{dot['layer']}, {_point_name(dot)}"
        most = LINE_TOLERANCE
        if dot["age"] is not None:
            name += f", age {dot['age']}"
            most = LINE_TOLERANCE_BY_AGE
        yield within(name, Estimate.within(difference, error * widening), most)


def _place(row: Row) -> tuple[Any, ...]:
    """The layer, d, n and age at which a dot or a point of a line stands."""
    return row["layer"], row["d"], row["n"], row["age"]


def log_ratios_of_capacities(evidence: Evidence) -> Iterator[Comparison]:
    """log of the largest n of each layer over that of the layer before, at each d, with the
    interval that both intervals leave."""
    by_place = {(row["layer"], row["d"]): row for row in evidence.capacities}
    for d in sorted({row["d"] for row in evidence.capacities}):
        present = [by_place[layer, d] for layer in CAPACITY_ORDER if (layer, d) in by_place]
        for fewer, more in pairwise(present):
            name = f"d = {d}, {more['layer']} over {fewer['layer']}"
            yield at_least(name, _log_capacity(more).less(_log_capacity(fewer)), 0.0)


def _log_capacity(row: Row) -> Estimate:
    """log of a capacity, from that of its lower to that of its upper end; where the largest n is
    not known it is the lower end."""
    low = _log(row["low"])
    high = _log(row["high"])
    value = low
    if row["largest_n"]:
        value = _log(row["largest_n"])
    return Estimate(value, low, high)


def _log(n: float | None) -> float:
    """log n: infinite where n is None, which stands for no upper end."""
    if n is None:
        return math.inf
    return math.log(n) if n > 0 else -math.inf


def latest_accuracies(evidence: Evidence) -> Iterator[Comparison]:
    """The accuracy of the latest pair of a long sequence, of the delta rule with beta = 1 and of
    linear attention."""
    latest = [row for row in evidence.rows_of(LINE) if row["age"] == 0]
    widening = evidence.widening(FORGETTING_POINTS)
    for row in latest:
        name = f"{row['layer']}, {_point_name(row)}"
        accuracy = Estimate.within(row["accuracy"], row["error"] * widening)
        if row["layer"] == "delta_1":
            yield at_least(name, accuracy, 0.9)
        if row["layer"] == "linear":
            yield at_most(name, accuracy, 0.9)


def noise_budgets(evidence: Evidence) -> Iterator[Comparison]:
    """The noise's budget less 1 in each draw of random keys: the sum of the squares of all c, the
    weights of a query's keys, and of what is left of the query."""
    generator = stream(evidence.seed, "recall", "budget")
    for draw in range(BUDGET_DRAWS):
        keys = generator.standard_normal((BUDGET_KEYS, BUDGET_DIMENSION))
        keys /= np.linalg.norm(keys, axis=1, keepdims=True)
        left_of_query = keys[draw % BUDGET_KEYS].copy()
        spent = 0.0
        for key in keys[::-1]:
            c = float(left_of_query @ key)
            left_of_query -= c * key
            spent += c * c
        total = spent + float(left_of_query @ left_of_query)
        yield within(f"draw {draw + 1}", Estimate.exactly(total - 1), BUDGET_ROUNDING)


RECALL_CLAIMS = (
    claim_by_rule(
        "R1",
        kind=Kind.COMPUTED,
        statement="Linear attention recalls n = y d pairs with an accuracy that tends to Φ(1/√y)",
        rule=f"d times the difference within {LINEAR_TOLERANCE} at every n of its lines",
        comparisons=linear_distances,
    ),
    claim_by_rule(
        "R2",
        kind=Kind.SIMULATED,
        statement="Delta rules with β = 1 and ½ tend to their limit in closed form",
        rule=f"within {DELTA_TOLERANCE} / d + {NOISE_TOLERANCE} at every n of their lines",
        comparisons=delta_distances,
    ),
    claim_by_rule(
        "R3",
        kind=Kind.SIMULATED,
        statement="The literal layers agree with what is computed, and with the reduced law",
        rule=f"every dot within {LINE_TOLERANCE} of its line, "
        f"{LINE_TOLERANCE_BY_AGE} where it is of one age",
        comparisons=dot_distances,
    ),
    claim_by_rule(
        "R4",
        kind=Kind.SIMULATED,
        statement="By how many pairs they recall with 0.9 layers have one order at every d: "
        "linear, a delta rule with β = ½, least squares, a Taylor sum, a square, softmax",
        rule="each at least as many as the one before, by intervals of 95 % of each",
        comparisons=log_ratios_of_capacities,
    ),
    claim_by_rule(
        "R5",
        kind=Kind.SIMULATED,
        statement="Of a long sequence a delta rule with β = 1 recalls the latest pair with 0.9, "
        "linear attention does not",
        rule="at least 0.9, and at most 0.9",
        comparisons=latest_accuracies,
    ),
    claim_by_rule(
        "R6",
        kind=Kind.COMPUTED,
        statement="With β = 1 the noise has a budget: the squares of all c and of what is left of "
        "the query sum to 1",
        rule="to 10⁻¹²",
        comparisons=noise_budgets,
    ),
)

ABOUT_SIMULATED = " Intervals of simulated values hold together at the level, in each claim."


def claims_table(job: ClaimsJob, lines: pa.Table, capacity: pa.Table) -> pa.Table:
    """The table of all claims."""
    simulated = [claim for claim in RECALL_CLAIMS if claim.columns["kind"] == Kind.SIMULATED]
    evidence = Evidence(
        lines=lines.to_pylist(),
        capacities=capacity.to_pylist(),
        level=job.level / len(simulated),
        seed=job.seed,
    )
    return table_from_rows(claim_rows(RECALL_CLAIMS, evidence), SCHEMA)


def run(job: ClaimsJob, lines: Path, capacity: Path, output: Path) -> None:
    table = claims_table(job, read_parquet(lines, LINES_SCHEMA), read_parquet(capacity, CAPACITIES))
    write_result(
        table,
        output,
        record(job.canonical(), __name__),
        RECALL_CLAIMS_TITLE,
        ABOUT + ABOUT_SIMULATED,
    )
