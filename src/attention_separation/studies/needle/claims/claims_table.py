"""What is claimed of the needle, judged: of computed numbers, how critical n grow with mu and that
a margin does not shrink; of trained networks, the rows of `trained_claims`.

The critical n, n*, is the one at which the best accuracy of a kernel is .75. A *margin* is that of
attention without noise: how far its outputs on D1 lie from those on D0, in units of s.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pyarrow as pa

from ....datasets.another_x import literal_margin, margin, margin_of_rows
from ....pages.table_page import write_result
from ....results.claims import ABOUT, SCHEMA, claim_rows
from ....results.provenance import record
from ....results.tables import read_parquet, table_from_rows
from ....statistics.claims import Comparison, Estimate
from ..accuracy_limits import ACCURACY_SCHEMA, CRITICAL_SCHEMA
from ..settings.exact import ClaimsJob
from ..training.cells_table import SCHEMA as CELLS
from .trained_claims import CLAIMS_ON_NETWORKS, Evidence, Kind, needle_claim

SUM_DEGREES = {"linear": 2, "power_2": 3, "power_3": 4, "power_4": 5}
"""The degree p + 1 of the sums that a score to the power p sees."""

SLOPE_MUS = (5.0, 6.0)
"""Between which slopes are taken."""

SLOPE_TOLERANCE = 0.05
"""Relative, of a slope to twice the degree."""

LEAST_OF_SOFTMAX = 0.6
MOST_OF_SOFTMAX = 0.8
"""Of n* exp(-mu^2 / 2) of softmax."""

MARGIN_DIFFERENCE = 1e-12
"""Of margins, in units of s."""


def slopes(evidence: Evidence) -> Iterator[Comparison]:
    """The slope of log n* against log mu, against twice the degree, of each kernel that was
    computed at both mu."""
    known = {
        (row["kernel"], row["mu"]): row
        for row in evidence.critical
        if 0 < row["n_critical"] < math.inf
    }
    for kernel, degree in SUM_DEGREES.items():
        rows = [known[kernel, mu] for mu in SLOPE_MUS if (kernel, mu) in known]
        for low, high in pairwise(rows):
            width = math.log(high["mu"] / low["mu"])
            slope = math.log(high["n_critical"] / low["n_critical"]) / width
            relative_errors = [row["error"] / row["n_critical"] for row in (low, high)]
            yield Comparison(
                f"p = {degree - 1}",
                Estimate.within(slope, sum(relative_errors) / width),
                least=2 * degree * (1 - SLOPE_TOLERANCE),
                most=2 * degree * (1 + SLOPE_TOLERANCE),
            )


def softmax_ratios(evidence: Evidence) -> Iterator[Comparison]:
    """Softmax's n* exp(-mu^2 / 2), at every mu from 3 to 8 that was computed."""
    for row in evidence.critical:
        mu = row["mu"]
        n = row["n_critical"]
        if row["kernel"] == "exp" and 3 <= mu <= 8 and 0 < n < math.inf:
            scaled = Estimate.within(n, row["error"]).times(math.exp(-mu * mu / 2))
            yield Comparison(f"μ = {mu:g}", scaled, LEAST_OF_SOFTMAX, MOST_OF_SOFTMAX)


def margins(evidence: Evidence) -> Iterator[Comparison]:
    """The margin of linear attention at every n, computed in two ways, against its closed form."""
    data = evidence.data
    weight = evidence.another_x.weight
    closed_form = margin(data, weight)
    for n in evidence.another_x.sizes:
        margin_by_way = {
            "distinct rows": margin_of_rows(data, n, weight),
            "all tokens": literal_margin(data, n, weight),
        }
        for way, value in margin_by_way.items():
            yield Comparison(
                f"g = {weight:g}, K = {data.classes}, n = {n:,}, {way}",
                Estimate.exactly(value),
                least=closed_form - MARGIN_DIFFERENCE,
                most=closed_form + MARGIN_DIFFERENCE,
            )


N5 = needle_claim(
    "N5",
    kind=Kind.EXACT,
    statement="A score to the power p is lost at a critical n that grows as μ to the power 2(p + "
    "1): its slope in log μ between μ = 5 and 6, p = 1 to 4",
    rule="within 5 % of 2(p + 1)",
    comparisons=slopes,
)
N6 = needle_claim(
    "N6",
    kind=Kind.EXACT,
    statement="Softmax is lost at a critical n that grows as e^(μ²/2), from μ = 3 on: "
    "its n · e^(−μ²/2)",
    rule="between 0.6 and 0.8 at every μ from 3 to 8",
    comparisons=softmax_ratios,
)
N10 = needle_claim(
    "N10",
    kind=Kind.EXACT,
    statement="Without noise, and with rows divided by their sums, linear attention with X = e_d "
    "e_dᵀ + g e₁ e_kᵀ, read by y = e_k, which is no sign vector, has a margin that does "
    "not shrink with n",
    rule="equal to 10⁻¹² of √log n to the closed form f(a₁) − f(a₀), f(a) = (bc²/K + g a b²/K) / "
    "(c² + g a b/K), by distinct rows and by all n tokens",
    comparisons=margins,
)

EXACT_CLAIMS = (N5, N6, N10)


TITLE = "Claims on the needle"
ABOUT_TRAINED = (
    " Means of trained networks have Student's interval over runs, each of which has initial "
    "values, data and held-out sequences of its own; a run's variance is no less than its binomial "
    "error's. The setting `level` is over all claims on them, in equal shares. Within a claim all "
    "comparisons must agree, each at the claim's level; one that differs is enough, each at its "
    "share of it, by a wider interval. A mean beneath its line says that it was not learned in "
    "these steps."
)


def claims_table(
    job: ClaimsJob, lines: pa.Table, critical: pa.Table, cells: pa.Table | None = None
) -> pa.Table:
    """The table of all claims; of those on trained networks if there are any."""
    claims = EXACT_CLAIMS if cells is None else EXACT_CLAIMS + CLAIMS_ON_NETWORKS
    evidence = Evidence(
        critical=critical.to_pylist(),
        data=job.data,
        another_x=job.another_x,
        limits=lines.to_pylist(),
        cells=[] if cells is None else cells.to_pylist(),
        level=job.level,
    )
    return table_from_rows(claim_rows(claims, evidence), SCHEMA)


def run(
    job: ClaimsJob, lines: Path, critical: Path, output: Path, cells: Path | None = None
) -> None:
    table = claims_table(
        job,
        read_parquet(lines, ACCURACY_SCHEMA),
        read_parquet(critical, CRITICAL_SCHEMA),
        read_parquet(cells, CELLS) if cells else None,
    )
    about = ABOUT + ABOUT_TRAINED if cells else ABOUT
    write_result(table, output, record(job.canonical(), __name__), TITLE, about)
