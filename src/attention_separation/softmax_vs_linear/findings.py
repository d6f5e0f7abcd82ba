"""What the tables of results say, in sentences: every number is read from a table."""

from collections import Counter

import pyarrow as pa

LIKELY, UNLIKELY = 0.9, 0.1
"""Probabilities of success that are called so."""

FALL = 0.01
"""A smaller fall of a success rate is not worth a sentence."""

MOST_NAMED = 3
"""Undecided panels that a sentence names."""

EVENT_NAMES = {
    "f_exp_d1_positive": "F_exp > 0 on D1",
    "f_lin_d1_zero": "F_lin = 0 on D1",
    "f_exp_d0_zero": "F_exp = 0 on D0",
    "f_lin_d0_zero": "F_lin = 0 on D0",
}


def success_findings(exact: list[pa.Table]) -> list[str]:
    """At how many points success is likely, as good as even, and unlikely."""
    p = sorted(value for table in exact for value in table["p_exact"].to_pylist())
    if not p:
        return []
    likely, even = (sum(x >= least for x in p) for least in (LIKELY, 0.5))
    unlikely = sum(x <= UNLIKELY for x in p)
    return [
        f"**The answer in numbers.** F_exp tells D1 from D0, and F_lin is zero on both, with a "
        f"probability (exact, in softmax regression a reference value) of at least {LIKELY:g} at "
        f"{likely:,} of the {len(p):,} points shown, of at least 0.5 at {even:,} and of at most "
        f"{UNLIKELY:g} at {unlikely:,}; its median is {p[len(p) // 2]:.3f}. How many there are of "
        f"each is a matter of the grids."
    ]


def verdict_findings(verdicts: pa.Table) -> list[str]:
    """How many panels agree, and how small a bias would have been found."""
    rows = verdicts.to_pylist()
    counted = Counter(row["verdict"] for row in rows)
    points = sum(row["points"] for row in rows)
    biases = [row["detectable_bias"] for row in rows]
    sentences = [
        f"**Simulation and exact values.** Of {len(rows)} panels with {points:,} points, "
        f"{counted['agrees']} agree with their exact values, {counted['undecided']} "
        f"{_is(counted['undecided'])} undecided and {counted['differs']} "
        f"{'differs' if counted['differs'] == 1 else 'differ'}. A mean bias of "
        f"{100 * min(biases):.1f} to {100 * max(biases):.1f} per cent, depending on the panel, "
        f"would have been found nine times in ten."
    ]
    undecided = [row for row in rows if row["verdict"] == "undecided" and row["trials_to_decide"]]
    if undecided:
        named = [
            f"{row['panel']} ({row['trials_to_decide']:,} trials per point instead of "
            f"{row['trials']:,})"
            for row in undecided[:MOST_NAMED]
        ]
        if len(undecided) > MOST_NAMED:
            named.append(f"{len(undecided) - MOST_NAMED} more")
        sentences[0] += f" More trials would decide {' and '.join(named)}."
    return sentences


def width_findings(exact: list[pa.Table]) -> list[str]:
    """Panels that sweep m and whose P(E_success) falls again: from where to what."""
    parts = []
    for table in exact:
        rows = sorted(table.to_pylist(), key=lambda row: row["value"])
        if rows[0]["parameter"] != "m":
            continue
        best, last = max(rows, key=lambda row: row["p_exact"]), rows[-1]
        if best["p_exact"] - last["p_exact"] > FALL:
            parts.append(
                f"{best['panel']} from {best['p_exact']:.2f} at m = {best['value']:g} to "
                f"{last['p_exact']:.2f} at m = {last['value']:g}"
            )
    if not parts:
        return []
    return [
        "**Wider is not always better.** With more sign columns F_exp is positive on D1 more "
        "often, but so are networks that should be zero: from its best m on, the computed success "
        "rate falls "
        f"in {', '.join(parts)}."
    ]


def whp_findings(whp: pa.Table) -> list[str]:
    """At how many points each event is with high probability, and at how many that is unknown."""
    points, good, open_ = Counter(), Counter(), Counter()
    for row in whp.to_pylist():
        points[row["event"]] += row["points"]
        good[row["event"]] += row["points_whp"]
        open_[row["event"]] += row["points_undecided"]
    parts = ", ".join(
        f"{EVENT_NAMES[event]} at {good[event]:,} of {points[event]:,}"
        + (f" ({open_[event]:,} undecided)" if open_[event] else "")
        for event in points
    )
    return [
        f"**In the figures.** Points at which an event fails at most δ/n, the error of its "
        f"probability included: {parts}."
    ]


def choice_findings(choices: pa.Table, most: int = 3) -> list[str]:
    """The choices that move some panel most, but for those that are bounds."""
    rows = [row for row in choices.to_pylist() if row["signed_change"] is not None]
    best: dict[str, dict] = {}
    for row in rows:
        if row["mean_change"] > best.get(row["choice"], {"mean_change": -1})["mean_change"]:
            best[row["choice"]] = row
    ranked = sorted(best.values(), key=lambda row: row["mean_change"], reverse=True)[:most]
    parts = "; ".join(
        f"{row['choice']} ({row['alternative']} for {row['default']}: {row['mean_change']:.2f} on "
        f"average over {row['panel']})"
        for row in ranked
    )
    still = [row for row in best.values() if row["mean_change"] < 0.005]
    return [
        f"**Open choices.** The text's gaps that move a success rate most: {parts}. "
        f"{len(still)} of {len(best)} measured choices move no panel by more than 0.005 on average."
    ]


def threshold_findings(thresholds: pa.Table) -> list[str]:
    """The best of each network over all points, and at the panels' widest d."""
    rows = thresholds.to_pylist()
    by_point: dict[tuple, dict[str, dict]] = {}
    for row in rows:
        by_point.setdefault((row["panel"], row["value"]), {})[row["network"]] = row
    gaps = {key: pair["exp"]["p_best"] - pair["lin"]["p_best"] for key, pair in by_point.items()}
    closest = by_point[min(gaps, key=gaps.get)]
    largest = max((pair["lin"] for pair in by_point.values()), key=lambda row: row["p_best"])
    typical = sorted(pair["lin"]["p_best"] for pair in by_point.values())[len(by_point) // 2]
    exp_typical = sorted(pair["exp"]["p_best"] for pair in by_point.values())[len(by_point) // 2]
    return [
        f"**Each network at its own best threshold.** Over {len(by_point)} points in n, d and m, "
        f"F_exp alone tells D1 from D0 with a median probability of {exp_typical:.3f}, F_lin alone "
        f"with {typical:.3f}. F_lin comes to {largest['p_best']:.2f} at most ({_where(largest)}). "
        f"Softmax is ahead at {'every' if min(gaps.values()) > 0 else 'not every'} point; the "
        f"smallest lead is {min(gaps.values()):.2f} ({_where(closest['exp'])})."
    ]


def _plural(kind: str) -> str:
    return kind.replace("holds", "hold", 1) if kind.startswith("holds") else f"are {kind}"


def _where(row: dict) -> str:
    """A point of the thresholds' table: its model and its sizes."""
    sizes = [f"{name} = {row[name]}" for name in ("n", "d", "m") if row[name] is not None]
    return ", ".join([row["model"].replace("_", "-"), *sizes])


def _is(count: int) -> str:
    return "is" if count == 1 else "are"
