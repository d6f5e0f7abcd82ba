"""What the tables of this paper's constructions say: every number is read from a table."""

import pyarrow as pa

from attention_separation.pages.prose import counted, from_to, joined, mean_with_interval

from ..claims.construction_claims import curve_gaps
from ..claims.runs import chosen, values

LAWS = {
    "compromise": "where the cosine of q and k is uniform, the law of the published figure",
    "independent": "where q and k are independent",
}
"""Laws of heads, and how they are said."""


def temperature_findings(table: pa.Table) -> list[str]:
    """Facts 1 and 3: the error of one full-rank head at the largest c, and the sign of the bias."""
    rows = table.to_pylist()
    return _fact_1_findings(chosen(rows, construction="fact_1")) + _fact_3_findings(
        chosen(rows, construction="fact_3", temperature=None)
    )


def _fact_1_findings(rows: list[dict]) -> list[str]:
    if not rows:
        return []
    hot = chosen(rows, temperature=max(row["temperature"] for row in rows))
    errors, laws = [], []
    exact = [row for row in hot if row["error_exact"] is not None]
    if exact:
        dimensions = " and ".join(map(str, values(exact, "d")))
        found = _range([row["error_exact"] for row in exact])
        errors.append(f"{found} for N = 2 at d = {dimensions}, by quadrature")
        apart = max(abs(row["error_law"] / row["error_exact"] - 1) for row in exact)
        laws.append(f"differs by up to {100 * apart:.2g} % for N = 2")
    sampled = [row for row in hot if row["error_exact"] is None]
    if sampled:
        # The paper's Fact 1 has independent points.
        own = max(sampled, key=lambda row: (row["distribution"] == "uniform", row["d"], row["n"]))
        points = {"uniform": "independent", "orthogonal": "orthogonal"}[own["distribution"]]
        errors.append(
            f"{own['error']:.3g} (95 % interval {own['ci_low']:.3g} to {own['ci_high']:.3g}, "
            f"{own['draws']:,} draws) for N = {own['n']} {points} points at d = {own['d']}"
        )
        laws.append(f"gives {own['error_law']:.3g} for N = {own['n']}")
    return [
        f"**One head of full rank has a small error (Fact 1).** At c = {hot[0]['temperature']:g} "
        f"in K Qᵀ = cI it is {', and '.join(errors)}. The law of large c, a constant over c, "
        f"{' and '.join(laws)}. Predicting zero has 1."
    ]


def _fact_3_findings(rows: list[dict]) -> list[str]:
    """Of the hardmax heads."""
    right, text = (chosen(rows, added=added) for added in ("-b/2", "+b"))
    if not right or not text:
        return []
    errors = [max(row["error_exact"], row["error"]) for row in right]
    cases = counted(len(right), "case")
    # By its definition, so that anything else is a mistake.
    said = "is Equation 8 itself" if max(errors) == 0 else f"has error {_range(errors)}"
    # Equal errors differ by the rounding of quadrature: of these, the first.
    ends = [end(text, key=lambda row: round(row["error_exact"], 9)) for end in (min, max)]
    span = " to ".join(
        f"{row['error_exact']:.3g} (d = {row['d']}, b = ({row['b_1']:g}, {row['b_2']:g}))"
        for row in ends[: len(text)]
    )
    return [
        f"**The sign of the bias (Fact 3).** For Equation 8 on two orthogonal points, the hardmax "
        f"head that adds −b/2 to the scores {said} (checked in {cases} of d and b). The text, read "
        f"here in translation, adds +b, and the error of that head depends on d and b: {span}, by "
        f"quadrature. Always taking the wrong point has 2, predicting zero 1."
    ]


def _range(errors: list[float]) -> str:
    return from_to(*(f"{end(errors):.3g}" for end in (min, max)))


def vote_findings(table: pa.Table) -> list[str]:
    """Theorem 7: how many heads the vote needs."""
    needed = chosen(table.to_pylist(), series="heads_needed")
    if not needed:
        return []
    d = max(row["d"] for row in needed)
    own = sorted(chosen(needed, d=d), key=lambda row: -row["epsilon"])
    counts = " and ".join(
        f"{row['heads']:,} for {row['epsilon']:g} ({row['heads'] * row['epsilon'] ** 2 / d:.2g} "
        f"times d/ε²)"
        for row in own
    )
    return [
        f"**A vote of rank-1 heads (Theorem 7).** For two points, two layers of rank-1 heads on "
        f"points with two more coordinates find the nearer one by a majority vote, built "
        f"explicitly here, for the proof is not in the text that was read. At d = {d} its exact "
        f"error is at most ε from so many voting heads on: {counts}; the second layer takes d "
        f"heads, and layers have as many as the larger of the two. The theorem guarantees ε from "
        f"d³/ε² times an unknown constant on."
    ]


def features_findings(table: pa.Table) -> list[str]:
    """Random rank-1 heads: the least error, and what the published computation reports."""
    rows = table.to_pylist()
    best = chosen(rows, quantity="best", law="compromise")
    if not best:
        return []
    heads = min(max(row["heads"] for row in chosen(best, d=d)) for d in values(best, "d"))
    laws = "; ".join(
        f"{words}, {_by_dimension(own)}"
        for law, words in LAWS.items()
        if (own := chosen(rows, quantity="best", law=law, heads=heads))
    )
    said = [
        f"**Random rank-1 heads.** On two orthogonal points, with the best weights, {heads:,} "
        f"heads have these errors: {laws}."
    ]
    found = curve_gaps(rows)
    if not found:
        return said
    gaps = {key: attained - reported for key, (reported, attained) in found.items()}
    largest = max(gaps, key=gaps.get)
    d, most, _ = largest
    reported, attained = found[largest]
    own = chosen(best, d=d, heads=most)
    least = f", the best weights of unit heads {_of_draws(_errors(own))}" if own else ""
    elsewhere = [
        gaps[key] for key in gaps
        if key[0] != d and key[1] == max(each[1] for each in gaps if each[0] == key[0])
    ]  # fmt: skip
    with_most = ""
    if elsewhere:
        others = joined([str(each) for each in sorted({key[0] for key in gaps} - {d})])
        with_most = (
            f" With the most heads at d = {others} it reports {min(elsewhere):.3f} to "
            f"{max(elsewhere):.3f} less than its weights have."
        )
    return [
        *said,
        f"**The published curve of random heads** comes from keys shorter than 1 where the "
        f"formulas need unit vectors. The largest gap of {len(gaps)} points is one draw's: at "
        f"d = {d} and {most:,} heads that computation reports {reported:.3f}, its weights have "
        f"{attained:.3f}{least}.{with_most}",
    ]


def _errors(rows: list[dict]) -> list[float]:
    return [row["error"] for row in rows]


def _by_dimension(rows: list[dict]) -> str:
    parts = [f"{_of_draws(_errors(chosen(rows, d=d)))} at d = {d}" for d in values(rows, "d")]
    return ", ".join(parts)


def _of_draws(errors: list[float]) -> str:
    """The mean over draws of heads, with its interval or, of one draw, without."""
    if len(errors) == 1:
        return f"{errors[0]:.3f} (1 draw)"
    return f"{mean_with_interval(errors)[:-1]}, {len(errors)} draws)"
