"""What the tables of thresholds say, in sentences: every number is read from a table."""

from itertools import pairwise

import numpy as np
import pyarrow as pa

from attention_separation.pages.prose import counted, rounded_up

from ..figures.figure_text import meets_definition
from ..models.contest import PAPERS
from ..models.regression import REGRESSION

MOST_NAMED = 3
"""Points that a sentence names."""

EQUAL = 1e-9
"""Exact probabilities closer than this are called equal."""

NEARLY = 0.001
"""Of probabilities: a threshold that loses less is as good as the best for any figure."""

SIZES = ("n", "d", "m", "a0", "a1", "b", "c")
"""The parameters that tell a point of a panel from the others."""


def threshold_findings(thresholds: pa.Table) -> list[str]:
    """Where either network, at its own best threshold, is ahead of the other, and how far."""
    known, unknown = both_networks(thresholds)
    if not known:
        return []
    leads = leads_of_exp(known)
    ahead, behind = ([k for k, lead in enumerate(leads) if sign * lead > EQUAL] for sign in (1, -1))
    exp_typical, lin_typical = (
        float(np.median([pair[network]["p_best"] for pair in known])) for network in PAPERS.kernels
    )
    largest = max((pair["linear"] for pair in known), key=lambda row: row["p_best"])
    panels = {row["panel"] for pair in known for row in pair.values()}
    text = (
        f"**Each network at its own best threshold.** At {len(ahead):,} of "
        f"{counted(len(known), 'point')} of {counted(len(panels), 'panel')} F_exp alone is "
        f"positive on D1 and zero on D0 with a larger probability than F_lin alone; at "
        f"{len(known) - len(ahead + behind):,} the two are equal, within {rounded_up(EQUAL)}, and "
        f"F_lin is ahead at {len(behind):,}"
    )
    if behind:
        named = sorted(behind, key=leads.__getitem__)[:MOST_NAMED]
        parts = [f"by {-leads[k]:.3f} ({_where(known[k]['linear'])})" for k in named]
        more = f", and {len(behind) - len(named)} more" if len(behind) > len(named) else ""
        text += f": {', '.join(parts)}{more}"
    text += "."
    other = [known[k]["exp"] for k in range(len(known)) if k not in {*ahead}]
    if other and not any(_meets_definition(row) for row in other):
        text += (
            f" All {len(other):,} of these lie outside the datasets' definition (a1 ≥ 0.7, in "
            f"cross-attention reconstructed as a1 ≥ 1; a0 < 0.1; b + c = 1)."
        )
    text += f" On these grids F_lin comes to {largest['p_best']:.3f} at most ({_where(largest)}"
    swept = [row["value"] for pair in known for row in pair.values() if _alike(row, largest)]
    at_end = len(swept) > 2 and largest["value"] in (min(swept), max(swept))
    text += ", an end of its sweep)." if at_end else ")."
    text += (
        f" Medians, which are a matter of the grids, are {exp_typical:.3f} and {lin_typical:.3f}."
    )
    equal = sum(pair["exp"]["model"] == REGRESSION.name for pair in known)
    if equal:
        text += (
            f" At the {counted(equal, 'point')} of softmax regression all entries of Ax but the "
            f"special one are taken as equal, which is not the panels' law."
        )
    if unknown:
        further = counted(unknown, "further point")
        text += f" At {further} float64 does not tell the best threshold."
    return [text]


def both_networks(thresholds: pa.Table) -> tuple[list[dict[str, dict]], int]:
    """The rows of F_exp and F_lin at each point where both best thresholds are known, by kernel,
    and at how many more points there are both networks."""
    pairs: dict[tuple, dict[str, dict]] = {}
    for row in thresholds.to_pylist():
        point = tuple(row[name] for name in ("panel", *SIZES))
        if row["network"] in PAPERS.kernels:
            pairs.setdefault(point, {})[row["network"]] = row
    both = [pair for pair in pairs.values() if len(pair) == len(PAPERS.kernels)]
    known = [pair for pair in both if all(row["p_best"] is not None for row in pair.values())]
    return known, len(both) - len(known)


def leads_of_exp(pairs: list[dict[str, dict]]) -> list[float]:
    """How far F_exp alone is ahead of F_lin alone, each at its own best threshold."""
    return [pair["exp"]["p_best"] - pair["linear"]["p_best"] for pair in pairs]


def own_and_best(numbers: pa.Table) -> list[tuple[dict, dict]]:
    """The panels' own threshold and the best that all networks can share, at each point where the
    best is known."""
    paper, best = (
        [row for row in numbers.to_pylist() if row["kind"] == kind] for kind in ("paper", "best")
    )
    return [(own, top) for own, top in zip(paper, best, strict=True) if top["theta"] is not None]


def theta_findings(numbers: pa.Table) -> list[str]:
    """How far the panels' threshold lies from the best that all networks can share."""
    pairs = own_and_best(numbers)
    if not pairs:
        return []
    above = [top["theta_low"] - own["theta"] for own, top in pairs]
    below = [own["theta"] - top["theta_high"] for own, top in pairs]
    higher = [gap for gap in above if gap > 0]
    lower = [gap for gap in below if gap >= 0]
    as_good = sum(row["p_exact"] >= top["p_exact"] - NEARLY for row, top in pairs)
    losses: dict[str, list[float]] = {}
    for row, top in pairs:
        losses.setdefault(row["panel"], []).append(top["p_exact"] - row["p_exact"])
    median = {panel: float(np.median(found)) for panel, found in losses.items()}
    least, most = (choose(median, key=median.get) for choose in (min, max))
    worst = max(pairs, key=lambda pair: pair[1]["p_exact"] - pair[0]["p_exact"])
    own, top = (float(np.median([pair[k]["p_exact"] for pair in pairs])) for k in (0, 1))
    text = (
        f"**One threshold for all networks.** Over {counted(len(pairs), 'point')} of "
        f"{counted(len(losses), 'panel')} of attention, the median of P(E_success) is {own:.3f} "
        f"at the panels' own threshold and {top:.3f} where each point has the best one that "
        f"its networks can share. The panels' own comes within {NEARLY:g} of it at {as_good:,} of "
        f"them; a panel's median loss is {median[least]:.3f} ({least}) to {median[most]:.3f} "
        f"({most})"
    )
    parts = []
    for gaps, side in ((higher, "above"), (lower, "below")):
        if gaps:
            parts.append(f"{side} it at {len(gaps):,} (by {np.median(gaps):.2f} √log n in median)")
    if parts:
        text += f"; the widest interval of best thresholds lies {' and '.join(parts)}"
    text += (
        f". Most is lost in {worst[0]['panel']} at {worst[0]['parameter']} = "
        f"{worst[0]['value']:g}: {worst[0]['p_exact']:.3f} instead of {worst[1]['p_exact']:.3f}."
    )
    over_m: dict[str, list[float]] = {}
    for _, top in pairs:
        if top["parameter"] == "m":
            over_m.setdefault(top["panel"], []).append(top["p_exact"])
    if over_m and all(a <= b + EQUAL for p in over_m.values() for a, b in pairwise(p)):
        text += f" At the best one P(E_success) never falls with m ({', '.join(over_m)})."
    marked = sum(row["reconstructed"] for row, _ in pairs)
    if marked:
        text += f" The panels' own threshold is reconstructed at {marked:,} of the points."
    return [text]


def _meets_definition(row: dict) -> bool:
    return meets_definition(row["model"], tuple(row[name] for name in ("a0", "a1", "b", "c")))


def _alike(row: dict, other: dict) -> bool:
    return all(row[name] == other[name] for name in ("panel", "network"))


def _where(row: dict) -> str:
    """A point of the thresholds' table: its panel, its sizes and what the panel sweeps."""
    names = dict.fromkeys(["n", "d", "m", *row["parameter"].split(",")])
    shown = [f"{name} = {row[name]:,}" for name in names if row.get(name) is not None]
    return ", ".join([row["panel"], *shown])
