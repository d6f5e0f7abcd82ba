"""What the tables of one layer of low-rank heads say: every number is read from a table."""

import math

import pyarrow as pa

from attention_separation.pages.prose import joined

from ..claims.runs import chosen, values
from ..figures.theory_figures import HALF, HARDMAX, SOFTMAX, least, voters


def theory_findings(table: pa.Table) -> list[str]:
    """What is impossible and what is possible at the paper's budgets, at the largest d."""
    rows = table.to_pylist()
    d = max(row["d"] for row in rows)
    own = chosen(rows, d=d)
    low = [row for row in own if row["rank"] < d]
    hot = max(chosen(own, rank=d), key=lambda row: row["temperature"])
    standard, middle, largest = (chosen(low, budget=name) for name in ("d^2", "d^2.5", "d^3"))
    most = max(row["rank"] for row in low)
    bounds = [row["bound"] for row in standard]
    half = _at(standard, most)
    return [
        "**One layer needs full rank, as a number (Theorem 2).** For the nearest of two "
        f"orthogonal points at d = {d}, one head of full rank has the error {hot['error']:.2g} at "
        f"c = {hot['temperature']:g} (K Qᵀ = cI), and as small a one as is wanted for larger c. "
        f"Of H = d/r heads of rank r no one layer has an error below {min(bounds):.3f} "
        f"(r = {most}) to {max(bounds):.3f} (r = 1) if value maps are multiples of the identity "
        "and values see no encoding, whatever the heads do with what they see through the d × r "
        f"matrix K; softmax heads come to {_least(standard, SOFTMAX):.3f} at each of these ranks, "
        "as their value weights grow without limit. For any value maps the bound is "
        f"{half['bound_any_value']:.3f} at r = {most}. The least error of rank {most} lies between "
        f"{_between(middle, most, 'd^1.5/r')}, and between {_between(largest, most, 'd²/r')}: "
        "between the bound and the best heads found here.",
        f"**Softmax against hardmax at low rank.** With H = d/r heads at d = {d} the best hardmax "
        f"heads found have {_of_ranks(standard, HARDMAX)}, random ones "
        f"{_of_ranks(standard, ('random',))}; softmax heads of a small c and large "
        "value weights add up to the bilinear form ⟨u, y⟩ and come to "
        f"{_least(standard, SOFTMAX):.3f}. Hardmax is the limit of softmax for a large c, and at "
        "low rank not the best one.",
    ]


def _at(rows: list[dict], rank: int) -> dict:
    return chosen(rows, rank=rank)[0]


def _between(rows: list[dict], rank: int, budget: str) -> str:
    row, least = _at(rows, rank), _least(chosen(rows, rank=rank), SOFTMAX)
    return (
        f"{row['bound']:.3f} ({row['bound_any_value']:.3f} for any value maps) and {least:.3f} "
        f"with {budget} = {row['heads']} heads"
    )


def _least(rows: list[dict], kinds: tuple[str, ...]) -> float:
    return min(row["error"] for row in rows if row["kind"] in kinds)


def _of_ranks(rows: list[dict], kinds: tuple[str, ...]) -> str:
    ranks, errors = least(rows, kinds)
    ends = [(ranks[i], errors[i]) for i in sorted({0, len(ranks) - 1})]
    return " and ".join(f"{error:.3f} at r = {rank}" for rank, error in ends)


def heads_findings(table: pa.Table) -> list[str]:
    """How many heads some errors take at least, at the largest d."""
    rows = table.to_pylist()
    d = max(row["d"] for row in rows)
    own = [row for row in chosen(rows, d=d) if row["rank"] < d]
    ends = sorted({row["rank"] for row in own})
    shown = [error for error in sorted({row["error"] for row in own}, reverse=True)
             if error <= 0.1] or [min(row["error"] for row in own)]  # fmt: skip
    said = [
        f"{error:g} takes "
        + joined([
            f"{_large(row['heads'])} ({_large(row['heads_any_value'])}) of rank {rank}"
            for rank in sorted({ends[0], ends[len(ends) // 2], ends[-1]})
            for row in chosen(own, error=error, rank=rank)
        ])
        for error in shown
    ]  # fmt: skip
    budget = chosen(own, rank=ends[-1])[0]["heads_of_d3"]
    return [
        f"**Heads that an error takes.** In one layer at d = {d}, at least, for value maps that "
        "are multiples of the identity (in brackets, for any value maps): an error of "
        f"{'; one of '.join(said)}. The paper's largest budget, d²/r, has {d * d:,} of rank 1 "
        f"and {budget:,} of rank {ends[-1]}. "
        f"One of rank {d} will do."
    ]


def _large(heads: str) -> str:
    """A whole number, as a power of 10 where it is large."""
    if len(heads) <= 7:
        return f"{int(heads):,}"
    power = len(heads) - 1
    return f"{int(heads[:3]) / 100:.2f}·10^{power}"


def vote_points_findings(table: pa.Table) -> list[str]:
    """How a vote of rank-1 heads does with more points, at the most heads and against rank 0."""
    rows = table.to_pylist()
    heads = max(row["heads"] for row in rows)
    said = []
    for distribution, words in (("uniform", "independent"), ("orthogonal", "orthogonal")):
        own = chosen(rows, distribution=distribution, heads=heads)
        if own:
            d = min(values(own, "d"))
            errors = [
                f"{row['error']:.2f} for N = {row['n']} (rank 0: {row['rank_0']:.2f})"
                for row in sorted(chosen(own, d=d), key=lambda row: row["n"])
            ]
            said.append(f"among {words} points at d = {d}, {joined(errors)}")
    sentences = [
        f"**More points (Conjecture 8).** With {heads:,} random heads of rank 1, the most here, a "
        f"plurality vote has these errors: {'; '.join(said)}."
    ]
    growth = _growth([row for row in rows if row["distribution"] == "orthogonal"])
    if growth:
        sentences[0] += (
            f" Among orthogonal points the heads that an error of {HALF:g} takes grow with N by a "
            f"factor of {growth}: faster than in proportion to it, as the paper says of its "
            "construction at least. Among independent points what this vote tends to, as heads "
            "grow, need not be the nearest point. Neither proves the conjecture, which is on all "
            "transformers of a fixed size."
        )
    return sentences


def _growth(rows: list[dict]) -> str:
    """Factors of heads from the first N to the last, and its power, for each d."""
    parts = []
    for d in values(rows, "d"):
        found = voters(rows, d, HALF)
        if len(found) > 1:
            (few, at_few), *_, (many, at_many) = found.items()
            power = math.log(at_many / at_few) / math.log(many / few)
            parts.append(
                f"{at_many / at_few:.0f} from N = {few} to {many} (d = {d}, N^{power:.1f})"
            )
    return joined(parts) if parts else ""
