"""What this paper's tables say, in sentences: every number is read from a table."""

from collections import Counter

import pyarrow as pa

from attention_separation.head_rank.runs import chosen, is_full_rank, values

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
    counts = " and ".join(f"{row['heads']:,} for {row['epsilon']:g}" for row in own)
    return [
        f"**A vote of rank-1 heads (Theorem 7).** Two layers of rank-1 heads do it by a majority "
        f"vote, built explicitly here. At d = {d} the vote reaches an error of at most ε with so "
        f"many heads: {counts}. That is about d/ε², where the theorem guarantees d³/ε² times a "
        f"constant."
    ]


def features_findings(table: pa.Table) -> list[str]:
    """Random rank-1 heads: the least error, and what the published computation reports."""
    rows = table.to_pylist()
    best = chosen(rows, quantity="best", law="compromise")
    if not best:
        return []
    parts = []
    for d in values(best, "d"):
        own = chosen(best, d=d)
        most = max(row["heads"] for row in own)
        errors = [row["error"] for row in chosen(own, heads=most)]
        parts.append(f"{sum(errors) / len(errors):.3f} at d = {d} with {most:,} heads")
    said = [f"**Random rank-1 heads.** With the best weights their error is {'; '.join(parts)}."]
    reported = chosen(rows, quantity="reported")
    if reported:
        last = max(reported, key=lambda row: (row["heads"], -row["d"]))
        own = {key: last[key] for key in ("d", "draw", "heads")}
        (attained,) = chosen(rows, quantity="attained", **own)
        said.append(
            f"**The published curve of random heads** comes from keys shorter than 1 where the "
            f"formulas need unit vectors: at d = {own['d']} and {own['heads']:,} heads that "
            f"computation reports {last['error']:.3f}; the error its weights have is "
            f"{attained['error']:.3f}."
        )
    return said


def rank_findings(runs: list[dict]) -> list[str]:
    """Errors of Figure 1's runs at one layer: full rank and the lower ones."""
    rows = chosen(runs, layers=1)
    full = [row for row in rows if is_full_rank(row)]
    low = [row for row in rows if not is_full_rank(row)]
    if not full or not low:
        return []
    return [
        f"**Rank at one layer.** Heads of full rank (r = d = {full[0]['d']}) reach a held-out "
        f"error of {_span(full)}; lower ranks have {_span(low)}, with up to "
        f"{max(row['total_heads'] for row in low)} heads. Predicting zero has 1."
    ]


def _span(rows: list[dict]) -> str:
    errors = [1.0 if row["test_error"] is None else row["test_error"] for row in rows]
    return f"{min(errors):.3f} to {max(errors):.3f}"


def fresh_findings(runs: list[dict]) -> list[str]:
    """What training on the same batches again reports, beside the error on new data."""
    rows = [
        row for row in chosen(runs, regime="repeated")
        if row["min_train"] is not None and row["test_error"] is not None
    ]  # fmt: skip
    if not rows:
        return []
    worst = max(rows, key=lambda row: row["test_error"] - row["min_train"])
    fresh = chosen(runs, regime="fresh")
    words = ""
    for row in fresh:
        same = all(row[key] == worst[key] for key in ("layers", "width", "rank", "run", "n", "d"))
        if same and row["test_error"] is not None:
            words = f" Trained on new batches the same run reaches {row['test_error']:.3f}."
    return [
        f"**Repeated batches.** The original's runs see the same 100 batches in every epoch and "
        f"report the least training loss. At L = {worst['layers']}, w = {worst['width']}, "
        f"r = {worst['rank']} that is {worst['min_train']:.3f}, where the error on new data is "
        f"{worst['test_error']:.3f}.{words}"
    ]


def claims_findings(table: pa.Table, scale: str) -> list[str]:
    """How many claims agree, and what is said of the others."""
    rows = table.to_pylist()
    counts = Counter(row["verdict"] for row in rows)
    listed = ", ".join(f"{counts[key]} {words}" for key, words in VERDICTS.items() if counts[key])
    said = [f"**The claims**, at the scale {scale}: of {len(rows)}, {listed}."]
    for verdict in ("differs", "undecided"):
        found = [_of_claim(row) for row in rows if row["verdict"] == verdict]
        if found:
            said.append(f"**{verdict.capitalize()}:** {'; '.join(found)}.")
    return said


def _of_claim(row: dict) -> str:
    statement = row["statement"][0].lower() + row["statement"][1:]
    if row["measured"] is None:
        return statement
    interval = "" if row["low"] is None else f", {row['low']:.3g} to {row['high']:.3g}"
    return f"{statement} ({row['decided_at']}: {row['measured']:.3g}{interval})"
