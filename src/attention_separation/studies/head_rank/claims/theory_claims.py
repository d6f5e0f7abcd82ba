"""Claims on one full-rank head, and on one layer of heads of low rank: judged on numbers that no
training makes."""

import math
from itertools import pairwise

from ....results.tables import Row, chosen
from ....statistics.claims import Estimate, at_least, within
from ..settings.titles import CHECK, OURS, PAPERS
from ..training.runs import values
from .claim import Evidence, Finding, rank_claim
from .compared_numbers import error_less, finding_together, times

LAWFUL = 0.25
"""By which share an error may differ from the law of large c at the largest c: what 20,000 draws of
errors that few draws have can tell."""

DEGREE_1_ERROR = 0.5 - 1 / math.pi
"""Errors from here on take d heads of rank 1 at every d: they reach all of degree 1."""

HARDMAX_KINDS = ("random", "orthogonal", "optimised")
"""Of the table of heads found: hardmax heads alone."""


def _judge_fact_1(evidence: Evidence) -> Finding:
    rows = chosen(evidence.temperatures, construction="fact_1")
    rows.sort(key=lambda row: row["temperature"])
    # Of each case the last, which has the largest c.
    last_by_case = {(row["distribution"], row["d"], row["n"]): row for row in rows}
    comparisons = []
    for row in last_by_case.values():
        name = f"{row['distribution']} points, d={row['d']}, N={row['n']}, c={row['temperature']:g}"
        law = row["error_law"]
        share = times(error_less(row, law), 1 / law)
        comparisons.append(within(name, share, LAWFUL))
    return finding_together(comparisons, rows, evidence.level)


FACT_1 = rank_claim(
    "Fact 1",
    origin=PAPERS,
    statement="One head of full rank, V = I and K Qᵀ = cI, comes to any error for any d and N: c "
    "times its error is at the largest c what it tends to, for independent and for orthogonal "
    "points",
    bound="share by which the error differs from its law",
    judge=_judge_fact_1,
)


def _judge_theorem_2(evidence: Evidence) -> Finding:
    """The bound for any value maps less the error of one full-rank head."""
    comparisons = []
    for d in values(evidence.found_heads, "d"):
        rows = chosen(evidence.found_heads, d=d)
        full_rank_error = min(row["error"] for row in chosen(rows, kind="full_rank"))
        for row in _one_of_each_size(rows):
            gap = Estimate.exactly(row["bound_any_value"] - full_rank_error)
            name = f"d={d}, r={row['rank']}, H={row['heads']}"
            comparisons.append(at_least(name, gap, 0.0))
    return finding_together(comparisons, evidence.found_heads, evidence.level)


def _one_of_each_size(rows: list[Row]) -> list[Row]:
    """One row of each lower rank and number of heads, which all have the same bound."""
    row_by_size = {(row["rank"], row["heads"]): row for row in _of_lower_rank(rows)}
    return list(row_by_size.values())


def _of_lower_rank(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["rank"] < row["d"]]


THEOREM_2 = rank_claim(
    "Theorem 2",
    origin=PAPERS,
    statement="In one layer no d/r, d^1.5/r or d²/r heads of rank r below d, with any value maps, "
    "have the error of one head of full rank at the largest c",
    bound="no difference, of the lower bound to the error of the full-rank head",
    judge=_judge_theorem_2,
)


def _judge_growth_at_rank_1(evidence: Evidence) -> Finding:
    """The power of d with which the heads that an error takes grow, less 1/(4ε)."""
    rows = [row for row in chosen(evidence.needed_heads, rank=1) if row["error"] < DEGREE_1_ERROR]
    comparisons = []
    for error in values(rows, "error"):
        by_dimension = sorted(chosen(rows, error=error), key=lambda row: row["d"])
        for low, high in pairwise(by_dimension):
            growth = high["log10_heads_any_value"] - low["log10_heads_any_value"]
            power = growth / math.log10(high["d"] / low["d"])
            name = f"ε={error:g}, d={low['d']} to {high['d']}"
            comparisons.append(at_least(name, Estimate.exactly(power - 1 / (4 * error)), 0.0))
    return finding_together(comparisons, rows, evidence.level)


GROWTH_AT_RANK_1 = rank_claim(
    "Theorem 2 at rank 1",
    origin=PAPERS,
    statement="The heads of rank 1 that an error ε below 0.18 takes in one layer, with any value "
    "maps, grow with d at least as d to the power 1/(4ε)",
    bound="no difference, of powers of d",
    judge=_judge_growth_at_rank_1,
)


def _judge_softmax_at_low_rank(evidence: Evidence) -> Finding:
    rows = _of_lower_rank(chosen(evidence.found_heads, budget="d^2"))
    softmax_limits = {(row["d"], row["rank"]): row["error"] for row in chosen(rows, kind="linear")}
    comparisons = []
    for row in rows:
        if row["kind"] in HARDMAX_KINDS:
            name = f"d={row['d']}, r={row['rank']}, {row['kind']}"
            gap = error_less(row, softmax_limits[row["d"], row["rank"]])
            comparisons.append(at_least(name, gap, 0.0))
    return finding_together(comparisons, rows, evidence.level)


SOFTMAX_AT_LOW_RANK = rank_claim(
    "softmax at low rank",
    origin=OURS,
    statement="With d/r heads of rank r below d in one layer, softmax heads of a small c come to a "
    "smaller error than hardmax heads that are random, orthogonal or optimised",
    bound="no difference, of the hardmax heads' error to the softmax heads' limit",
    judge=_judge_softmax_at_low_rank,
)


def _judge_found_heads(evidence: Evidence) -> Finding:
    rows = _of_lower_rank(evidence.found_heads)
    comparisons = []
    for row in rows:
        name = f"d={row['d']}, r={row['rank']}, H={row['heads']}, {row['kind']}"
        comparisons.append(at_least(name, error_less(row, row["bound"]), 0.0))
    return finding_together(comparisons, rows, evidence.level)


FOUND_HEADS = rank_claim(
    "heads found above the bound",
    origin=CHECK,
    statement="(Check) No heads found here, random, orthogonal, optimised, softmax or mixed, have "
    "an error below the lower bound for so many heads of their rank",
    bound="no difference, of the error to the bound",
    judge=_judge_found_heads,
)


def _judge_trained_layers(evidence: Evidence) -> Finding:
    """Of each d, rank and number of heads, the least error of trained layers less the least of
    heads found."""
    trained = _of_lower_rank(evidence.trained_layers)
    sizes = dict.fromkeys((row["d"], row["rank"], row["heads"]) for row in trained)
    comparisons = []
    for d, rank, heads in sizes:
        found_of_size = chosen(evidence.found_heads, d=d, rank=rank, heads=heads)
        if found_of_size:
            least_found = min(row["error"] for row in found_of_size)
            trained_of_size = chosen(trained, d=d, rank=rank, heads=heads)
            best_trained = min(trained_of_size, key=lambda row: row["error"])
            name = f"d={d}, r={rank}, H={heads}"
            comparisons.append(at_least(name, error_less(best_trained, least_found), 0.0))
    return finding_together(comparisons, trained, evidence.level)


TRAINED_LAYERS = rank_claim(
    "trained layers against heads found",
    origin=OURS,
    statement="No layer of softmax heads of rank r below d, with any value maps and no MLP, learns "
    "a smaller error on two orthogonal points than the best so many heads with V = aI that were "
    "found without training",
    bound="no difference, of the least trained error to the least one found",
    judge=_judge_trained_layers,
)


def _judge_layers_above_bound(evidence: Evidence) -> Finding:
    comparisons = []
    for row in evidence.trained_layers:
        name = f"d={row['d']}, r={row['rank']}, H={row['heads']}, rate {row['rate']:g}"
        comparisons.append(at_least(name, error_less(row, row["bound_any_value"]), 0.0))
    return finding_together(comparisons, evidence.trained_layers, evidence.level)


LAYERS_ABOVE_BOUND = rank_claim(
    "trained layers above the bound",
    origin=CHECK,
    statement="(Check) No layer that was trained has an error below the lower bound for so many "
    "heads of its rank and any value maps",
    bound="no difference, of the error to the bound",
    judge=_judge_layers_above_bound,
)
