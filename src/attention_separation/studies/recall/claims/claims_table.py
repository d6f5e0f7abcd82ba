"""What is claimed of recall, judged: limits, dots on their lines, the order of layers, the budget
of noise.

A *line* has the accuracies of a layer that its law gives, a *dot* is one that the literal layer has
in simulation; both have a row a point, with an error of 95 %. A *capacity* is the largest number of
pairs that a layer gives back at the level of the study, known to lie from `low` to `high`.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from ....results.tables import read_parquet, table_from_rows
from ....statistics.claims import Comparison, Estimate, at_least, at_most, within
from ....statistics.means import simultaneous_quantile
from ....statistics.seeding import stream
from ..settings.section import ClaimsJob
from ..settings.titles import JUDGED
from ..tables.cell_table import DOT, LINE, LINES
from ..tables.joined import CAPACITIES

Row = Mapping[str, Any]

COMPUTED = "computed"
SIMULATED = "simulated"
"""Kinds of claims: on computed numbers, and on numbers with noise, which share the level."""

LINEAR_NEAR = 0.6
"""Times 1/d, of linear attention to its limit."""

DELTA_NEAR = 0.45
"""Times 1/d, of delta rules to theirs, beside FAR."""

DELTAS = {"delta_1": 1.0, "delta_half": 0.5}
"""Layers of the configuration, and their beta."""

FAR = 0.03
"""How far an accuracy with noise may be from what it is held against: its interval must be
shorter."""

ON_LINE = 0.08
ON_LINE_BY_AGE = 0.12
"""The same of dots and their lines, and of those at one age, which have fewer trials."""

NORMAL_95 = 1.96

FORGETTING_POINTS = 10
"""At most so many points of lines have the latest key."""

ORDER = (
    "linear",
    "delta_half",
    "least_squares",
    "taylor_2_sqrt_d",
    "power_2",
    "exp_sqrt_d",
)
"""Layers from the fewest pairs at the level to the most."""

KEYS = 40
DIMENSION = 24
DRAWS = 50
"""Of the budget of noise."""

ROUNDING = 1e-12


@dataclass(frozen=True)
class Evidence:
    """What claims are judged on."""

    lines: Sequence[Row]
    capacities: Sequence[Row]
    level: float
    seed: int

    def rows_of(self, part: str) -> list[Row]:
        """The points of all lines, or all dots."""
        return [row for row in self.lines if row["part"] == part]

    def line_against_n(self, layer: str) -> list[Row]:
        """The points of a layer's line of which none is of one age."""
        points = [row for row in self.rows_of(LINE) if row["layer"] == layer]
        return [row for row in points if row["age"] is None]

    def widening(self, intervals: int) -> float:
        """By how much intervals of 95 % are to be widened so that so many hold together."""
        return simultaneous_quantile(self.level / 2, max(intervals, 1)) / NORMAL_95


def _point_name(row: Row) -> str:
    return f"d = {row['d']}, n = {row['n']:,}"


def of_linear(evidence: Evidence) -> Iterator[Comparison]:
    """d times the distance of linear attention to its limit."""
    for row in evidence.line_against_n("linear"):
        d = row["d"]
        distance = row["accuracy"] - linear_limit(row["n"] / d)
        scaled = Estimate.within(d * distance, d * row["error"])
        yield within(_point_name(row), scaled, LINEAR_NEAR)


def of_deltas(evidence: Evidence) -> Iterator[Comparison]:
    """Distances of delta rules to their limit; intervals hold together."""
    rows = [row for layer in DELTAS for row in evidence.line_against_n(layer)]
    widening = evidence.widening(len(rows))
    for row in rows:
        layer = row["layer"]
        d = row["d"]
        limit = delta_limit(Delta(DELTAS[layer]), row["n"], d, None)
        distance = Estimate.within(row["accuracy"] - limit, row["error"] * widening)
        yield within(f"{layer}, {_point_name(row)}", distance, DELTA_NEAR / d + FAR)


def of_dots(evidence: Evidence) -> Iterator[Comparison]:
    """Dots less the lines that they stand on; intervals hold together."""
    line_by_place = {_place(row): row for row in evidence.rows_of(LINE)}
    dots = evidence.rows_of(DOT)
    widening = evidence.widening(len(dots))
    for dot in dots:
        on_line = line_by_place[_place(dot)]
        difference = dot["accuracy"] - on_line["accuracy"]
        # Both are independent: their errors add as squares do.
        error = math.hypot(dot["error"], on_line["error"])
        name = f"{dot['layer']}, {_point_name(dot)}"
        most = ON_LINE
        if dot["age"] is not None:
            name += f", age {dot['age']}"
            most = ON_LINE_BY_AGE
        yield within(name, Estimate.within(difference, error * widening), most)


def _place(row: Row) -> tuple[Any, ...]:
    """Where a dot or a point of a line stands."""
    return row["layer"], row["d"], row["n"], row["age"]


def of_order(evidence: Evidence) -> Iterator[Comparison]:
    """log of the largest n over that of the layer before, by what both surely are."""
    by_place = {(row["layer"], row["d"]): row for row in evidence.capacities}
    for d in sorted({row["d"] for row in evidence.capacities}):
        present = [by_place[layer, d] for layer in ORDER if (layer, d) in by_place]
        for fewer, more in pairwise(present):
            name = f"d = {d}, {more['layer']} over {fewer['layer']}"
            yield at_least(name, _log_ratio(more, fewer), 0.0)


def _log_ratio(more: Row, fewer: Row) -> Estimate:
    """Of the capacities of two layers; without an end where one has none."""
    logs_of_more = _log_capacity(more)
    logs_of_fewer = _log_capacity(fewer)
    return Estimate(
        logs_of_more.value - logs_of_fewer.value,
        logs_of_more.low - logs_of_fewer.high,
        logs_of_more.high - logs_of_fewer.low,
    )


def _log_capacity(row: Row) -> Estimate:
    """log of the largest n, which is its lower end where no n has been told."""
    low = _log(row["low"])
    value = low
    if row["largest_n"]:
        value = _log(row["largest_n"])
    return Estimate(value, low, _log(row["high"]))


def _log(n: float | None) -> float:
    """log n, where no number is one without an end."""
    if n is None:
        return math.inf
    return math.log(n) if n > 0 else -math.inf


def of_forgetting(evidence: Evidence) -> Iterator[Comparison]:
    """The latest key of a long sequence, beta = 1, against linear attention's."""
    latest = [row for row in evidence.rows_of(LINE) if row["age"] == 0]
    widening = evidence.widening(FORGETTING_POINTS)
    for row in latest:
        name = f"{row['layer']}, {_point_name(row)}"
        accuracy = Estimate.within(row["accuracy"], row["error"] * widening)
        if row["layer"] == "delta_1":
            yield at_least(name, accuracy, 0.9)
        if row["layer"] == "linear":
            yield at_most(name, accuracy, 0.9)


def of_budget(evidence: Evidence) -> Iterator[Comparison]:
    """The sum of the squares of c over random keys, and of what is left of the query, less 1."""
    generator = stream(evidence.seed, "recall", "budget")
    for draw in range(DRAWS):
        keys = generator.standard_normal((KEYS, DIMENSION))
        keys /= np.linalg.norm(keys, axis=1, keepdims=True)
        left_of_query = keys[draw % KEYS].copy()
        spent = 0.0
        for key in keys[::-1]:
            c = float(left_of_query @ key)
            left_of_query -= c * key
            spent += c * c
        total = spent + float(left_of_query @ left_of_query)
        yield within(f"draw {draw + 1}", Estimate.exactly(total - 1), ROUNDING)


CLAIMS = (
    claim_by_rule(
        "R1",
        kind=COMPUTED,
        statement="Linear attention recalls n = y d pairs with an accuracy that tends to Φ(1/√y)",
        rule=f"d times the difference within {LINEAR_NEAR} at every n of its lines",
        comparisons=of_linear,
    ),
    claim_by_rule(
        "R2",
        kind=SIMULATED,
        statement="Delta rules with β = 1 and ½ tend to their limit in closed form",
        rule=f"within {DELTA_NEAR} / d + {FAR} at every n of their lines",
        comparisons=of_deltas,
    ),
    claim_by_rule(
        "R3",
        kind=SIMULATED,
        statement="The literal layers agree with what is computed, and with the reduced law",
        rule=f"every dot within {ON_LINE} of its line, {ON_LINE_BY_AGE} where it is of one age",
        comparisons=of_dots,
    ),
    claim_by_rule(
        "R4",
        kind=SIMULATED,
        statement="By how many pairs they recall with 0.9 layers have one order at every d: "
        "linear, a delta rule with β = ½, least squares, a Taylor sum, a square, softmax",
        rule="each at least as many as the one before, by intervals of 95 % of each",
        comparisons=of_order,
    ),
    claim_by_rule(
        "R5",
        kind=SIMULATED,
        statement="Of a long sequence a delta rule with β = 1 recalls the latest pair with 0.9, "
        "linear attention does not",
        rule="at least 0.9, and at most 0.9",
        comparisons=of_forgetting,
    ),
    claim_by_rule(
        "R6",
        kind=COMPUTED,
        statement="With β = 1 the noise has a budget: the squares of all c and of what is left of "
        "the query sum to 1",
        rule="to 10⁻¹²",
        comparisons=of_budget,
    ),
)

ABOUT_SIMULATED = " Intervals of simulated values hold together at the level, in each claim."


def claims_table(job: ClaimsJob, lines: pa.Table, capacity: pa.Table) -> pa.Table:
    """The table of all claims."""
    simulated = [claim for claim in CLAIMS if claim.columns["kind"] == SIMULATED]
    evidence = Evidence(
        lines=lines.to_pylist(),
        capacities=capacity.to_pylist(),
        level=job.level / len(simulated),
        seed=job.seed,
    )
    return table_from_rows(claim_rows(CLAIMS, evidence), SCHEMA)


def run(job: ClaimsJob, lines: Path, capacity: Path, output: Path) -> None:
    table = claims_table(job, read_parquet(lines, LINES), read_parquet(capacity, CAPACITIES))
    write_result(table, output, record(job.canonical(), __name__), JUDGED, ABOUT + ABOUT_SIMULATED)
