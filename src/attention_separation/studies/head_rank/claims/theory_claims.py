"""Claims on one full-rank head, and on one layer of heads of low rank: judged on numbers that no
training makes."""

import math
from collections.abc import Iterator
from itertools import pairwise

from ....results.tables import Row, chosen
from ....statistics.claims import Comparison, Estimate, at_least, within
from ..settings.titles import CHECK, OURS, PAPERS
from ..training.runs import values
from .claim import Evidence, Finding, rank_claim
from .judging import ComparedNumbers, error_of, finding_together, row_words

HEADS_OF_LAYER = ("d", "rank", "heads")
"""Columns: a layer of heads."""

LAWFUL = 0.25
"""By which share an error may differ from the law of large c at the largest c: what 20,000 draws of
errors that few draws have can tell."""

DEGREE_1_ERROR = 0.5 - 1 / math.pi
"""Errors from here on take d heads of rank 1 at every d: they reach all of degree 1."""

HARDMAX_KINDS = ("random", "orthogonal", "optimised")
"""Of the table of heads found: hardmax heads alone."""


def _temperatures_of_one_head(evidence: Evidence) -> list[Row]:
    """The rows of Fact 1's head, in the order of c, its inverse temperature."""
    rows = chosen(evidence.temperatures, construction="fact_1")
    return sorted(rows, key=lambda row: row["temperature"])


def _shares_off_the_law(rows: list[Row]) -> Iterator[Comparison]:
    """The share by which the error at the largest c differs from its law, for each case of points,
    d and N."""
    last_by_case = {(row["distribution"], row["d"], row["n"]): row for row in rows}
    for row in last_by_case.values():
        words = row_words(row, "d", "n")
        name = f"{row['distribution']} points, {words}, c={row['temperature']:g}"
        law = row["error_law"]
        yield within(name, error_of(row).less(law).times(1 / law), LAWFUL)


FACT_1 = rank_claim(
    "Fact 1",
    origin=PAPERS,
    statement="One head of full rank, V = I and K Qᵀ = cI, comes to any error for any d and N: c "
    "times its error is at the largest c what it tends to, for independent and for orthogonal "
    "points",
    bound="share by which the error differs from its law",
    judge=ComparedNumbers(_temperatures_of_one_head, _shares_off_the_law),
)


def _found_heads(evidence: Evidence) -> list[Row]:
    return evidence.found_heads


def _of_lower_rank(rows: list[Row]) -> list[Row]:
    """The rows of heads whose rank is below the dimension."""
    return [row for row in rows if row["rank"] < row["d"]]


def _bounds_over_full_rank(found_heads: list[Row]) -> Iterator[Comparison]:
    """The bound for any value maps less the error of one full-rank head, of each lower rank and
    number of heads once: it is the same for all."""
    for d in values(found_heads, "d"):
        rows = chosen(found_heads, d=d)
        full_rank_error = min(row["error"] for row in chosen(rows, kind="full_rank"))
        row_by_size = {row_words(row, *HEADS_OF_LAYER): row for row in _of_lower_rank(rows)}
        for name, row in row_by_size.items():
            gap = Estimate.exactly(row["bound_any_value"] - full_rank_error)
            yield at_least(name, gap, 0.0)


THEOREM_2 = rank_claim(
    "Theorem 2",
    origin=PAPERS,
    statement="In one layer no d/r, d^1.5/r or d²/r heads of rank r below d, with any value maps, "
    "have the error of one head of full rank at the largest c",
    bound="no difference, of the lower bound to the error of the full-rank head",
    judge=ComparedNumbers(_found_heads, _bounds_over_full_rank),
)


def _heads_needed_at_rank_1(evidence: Evidence) -> list[Row]:
    """The rows of the heads of rank 1 that an error below DEGREE_1_ERROR takes."""
    return [row for row in chosen(evidence.needed_heads, rank=1) if row["error"] < DEGREE_1_ERROR]


def _excess_powers(needed_heads: list[Row]) -> Iterator[Comparison]:
    """The power of d with which the heads that an error takes grow, less 1/(4ε)."""
    for error in values(needed_heads, "error"):
        by_dimension = sorted(chosen(needed_heads, error=error), key=lambda row: row["d"])
        for low, high in pairwise(by_dimension):
            growth = high["log10_heads_any_value"] - low["log10_heads_any_value"]
            power = growth / math.log10(high["d"] / low["d"])
            name = f"ε={error:g}, d={low['d']} to {high['d']}"
            yield at_least(name, Estimate.exactly(power - 1 / (4 * error)), 0.0)


GROWTH_AT_RANK_1 = rank_claim(
    "Theorem 2 at rank 1",
    origin=PAPERS,
    statement="The heads of rank 1 that an error ε below 0.18 takes in one layer, with any value "
    "maps, grow with d at least as d to the power 1/(4ε)",
    bound="no difference, of powers of d",
    judge=ComparedNumbers(_heads_needed_at_rank_1, _excess_powers),
)


def _found_with_d_over_r_heads(evidence: Evidence) -> list[Row]:
    return _of_lower_rank(chosen(evidence.found_heads, budget="d^2"))


def _hardmax_over_softmax(found_heads: list[Row]) -> Iterator[Comparison]:
    """The errors of hardmax heads less the limit of as many softmax heads."""
    softmax_rows = chosen(found_heads, kind="linear")
    softmax_limits = {(row["d"], row["rank"]): row["error"] for row in softmax_rows}
    for row in found_heads:
        if row["kind"] in HARDMAX_KINDS:
            name = f"{row_words(row, 'd', 'rank')}, {row['kind']}"
            limit = softmax_limits[row["d"], row["rank"]]
            yield at_least(name, error_of(row).less(limit), 0.0)


SOFTMAX_AT_LOW_RANK = rank_claim(
    "softmax at low rank",
    origin=OURS,
    statement="With d/r heads of rank r below d in one layer, softmax heads of a small c come to a "
    "smaller error than hardmax heads that are random, orthogonal or optimised",
    bound="no difference, of the hardmax heads' error to the softmax heads' limit",
    judge=ComparedNumbers(_found_with_d_over_r_heads, _hardmax_over_softmax),
)


def _found_of_lower_rank(evidence: Evidence) -> list[Row]:
    return _of_lower_rank(evidence.found_heads)


def _found_above_bound(found_heads: list[Row]) -> Iterator[Comparison]:
    """The error of each of the heads found less the bound for so many of their rank."""
    for row in found_heads:
        name = f"{row_words(row, *HEADS_OF_LAYER)}, {row['kind']}"
        yield at_least(name, error_of(row).less(row["bound"]), 0.0)


FOUND_HEADS = rank_claim(
    "heads found above the bound",
    origin=CHECK,
    statement="(Check) No heads found here, random, orthogonal, optimised, softmax or mixed, have "
    "an error below the lower bound for so many heads of their rank",
    bound="no difference, of the error to the bound",
    judge=ComparedNumbers(_found_of_lower_rank, _found_above_bound),
)


def _judge_trained_layers(evidence: Evidence) -> Finding:
    """The finding on the least error of trained layers less the least of heads found, of each d,
    rank and number of heads."""
    trained = _of_lower_rank(evidence.trained_layers)
    best_by_size = _best_by_size(trained)
    best_found_by_size = _best_by_size(evidence.found_heads)
    comparisons = []
    for size, best_trained in best_by_size.items():
        best_found = best_found_by_size.get(size)
        if best_found is not None:
            gap = error_of(best_trained).less(best_found["error"])
            comparisons.append(at_least(size, gap, 0.0))
    return finding_together(comparisons, trained, evidence.level)


def _best_by_size(rows: list[Row]) -> dict[str, Row]:
    """The row with the least error, the first of equals, by d, rank and number of heads in
    words."""
    best: dict[str, Row] = {}
    for row in rows:
        size = row_words(row, *HEADS_OF_LAYER)
        if size not in best or row["error"] < best[size]["error"]:
            best[size] = row
    return best


TRAINED_LAYERS = rank_claim(
    "trained layers against heads found",
    origin=OURS,
    statement="No layer of softmax heads of rank r below d, with any value maps and no MLP, learns "
    "a smaller error on two orthogonal points than the best so many heads with V = aI that were "
    "found without training",
    bound="no difference, of the least trained error to the least one found",
    judge=_judge_trained_layers,
)


def _trained_layers(evidence: Evidence) -> list[Row]:
    return evidence.trained_layers


def _trained_above_bound(trained_layers: list[Row]) -> Iterator[Comparison]:
    """The error of each trained layer less the bound for any value maps."""
    for row in trained_layers:
        name = f"{row_words(row, *HEADS_OF_LAYER)}, rate {row['rate']:g}"
        yield at_least(name, error_of(row).less(row["bound_any_value"]), 0.0)


LAYERS_ABOVE_BOUND = rank_claim(
    "trained layers above the bound",
    origin=CHECK,
    statement="(Check) No layer that was trained has an error below the lower bound for so many "
    "heads of its rank and any value maps",
    bound="no difference, of the error to the bound",
    judge=ComparedNumbers(_trained_layers, _trained_above_bound),
)
