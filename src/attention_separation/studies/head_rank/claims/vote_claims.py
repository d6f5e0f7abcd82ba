"""Claims on votes of heads of rank 1, and on random heads of rank 1: judged on numbers that no
training makes."""

import math
from collections.abc import Iterator
from dataclasses import replace

from ....rank_bound.bound import bound
from ....results.tables import Row, chosen
from ....statistics.claims import Comparison, Estimate, Verdict, at_least, at_most
from ....statistics.counts import clopper_pearson
from ..constructions import vote
from ..settings.titles import CHECK, OURS, PAPERS
from ..training.runs import values
from .claim import Evidence, Finding, finding_of, finding_of_worst, rank_claim
from .judging import ComparedNumbers, error_of, finding_together, row_words, sizes_of_points

MANY_TIMES = 32
"""How many times as many heads the vote is compared with: by its exact law the error then falls by
a factor of 1.4 to 5.7 at the dimensions up to 64, which 2,000 draws tell apart."""

ATTAINED = 0.01
"""By how much a reported error falls below the one that its weights have to count as another."""


# The majority vote on two points.


def _vote_error(row: Row, level: float) -> Estimate:
    """The error of a vote, twice the probability of a wrong one, with its interval."""
    low, high = clopper_pearson(row["wrong"], row["draws"], 1 - level)
    return Estimate(row["error"], 2 * float(low), 2 * float(high))


def _judge_majority_vote(evidence: Evidence) -> Finding:
    """The finding on the vote with the smallest p-value, at a level for all votes together, as
    their p-values are."""
    votes = evidence.votes
    worst = min(votes, key=lambda row: row["p_value"])
    error = _vote_error(worst, evidence.level / len(votes))
    deciding = at_most(row_words(worst, "d", "heads"), error, worst["error_exact"])
    is_lawful = worst["p_value"] > evidence.level
    verdict = Verdict.AGREES if is_lawful else Verdict.DIFFERS
    return Finding(verdict, len(votes), deciding, sizes_of_points(votes))


MAJORITY_VOTE = rank_claim(
    "majority vote",
    origin=OURS,
    statement="The vote of H rank-1 heads on two points, built here for Theorem 7 with d heads in "
    "layer 2, errs as its exact law says",
    bound="exact error of the vote",
    judge=_judge_majority_vote,
)


def _judge_more_voters(evidence: Evidence) -> Finding:
    """The finding on the error of each vote less that of one of many more heads, at a level for all
    such pairs together.

    Each number of wrong votes has an interval of its own: those of one d share draws, and intervals
    that hold together need no independence.
    """
    pairs = _few_and_many_heads(evidence.votes)
    comparisons = []
    for few, many in pairs:
        level = evidence.level / len(pairs) / 2
        difference = _vote_error(few, level).less(_vote_error(many, level))
        name = f"{row_words(few, 'd', 'heads')} against {many['heads']}"
        comparisons.append(at_least(name, difference, 0.0))
    return finding_of(comparisons, sizes_of_points(evidence.votes))


def _few_and_many_heads(votes: list[Row]) -> list[tuple[Row, Row]]:
    """Pairs of votes of one d: each with the next that has at least MANY_TIMES as many heads, if
    there is one."""
    pairs = []
    for d in values(votes, "d"):
        by_heads = sorted(chosen(votes, d=d), key=lambda row: row["heads"])
        for few in by_heads:
            many = [row for row in by_heads if row["heads"] >= MANY_TIMES * few["heads"]]
            if many:
                pairs.append((few, many[0]))
    return pairs


MORE_VOTERS = rank_claim(
    "more voters",
    origin=OURS,
    statement="This vote errs less with more heads: with each H than with the next that is at "
    f"least {MANY_TIMES} H",
    bound="no difference, of errors",
    judge=_judge_more_voters,
)


# The plurality vote among more points.


def _judge_few_points(evidence: Evidence) -> Finding:
    """The finding on votes of the most heads against uniform attention, among the fewest points and
    the most."""
    most_heads = max(row["heads"] for row in evidence.pluralities)
    points = values(evidence.pluralities, "n")
    fewest, most = points[0], points[-1]
    votes = chosen(evidence.pluralities, distribution="uniform", heads=most_heads)
    rows = [row for row in votes if row["n"] in (fewest, most)]
    rows.sort(key=lambda row: (row["d"], row["n"]))
    comparisons = []
    for row in rows:
        gap = error_of(row).less(row["rank_0"])
        if row["n"] == fewest:
            gap = gap.times(-1.0)
        comparisons.append(at_least(row_words(row, "d", "n"), gap, 0.0))
    finding = finding_together(comparisons, rows, evidence.level)
    statement = FEW_POINTS.statement.format(heads=most_heads, few=fewest, many=most)
    return replace(finding, statement=statement)


FEW_POINTS = rank_claim(
    "a vote needs few points",
    origin=OURS,
    statement="A plurality vote of {heads:,} random rank-1 heads among independent points errs "
    "less than uniform attention (rank 0) for N = {few} and more for N = {many}",
    bound="no difference to the error of rank 0, on the claimed side",
    judge=_judge_few_points,
)


# Random heads.


def _judge_random_heads(evidence: Evidence) -> Finding:
    """The finding on the errors of random heads, with their best weights, against the lower
    bound."""
    rows = _best_weights(evidence)
    comparisons = []
    for row in rows:
        name = f"{row_words(row, 'd', 'heads')}, {row['law']}"
        limit = float(bound(row["d"], r=1, heads=row["heads"]))
        comparisons.append(at_least(name, Estimate.exactly(row["error"]), limit))
    lowest = min(comparisons, key=lambda comparison: comparison.slack_of_value)
    return finding_of_worst(lowest, len(rows), sizes_of_points(rows))


def _best_weights(evidence: Evidence) -> list[Row]:
    """The errors that the best weights of random heads have."""
    return chosen(evidence.features, quantity="best")


RANDOM_HEADS = rank_claim(
    "random heads above the bound",
    origin=CHECK,
    statement="(Check) No draw of random rank-1 heads falls below the lower bound on the error of "
    "so many rank-1 heads of any kind with scalar weights (V = a I)",
    bound="lower bound for so many such heads, which none need attain",
    judge=_judge_random_heads,
)


def _powers_of_2(evidence: Evidence) -> list[Row]:
    """A row for each d that is a power of 2, up to 4,096; it needs no evidence."""
    return [{"d": 2**k} for k in range(1, 13)]


def _excess_probabilities(rows: list[Row]) -> Iterator[Comparison]:
    """(P - 1/2) sqrt(d) of each d against its limit, sqrt(2) / pi^1.5: P is the probability that a
    head is right.

    P is exact. With q and k independent, or their cosine t uniform, it is 1/2: b(t) - 1/2 is odd.
    """
    limit = math.sqrt(2) / math.pi**1.5
    for row in rows:
        d = row["d"]
        right = 1 - vote.wrong_probability(d, heads=1)
        excess = Estimate.exactly((right - 0.5) * math.sqrt(d))
        yield at_least(f"d={d}, P={right:.4f}", excess, limit)


ONE_RANDOM_HEAD = rank_claim(
    "a random rank-1 head",
    origin=PAPERS,
    statement="A random rank-1 head with q = k is right with probability 1/2 + Ω(1/√d): with "
    "1/2 + c/√d or more at each power of 2 up to d = 4,096, for one c",
    bound="c: (P − 1/2) √d in the limit of large d",
    judge=ComparedNumbers(_powers_of_2, _excess_probabilities),
)


def _best_weights_of_several_heads(evidence: Evidence) -> list[Row]:
    """The errors that the best weights of two or more random heads have."""
    return [row for row in _best_weights(evidence) if row["heads"] > 1]


def _shares_of_the_exponent(rows: list[Row]) -> Iterator[Comparison]:
    """The logarithm of each number of heads over the d^2 / error^2 that the theorem has."""
    for row in rows:
        error = row["error"]
        name = f"{row_words(row, 'd', 'heads')}, ε={error:.3f}, {row['law']}"
        share = math.log(row["heads"]) / row["d"] ** 2 * error**2
        yield at_most(name, Estimate.exactly(share), 1.0)


RANDOM_FEATURES_SUFFICE = rank_claim(
    "random features suffice",
    origin=PAPERS,
    statement="Random rank-1 heads come to an error ε with e^(d²/ε²) heads, as printed, Ω's "
    "constant taken as 1: the errors that draws have take no more. So few heads say nothing of "
    "smaller ε, nor that so many are needed",
    bound="share of the exponent: ε² ln(H) / d²",
    judge=ComparedNumbers(_best_weights_of_several_heads, _shares_of_the_exponent),
)


def _judge_published_features(evidence: Evidence) -> Finding:
    """The finding on the draw in which the error of the published weights and the reported one are
    furthest apart."""
    reported_rows = chosen(evidence.features, quantity="reported")
    sizes = sizes_of_points(reported_rows)
    if not reported_rows:
        return finding_of([], sizes)
    attained_rows = chosen(evidence.features, quantity="attained")
    attained_errors = {_draw(row): row["error"] for row in attained_rows}

    def difference(row: Row) -> float:
        """The error that a draw's weights have less the reported one."""
        return attained_errors[_draw(row)] - row["error"]

    furthest = max(reported_rows, key=difference)
    name = (
        f"{row_words(furthest, 'd', 'heads')}, {furthest['error']:.3f} reported for "
        f"{attained_errors[_draw(furthest)]:.3f}, the largest of {len(reported_rows)}"
    )
    worst = at_least(name, Estimate.exactly(difference(furthest)), ATTAINED)
    return finding_of_worst(worst, len(reported_rows), sizes)


def _draw(row: Row) -> tuple[int, int, int]:
    """The d, number of heads and number of the draw that a row is of."""
    return row["d"], row["heads"], row["draw"]


PUBLISHED_FEATURES = rank_claim(
    "published random features",
    origin=OURS,
    statement="The published computation of random heads reports a smaller error than its heads "
    "and weights have, where they are furthest apart",
    bound="difference, of the weights' own error to the reported one",
    judge=_judge_published_features,
)
