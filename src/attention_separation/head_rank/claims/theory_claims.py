"""Claims on one full-rank head, on one layer of heads of low rank, on votes, and on random heads of
rank 1: judged on numbers that no training makes."""

import math
from collections.abc import Iterator
from itertools import pairwise

import pyarrow as pa
from scipy.special import ndtri

from ...statistics import claims
from ...statistics.contrasts import Claimed
from ...statistics.counts import clopper_pearson
from ..constructions import vote
from ..theory.bound import bound
from ..training.runs import chosen, sizes, values
from .judging import CHECK, OURS, PAPERS, alone, claim, row_of

LAWFUL = 0.25
"""By which share an error may differ from the law of large c at the largest c: what 20,000 draws of
errors that few draws have can tell."""

Compared = list[tuple[str, claims.Estimate]]
"""What is compared: names, and numbers with 95 % intervals."""


def points(rows: list[dict]) -> str:
    """The d and N of rows of numbers, which are on two points where N is not said."""
    return sizes({"n": 2} | row for row in rows)


def _error(row: dict, less: float, times: float = 1.0) -> claims.Estimate:
    """A row's error, exact or with its interval, less a number, and so many times that."""
    if row.get("error_exact") is not None:
        found = claims.Estimate.exactly(row["error_exact"])
    elif row.get("ci_low") is not None:
        found = claims.Estimate(row["error"], row["ci_low"], row["ci_high"])
    else:
        found = claims.Estimate.exactly(row["error"])
    return found.moved(lambda error: times * (error - less))


def _row(
    words: claims.Claim, own: list[dict], compared: Compared, level: float,
    claimed: Claimed = claims.at_least, bound: float = 0.0,
) -> dict[str, object]:  # fmt: skip
    """The row of a claim on some rows; the intervals of all that is compared hold together."""
    times = float(ndtri(1 - level / max(len(compared), 1) / 2) / ndtri(0.975))
    wide = [(name, found.moved(lambda end, at=found.value: at + times * (end - at)))
            for name, found in compared]  # fmt: skip
    return row_of(words, points(own), claims.judge(claimed(*each, bound) for each in wide))


def fact_1(rows: list[dict], level: float) -> dict[str, object]:
    words = claim(
        "Fact 1", PAPERS,
        "One head of full rank, V = I and K Qᵀ = cI, comes to any error for any d and N: c times "
        "its error is at the largest c what it tends to, for independent and for orthogonal points",
        "share by which the error differs from its law",
    )  # fmt: skip
    own = sorted(chosen(rows, construction="fact_1"), key=lambda row: row["temperature"])
    cases = {(row["distribution"], row["d"], row["n"]): row for row in own}
    compared = [
        (f"{row['distribution']} points, d={row['d']}, N={row['n']}, c={row['temperature']:g}",
         _error(row, row["error_law"], 1 / row["error_law"]))
        for row in cases.values()
    ]  # fmt: skip
    return _row(words, own, compared, level, claims.within, LAWFUL)


def full_rank_is_needed(rows: list[dict], level: float) -> dict[str, object]:
    """The row on Theorem 2: the bound for any value maps over the error of one full-rank head."""
    words = claim(
        "Theorem 2", PAPERS,
        "In one layer no d/r, d^1.5/r or d²/r heads of rank r below d, with any value maps, have "
        "the error of one head of full rank at the largest c",
        "no difference, of the lower bound to the error of the full-rank head",
    )  # fmt: skip
    compared = []
    for d in values(rows, "d"):
        full = min(row["error"] for row in chosen(rows, d=d, kind="full_rank"))
        every = {(row["rank"], row["heads"]): row for row in chosen(rows, d=d) if row["rank"] < d}
        for (rank, heads), row in every.items():
            gap = claims.Estimate.exactly(row["bound_any_value"] - full)
            compared.append((f"d={d}, r={rank}, H={heads}", gap))
    return _row(words, rows, compared, level)


def corollary(rows: list[dict], level: float) -> dict[str, object]:
    """The row on Theorem 2 at rank 1: how the heads that an error takes grow with d.

    At errors above 1/2 - 1/pi the d heads of degree 1 suffice, at every d.
    """
    words = claim(
        "Theorem 2 at rank 1", PAPERS,
        "The heads of rank 1 that an error ε below 0.18 takes in one layer, with any value maps, "
        "grow with d at least as d to the power 1/(4ε)",
        "no difference, of powers of d",
    )  # fmt: skip
    compared = []
    own = [row for row in chosen(rows, rank=1) if row["error"] < 0.5 - 1 / math.pi]
    for error in values(own, "error"):
        line = sorted(chosen(own, error=error), key=lambda row: row["d"])
        for few, many in pairwise(line):
            growth = many["log10_heads_any_value"] - few["log10_heads_any_value"]
            power = growth / math.log10(many["d"] / few["d"])
            name = f"ε={error:g}, d={few['d']} to {many['d']}"
            compared.append((name, claims.Estimate.exactly(power - 1 / (4 * error))))
    return _row(words, own, compared, level)


def softmax_at_low_rank(rows: list[dict], level: float) -> dict[str, object]:
    words = claim(
        "softmax at low rank", OURS,
        "With d/r heads of rank r below d in one layer, softmax heads of a small c come to a "
        "smaller error than hardmax heads that are random, orthogonal or optimised",
        "no difference, of the hardmax heads' error to the softmax heads' limit",
    )  # fmt: skip
    standard = [row for row in chosen(rows, budget="d^2") if row["rank"] < row["d"]]
    soft = {(row["d"], row["rank"]): row["error"] for row in chosen(standard, kind="linear")}
    compared = [
        (f"d={row['d']}, r={row['rank']}, {row['kind']}", _error(row, soft[row["d"], row["rank"]]))
        for row in standard
        if row["kind"] in ("random", "orthogonal", "optimised")
    ]
    return _row(words, standard, compared, level)


def votes_of_more_points(rows: list[dict], level: float) -> dict[str, object]:
    most, (few, *_, many) = max(row["heads"] for row in rows), values(rows, "n")
    words = claim(
        "a vote needs few points", OURS,
        f"A plurality vote of {most:,} random rank-1 heads among independent points errs less than "
        f"uniform attention (rank 0) for N = {few} and more for N = {many}",
        "no difference to the error of rank 0, on the claimed side",
    )  # fmt: skip
    own = chosen(rows, distribution="uniform", heads=most)
    own = sorted(
        (row for row in own if row["n"] in (few, many)), key=lambda row: (row["d"], row["n"])
    )
    compared = [
        (f"d={row['d']}, N={row['n']}", _error(row, row["rank_0"], -1 if row["n"] == few else 1))
        for row in own
    ]
    return _row(words, own, compared, level)


def found_above_bound(rows: list[dict], level: float) -> dict[str, object]:
    words = claim(
        "heads found above the bound", CHECK,
        "(Check) No heads found here, random, orthogonal, optimised, softmax or mixed, have an "
        "error below the lower bound for so many heads of their rank",
        "no difference, of the error to the bound",
    )  # fmt: skip
    own = [row for row in rows if row["rank"] < row["d"]]
    compared = [
        (f"d={row['d']}, r={row['rank']}, H={row['heads']}, {row['kind']}",
         _error(row, row["bound"]))
        for row in own
    ]  # fmt: skip
    return _row(words, own, compared, level)


TIMES = 32
"""How many times as many heads the vote is compared with: by its exact law the error then falls by
a factor of 1.4 to 5.7 at the dimensions up to 64, which 2,000 draws tell apart."""

ATTAINED = 0.01
"""By how much a reported error falls below the one that its weights have to count as another."""


def exact_vote(votes: list[dict], level: float) -> dict[str, object]:
    """The row on the vote's exact law: rows of the vote's table, at a level for all together."""
    words = claim(
        "majority vote", OURS,
        "The vote of H rank-1 heads on two points, built here for Theorem 7 with d heads in layer "
        "2, errs as its exact law says",
        "exact error of the vote",
    )  # fmt: skip
    worst = min(votes, key=lambda row: row["p_value"])
    # Of all points together, as the p-value is.
    name = f"d={worst['d']}, H={worst['heads']}"
    compared = claims.at_most(name, _vote_error(worst, level / len(votes)), worst["error_exact"])
    verdict = claims.AGREES if worst["p_value"] >= level else claims.DIFFERS
    return row_of(words, points(votes), claims.Judgement(verdict, len(votes), compared))


def _vote_error(vote: dict, level: float) -> claims.Estimate:
    """The error of a vote, twice the probability of a wrong one, with its interval."""
    low, high = clopper_pearson(vote["wrong"], vote["draws"], 1 - level)
    return claims.Estimate(vote["error"], 2 * float(low), 2 * float(high))


def more_voters(votes: list[dict], level: float) -> dict[str, object]:
    """The row on fewer and more heads: rows of the vote's table, at a level for all pairs together.

    Each number of wrong votes has an interval of its own: those of one d share draws, and intervals
    that hold together need no independence.
    """
    words = claim(
        "more voters", OURS,
        "This vote errs less with more heads: with each H than with the next that is at least "
        f"{TIMES} H",
        "no difference, of errors",
    )  # fmt: skip
    pairs = []
    for d in values(votes, "d"):
        own = sorted(chosen(votes, d=d), key=lambda row: row["heads"])
        for few in own:
            more = [row for row in own if row["heads"] >= TIMES * few["heads"]]
            pairs += [(few, more[0])] if more else []
    compared = []
    for pair in pairs:
        few, many = (_vote_error(row, level / len(pairs) / 2) for row in pair)
        gap = claims.Estimate(few.value - many.value, few.low - many.high, few.high - many.low)
        heads = " against ".join(str(row["heads"]) for row in pair)
        compared.append(claims.at_least(f"d={pair[0]['d']}, H={heads}", gap, 0.0))
    return row_of(words, points(votes), claims.judge(compared))


def random_heads(rows: list[dict], _: float) -> dict[str, object]:
    words = claim(
        "random heads above the bound", CHECK,
        "(Check) No draw of random rank-1 heads falls below the lower bound on the error of so "
        "many rank-1 heads of any kind with scalar weights (V = a I)",
        "lower bound for so many such heads, which none need attain",
    )  # fmt: skip
    best = chosen(rows, quantity="best")
    limits = [float(bound(row["d"], 1, row["heads"])) for row in best]
    lowest, limit = min(zip(best, limits, strict=True), key=lambda pair: pair[0]["error"] - pair[1])
    name = f"d={lowest['d']}, H={lowest['heads']}, {lowest['law']}"
    return row_of(words, points(best), alone(name, lowest["error"], limit, len(best)))


def random_head(_: list[dict], level: float) -> dict[str, object]:
    """The row on one random head: (P - 1/2) sqrt(d) falls to sqrt(2) / pi^1.5, and never below.

    P is exact. With q and k independent, or their cosine t uniform, it is 1/2: b(t) - 1/2 is odd.
    """
    words = claim(
        "a random rank-1 head", PAPERS,
        "A random rank-1 head with q = k is right with probability 1/2 + Ω(1/√d): with 1/2 + c/√d "
        "or more at each power of 2 up to d = 4,096, for one c",
        "c: (P − 1/2) √d in the limit of large d",
    )  # fmt: skip
    right = {d: 1 - vote.wrong_probability(d, 1) for d in (2**k for k in range(1, 13))}
    compared = [(f"d={d}, P={p:.4f}", claims.Estimate.exactly((p - 0.5) * math.sqrt(d)))
                for d, p in right.items()]  # fmt: skip
    own = [{"d": d} for d in right]
    return _row(words, own, compared, level, bound=math.sqrt(2) / math.pi**1.5)


def random_features(rows: list[dict], level: float) -> dict[str, object]:
    """The row on the printed number of heads: of what the best weights of random heads have."""
    words = claim(
        "random features suffice", PAPERS,
        "Random rank-1 heads come to an error ε with e^(d²/ε²) heads, as printed, Ω's constant "
        "taken as 1: the errors that draws have take no more. So few heads say nothing of smaller "
        "ε, nor that so many are needed",
        "share of the exponent: ε² ln(H) / d²",
    )  # fmt: skip
    best = [row for row in chosen(rows, quantity="best") if row["heads"] > 1]
    compared = [
        (f"d={row['d']}, H={row['heads']}, ε={row['error']:.3f}, {row['law']}",
         claims.Estimate.exactly(math.log(row["heads"]) / row["d"] ** 2 * row["error"] ** 2))
        for row in best
    ]  # fmt: skip
    return _row(words, best, compared, level, claims.at_most, 1.0)


def published_curve(rows: list[dict], _: float) -> dict[str, object]:
    words = claim(
        "published random features", OURS,
        "The published computation of random heads reports a smaller error than its heads and "
        "weights have, where they are furthest apart",
        "difference, of the weights' own error to the reported one",
    )  # fmt: skip
    reported, attained = (
        {(row["d"], row["heads"], row["draw"]): row["error"] for row in chosen(rows, quantity=of)}
        for of in ("reported", "attained")
    )
    of = points(chosen(rows, quantity="reported"))
    if not reported:
        return row_of(words, of, claims.judge([]))
    key = max(reported, key=lambda key: attained[key] - reported[key])
    name = (
        f"d={key[0]}, H={key[1]}, {reported[key]:.3f} reported for {attained[key]:.3f}, the "
        f"largest of {len(reported)}"
    )
    return row_of(words, of, alone(name, attained[key] - reported[key], ATTAINED, len(reported)))


CLAIMS = (
    ("vote", exact_vote), ("vote", more_voters), ("features", random_heads),
    ("features", published_curve), ("temperature", fact_1), ("found", full_rank_is_needed),
    ("needed", corollary), ("found", softmax_at_low_rank), ("plurality", votes_of_more_points),
    ("found", found_above_bound), ("vote", random_head), ("features", random_features),
)  # fmt: skip
"""The table that each is judged on."""


def theory(tables: dict[str, pa.Table], level: float) -> Iterator[dict]:
    """The rows on all of these, from the tables that they name; of the vote its errors alone."""
    for name, row in CLAIMS:
        yield row(tables[name].to_pylist(), level)
