"""What this paper's tables say, in sentences: every number is read from a table."""

from collections import Counter

import pyarrow as pa

from attention_separation.head_rank import published
from attention_separation.head_rank.comparisons import Comparison, neighbours, of_figure_4, plain
from attention_separation.head_rank.contrasts import difference, mean_of
from attention_separation.head_rank.means import Mean
from attention_separation.head_rank.means import mean_of as sample_mean
from attention_separation.head_rank.outcomes import OURS, PAPERS, comparison_in_words
from attention_separation.head_rank.runs import (
    chosen,
    held_out_error,
    is_full_rank,
    naming_dead,
    over_rank_0,
    values,
)
from attention_separation.head_rank.uniform_attention import least_error

LEVEL = 0.05
"""Of the intervals in sentences that are said without another."""

NEAR = 0.05
"""Share of the error of uniform attention by which another hardly beats it."""

VERDICTS = {"agrees": "agree", "differs": "differ", "undecided": "undecided", "not run": "not run"}
"""Verdicts, and how they are said of several claims."""


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
    cases = f"{len(right)} case{'s' * (len(right) > 1)} of d and b"
    # Equal errors differ by the rounding of quadrature: of these, the first.
    ends = [end(text, key=lambda row: round(row["error_exact"], 9)) for end in (min, max)]
    span = " to ".join(
        f"{row['error_exact']:.3g} (d = {row['d']}, b = ({row['b_1']:g}, {row['b_2']:g}))"
        for row in ends[: len(text)]
    )
    return [
        f"**The sign of the bias (Fact 3).** For Equation 8 on two orthogonal points, the hardmax "
        f"head that adds −b/2 to the scores has error {_range(errors)} in {cases}. The text, read "
        f"here in translation, adds +b, and the error of that head depends on d and b: {span}, by "
        f"quadrature. Always taking the wrong point has 2, predicting zero 1."
    ]


def _range(errors: list[float]) -> str:
    low, high = f"{min(errors):.3g}", f"{max(errors):.3g}"
    return low if low == high else f"{low} to {high}"


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
        f"explicitly here. At d = {d} its exact error is at most ε from so many heads on: "
        f"{counts}. The theorem guarantees ε from d³/ε² times an unknown constant on."
    ]


def features_findings(table: pa.Table) -> list[str]:
    """Random rank-1 heads: the least error, and what the published computation reports."""
    rows = table.to_pylist()
    best = chosen(rows, quantity="best", law="compromise")
    if not best:
        return []
    parts = []
    for d in values(best, "d"):
        most = max(row["heads"] for row in chosen(best, d=d))
        errors = [row["error"] for row in chosen(best, d=d, heads=most)]
        parts.append(f"{_of_draws(errors)} at d = {d} with {most:,} heads")
    said = [
        f"**Random rank-1 heads.** On two orthogonal points, with the best weights, their error "
        f"is {'; '.join(parts)}."
    ]
    reported = chosen(rows, quantity="reported")
    if reported:
        last = max(reported, key=lambda row: (row["heads"], -row["d"]))
        own = {key: last[key] for key in ("d", "heads")}
        shown, attained = (
            _of_draws([row["error"] for row in chosen(rows, quantity=quantity, **own)])
            for quantity in ("reported", "attained")
        )
        said.append(
            f"**The published curve of random heads** comes from keys shorter than 1 where the "
            f"formulas need unit vectors: at d = {own['d']} and {own['heads']:,} heads that "
            f"computation reports {shown}; the error its weights have is {attained}."
        )
    return said


def _of_draws(errors: list[float]) -> str:
    """The mean over draws of heads, with its interval or, of one draw, without."""
    if len(errors) == 1:
        return f"{errors[0]:.3f} (1 draw)"
    return f"{_with_interval(sample_mean(errors, 1 - LEVEL))[:-1]}, {len(errors)} draws)"


def _with_interval(mean: Mean) -> str:
    return f"{mean.value:.3f} ({mean.low:.3f} to {mean.high:.3f})"


def rank_findings(runs: list[dict]) -> list[str]:
    """Errors of Figure 1's runs at one layer: full rank, the lower ones, and rank 0."""
    rows = chosen(plain(runs), layers=1)
    cells = [chosen(rows, cell=cell) for cell in dict.fromkeys(row["cell"] for row in rows)]
    full = [own for own in cells if is_full_rank(own[0])]
    low = [own for own in cells if not is_full_rank(own[0])]
    if not full or not low:
        return []
    d, n = full[0][0]["d"], full[0][0]["n"]
    ends = [pick(low, key=_mean) for pick in (min, max)]
    best, worst = (_of_cell(own) for own in ends)
    return [
        f"**Rank at one layer**, at d = {d} and N = {n}, as mean held-out errors over "
        f"{len(values(rows, 'run'))} runs with 95 % intervals. Full rank has "
        f"{' and '.join(map(_of_cell, full))}; of the lower ranks the best cell has {best}, the "
        f"worst {worst}. Predicting zero has 1, and uniform attention (rank 0, the best "
        f"−a xᵢ + b Σⱼ xⱼ) has {least_error(d, n):.3f}."
    ]


def published_findings() -> list[str]:
    """The paper's values below full rank beside the error of uniform attention."""
    found = published.below_full_rank()
    d, n = published.SIZE_1["d"], published.SIZE_1["n"]
    shares = [value / least_error(d, count) for count, value in found]
    near = sum(1 - NEAR <= share < 1 for share in shares)
    return [
        f"**Rank 0 at the paper's size.** At d = {d} and N = {n} uniform attention has "
        f"{least_error(d, n):.3f}. Of the {len(found)} values below full rank that are read off "
        f"the paper's Figures 1, 3 and 4, {sum(share >= 1 for share in shares)} are no smaller "
        f"than its error at their N, and {near} more are smaller by {100 * NEAR:g} % at most; they "
        f"are least training losses."
    ]


def _mean(rows: list[dict]) -> float:
    return sum(map(held_out_error, rows)) / len(rows)


def _of_cell(rows: list[dict]) -> str:
    """Mean error of a cell's runs, and which cell it is."""
    mean = sample_mean([held_out_error(row) for row in rows], 1 - LEVEL)
    heads = rows[0]["total_heads"]
    name = f"{heads} head{'s' * (heads > 1)} of rank {rows[0]['rank']}"
    return f"{_with_interval(mean)} with {naming_dead(name, rows)}"


def points_findings(runs: list[dict]) -> list[str]:
    """Figure 4's errors over that of uniform attention, and where they fall as N grows."""
    # Of two points uniform attention makes no error.
    rows = [row for row in runs if row["n"] > 2]
    lower, full = (list(of_figure_4(rows, full)) for full in (False, True))
    found = [each for each in neighbours(rows) if all(each.pairs[0])]
    if not found:
        return []
    own = lower[0][1]
    d, numbers = own[0]["d"], values(own, "n")
    rank_0 = ", ".join(f"{least_error(d, n):.3f} at N = {n}" for n in numbers)
    listed = [
        f"{'full ' * (group[0]['rank'] == d)}rank {rank}: {', '.join(_over(group))}"
        for rank, group in [*lower, *full]
    ]
    return [
        f"**Number of points**, at d = {d} with two layers, as mean held-out errors over that of "
        f"uniform attention (rank 0: {rank_0}), with 95 % intervals over "
        f"{len(values(own, 'run'))} runs. {'; '.join(listed).capitalize()}. {_least_step(found)}"
    ]


def _over(rows: list[dict]) -> list[str]:
    """Means over rank 0 for each number of points."""
    said = []
    for n in values(rows, "n"):
        group = chosen(rows, n=n)
        mean = sample_mean([over_rank_0(row) for row in group], 1 - LEVEL)
        said.append(naming_dead(f"{mean.value:.2f} ± {mean.high - mean.value:.2f}", group))
    return said


def _least_step(found: list[Comparison]) -> str:
    """The step in the number of points that raises the error over rank 0 the least."""
    steps = [
        (difference([tuple([over_rank_0(row) for row in group] for group in each.pairs[0])],
                    LEVEL / len(found)), each.pairs[0])
        for each in found
    ]  # fmt: skip
    step, (many, few) = min(steps, key=lambda pair: pair[0].mean)
    if step.mean >= 0:
        return "Below full rank its mean grows at every step."
    return (
        f"Below full rank it does not grow at every step: from N = {few[0]['n']} to "
        f"{many[0]['n']} at rank {many[0]['rank']} it falls by {-step.mean:.3f} "
        f"({-step.high:.3f} to {-step.low:.3f}, simultaneous over {len(found)} steps)."
    )


def fresh_findings(runs: list[dict]) -> list[str]:
    """What training on the same batches again reports, beside the error on new data."""
    rows = [
        row for row in chosen(runs, regime="repeated")
        if row["min_train"] is not None and row["test_error"] is not None
    ]  # fmt: skip
    cells = [chosen(rows, cell=cell) for cell in dict.fromkeys(row["cell"] for row in rows)]
    cells = [own for own in cells if len(own) > 1]
    if not cells:
        return []
    gaps = [
        mean_of([row["test_error"] - row["min_train"] for row in own], LEVEL / len(cells))
        for own in cells
    ]
    # The surest, not the largest: that one may be due to a single run.
    gap, own = max(zip(gaps, cells, strict=True), key=lambda pair: pair[0].low)
    row = own[0]
    reported, tested = (
        _with_interval(sample_mean([run[name] for run in own], 1 - LEVEL))
        for name in ("min_train", "test_error")
    )
    same = {key: row[key] for key in ("layers", "width", "rank", "n", "d", "batch", "steps")}
    fresh = [held_out_error(run) for run in chosen(runs, regime="fresh", **same)]
    words = ""
    if len(fresh) > 1:
        mean = _with_interval(sample_mean(fresh, 1 - LEVEL))
        words = f" Runs on new batches, with a schedule per step, have {mean}."
    return [
        f"**Repeated batches.** In the published configurations the same 100 batches come back in "
        f"every epoch, and the figures show the least training loss. Of {len(cells)} cells trained "
        f"so, with the published schedule per epoch, it is most surely below the error on new data "
        f"at d = {row['d']}, N = {row['n']}, L = {row['layers']}, w = {row['width']}, "
        f"r = {row['rank']}: {reported} for {tested}, means over "
        f"{naming_dead(f'{len(own)} runs', own)} with 95 % intervals, a difference of "
        f"{gap.mean:.3f} ({gap.low:.3f} to {gap.high:.3f}, simultaneous over the cells).{words}"
    ]


def counted(rows: list[dict]) -> str:
    """How many claims have each verdict."""
    counts = Counter(row["verdict"] for row in rows)
    return ", ".join(f"{counts[key]} {words}" for key, words in VERDICTS.items() if counts[key])


def claims_findings(table: pa.Table, scale: str) -> list[str]:
    """How many claims agree, and what is said of the others; the paper's and ours apart."""
    rows = table.to_pylist()
    groups = {whose: [row for row in rows if row["whose"] == whose] for whose in (PAPERS, OURS)}
    groups = {whose: own for whose, own in groups.items() if own}
    counts = "; ".join(
        f"of {whose if whose == PAPERS else f'{whose} own'} {len(own)}, {counted(own)}"
        for whose, own in groups.items()
    )
    said = [f"**The claims**, at the scale {scale}: {counts}."]
    for whose, own in groups.items():
        for verdict in ("differs", "undecided"):
            said += [
                f"**{verdict.capitalize()}, {whose}:** {_of_claim(row)}."
                for row in own
                if row["verdict"] == verdict
            ]
    return said


def _of_claim(row: dict) -> str:
    statement = row["statement"][0].lower() + row["statement"][1:]
    words = comparison_in_words(row)
    return f"{statement} [{words}]" if words else statement
