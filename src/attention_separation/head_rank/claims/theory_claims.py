"""Claims on one full-rank head, on one layer of heads of low rank, and on votes among more points:
judged on numbers that no training makes."""

import itertools
import math
from collections.abc import Iterator

import pyarrow as pa
from scipy.special import ndtri

from attention_separation.statistics.claims import Comparison, Estimate, at_least, within

from .outcomes import CHECK, OURS, PAPERS, decide
from .runs import chosen, values

LAWFUL = 0.25
"""By which share an error may differ from the law of large c at the largest c: what 20,000 draws of
errors that few draws have can tell."""

TABLES = ("temperature", "needed", "found", "plurality")


def theory(tables: dict[str, pa.Table], level: float) -> Iterator[dict]:
    """The rows on all of these, from the tables named TABLES."""
    rows = {name: tables[name].to_pylist() for name in TABLES}
    yield fact_1(rows["temperature"], level)
    yield full_rank_is_needed(rows["found"])
    yield corollary(rows["needed"])
    yield softmax_at_low_rank(rows["found"], level)
    yield votes_of_more_points(rows["plurality"], level)
    yield found_above_bound(rows["found"], level)


def _widened(low: float, value: float, high: float, level: float, count: int) -> Estimate:
    """A 95 % interval of a mean, made one of `count` that hold together at a level."""
    times = float(ndtri(1 - level / count / 2) / ndtri(0.975))
    return Estimate(value, value - times * (value - low), value + times * (high - value))


def _error(row: dict, level: float, count: int) -> Estimate:
    """An error with its interval, of which there is none where it is exact."""
    if row["ci_low"] is None:
        return Estimate.exactly(row["error"])
    return _widened(row["ci_low"], row["error"], row["ci_high"], level, count)


def _points(rows: list[dict]) -> str:
    return f"d={'/'.join(map(str, values(rows, 'd')))}, N=2" if rows else ""


def fact_1(rows: list[dict], level: float) -> dict[str, object]:
    """The row on Fact 1: error times c against its limit, at the largest c of every case."""
    own = [row for row in chosen(rows, construction="fact_1") if row["error_law"]]
    cases: dict[tuple, dict] = {}
    for row in sorted(own, key=lambda row: row["temperature"]):
        cases[row["distribution"], row["d"], row["n"]] = row
    outcomes = []
    for (distribution, d, n), row in cases.items():
        found = (
            _error(row, level, len(cases))
            if row["error_exact"] is None
            else Estimate.exactly(row["error_exact"])
        )
        measured = found.moved(lambda error, law=row["error_law"]: error / law - 1)
        name = f"{distribution} points, d={d}, N={n}, c={row['temperature']:g}"
        outcomes.append(within(name, measured, LAWFUL))
    sizes = [f"{text}={'/'.join(map(str, values(own, name)))}" for name, text in
             (("d", "d"), ("n", "N"))]  # fmt: skip
    return {
        "claim": "Fact 1",
        "whose": PAPERS,
        "statement": "One head of full rank, V = I and K Qᵀ = cI, comes to any error for any d and "
        "N: c times its error is at the largest c what it tends to, for independent and for "
        "orthogonal points",
        "sizes": ", ".join(sizes),
        "bound_is": "share by which the error differs from its law",
    } | decide(outcomes)


def full_rank_is_needed(rows: list[dict]) -> dict[str, object]:
    """The row on Theorem 2: the bound for any value maps over the error of one full-rank head."""
    outcomes = []
    for d in values(rows, "d"):
        full = min(row["error"] for row in chosen(rows, d=d, kind="full_rank"))
        every = {(row["rank"], row["heads"]): row for row in chosen(rows, d=d) if row["rank"] < d}
        for (rank, heads), row in every.items():
            measured = Estimate.exactly(row["bound_any_value"] - full)
            outcomes.append(at_least(f"d={d}, r={rank}, H={heads}", measured, 0.0))
    return {
        "claim": "Theorem 2",
        "whose": PAPERS,
        "statement": "In one layer no d/r, d^1.5/r or d²/r heads of rank r below d, with any value "
        "maps, have the error of one head of full rank at the largest c",
        "sizes": _points(rows),
        "bound_is": "no difference, of the lower bound to the error of the full-rank head",
    } | decide(outcomes)


def corollary(rows: list[dict]) -> dict[str, object]:
    """The row on Theorem 2 at rank 1: how the heads that an error takes grow with d.

    At errors above 1/2 - 1/pi the d heads of degree 1 suffice, at every d.
    """
    outcomes = []
    own = [row for row in chosen(rows, rank=1) if row["error"] < 0.5 - 1 / math.pi]
    for error in values(own, "error"):
        line = sorted(chosen(own, error=error), key=lambda row: row["d"])
        for few, many in itertools.pairwise(line):
            growth = many["log10_heads_any_value"] - few["log10_heads_any_value"]
            power = growth / math.log10(many["d"] / few["d"])
            measured = Estimate.exactly(power - 1 / (4 * error))
            outcomes.append(at_least(f"ε={error:g}, d={few['d']} to {many['d']}", measured, 0.0))
    return {
        "claim": "Theorem 2 at rank 1",
        "whose": PAPERS,
        "statement": "The heads of rank 1 that an error ε below 0.18 takes in one layer, with any "
        "value maps, grow with d at least as d to the power 1/(4ε)",
        "sizes": _points(own),
        "bound_is": "no difference, of powers of d",
    } | decide(outcomes)


def softmax_at_low_rank(rows: list[dict], level: float) -> dict[str, object]:
    """The row on softmax and hardmax heads at the standard scaling."""
    standard = [row for row in chosen(rows, budget="d^2") if row["rank"] < row["d"]]
    hard = [row for row in standard if row["kind"] in ("random", "orthogonal", "optimised")]
    outcomes = []
    for row in hard:
        (soft,) = chosen(standard, d=row["d"], rank=row["rank"], kind="linear")
        error = _error(row, level, len(hard))
        measured = error.moved(lambda value, least=soft["error"]: value - least)
        outcomes.append(at_least(f"d={row['d']}, r={row['rank']}, {row['kind']}", measured, 0.0))
    return {
        "claim": "softmax at low rank",
        "whose": OURS,
        "statement": "With d/r heads of rank r below d in one layer, softmax heads of a small "
        "c come to a smaller error than hardmax heads that are random, orthogonal or "
        "optimised",
        "sizes": _points(standard),
        "bound_is": "no difference, of the hardmax heads' error to the softmax heads' limit",
    } | decide(outcomes)


def votes_of_more_points(rows: list[dict], level: float) -> dict[str, object]:
    """The row on votes among independent points: at the most heads, against rank 0."""
    most = max(row["heads"] for row in rows)
    few, many = min(row["n"] for row in rows), max(row["n"] for row in rows)
    own = chosen(rows, distribution="uniform", heads=most)
    outcomes: list[Comparison] = []
    for d in values(own, "d"):
        for n, sign in ((few, -1), (many, 1)):
            (row,) = chosen(own, d=d, n=n)
            error = _error(row, level, 2 * len(values(own, "d")))
            ends = sorted(sign * (value - row["rank_0"]) for value in error)
            outcomes.append(at_least(f"d={d}, N={n}", Estimate(ends[1], ends[0], ends[2]), 0.0))
    return {
        "claim": "a vote needs few points",
        "whose": OURS,
        "statement": f"A plurality vote of {most:,} random rank-1 heads among independent points "
        f"errs less than uniform attention (rank 0) for N = {few} and more for N = {many}",
        "sizes": f"d={'/'.join(map(str, values(own, 'd')))}, N={few}/{many}" if own else "",
        "bound_is": "no difference to the error of rank 0, on the claimed side",
    } | decide(outcomes)


def found_above_bound(rows: list[dict], level: float) -> dict[str, object]:
    """The check that no heads found fall below the bound; rows of the table of heads found."""
    own = [row for row in rows if row["rank"] < row["d"]]
    outcomes = [
        at_least(
            f"d={row['d']}, r={row['rank']}, H={row['heads']}, {row['kind']}",
            _error(row, level, len(own)).moved(lambda e, least=row["bound"]: e - least),
            0.0,
        )
        for row in own
    ]
    return {
        "claim": "heads found above the bound",
        "whose": CHECK,
        "statement": "(Check) No heads found here, random, orthogonal, optimised, softmax or "
        "mixed, have an error below the lower bound for so many heads of their rank",
        "sizes": _points(own),
        "bound_is": "no difference, of the error to the bound",
    } | decide(outcomes)
