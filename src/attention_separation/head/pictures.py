"""Pictures of heads: a target's share against the number of tokens, and the reach of all heads."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..api.build import Given
from ..api.separating import new_axes
from .measuring import LEVEL, TRUSTED, Measurement
from .rows import LEAST_REST
from .scores import Near

SIZES = 33
"""Numbers of tokens that a curve is drawn through."""


def plot(
    scores: Any,
    target: Any,
    *,
    fixed: Sequence[int] = (),
    mask: Any = None,
    causal: bool | None = None,
    near: Near = None,
    query_at: Any = None,
    weights: bool = False,
    sinks: Any = None,
    level: float = LEVEL,
    kernel: Given = "exp",
    axes: Any = None,
) -> Any:
    """Draws the target's share against the number of tokens, medians over rows of it and of the
    ends of its 95 % interval; returns the axes. Arguments and errors as of `measure`."""
    measurement = Measurement(
        scores,
        target,
        fixed=fixed,
        mask=mask,
        causal=causal,
        near=near,
        query_at=query_at,
        weights=weights,
        sinks=sinks,
        level=level,
        kernel=kernel,
    )
    rows = measurement.measure(None)
    # Every row has room for what counts once.
    fixed_count = int(np.size(fixed))
    near_of_known = rows["near"][rows["reach"].notna()]
    if len(near_of_known) == 0:
        raise ValueError(
            f"no row has a reach to draw; allowed: rows of {LEAST_REST} far tokens, or near=0"
        )
    most_near = int(near_of_known.max())
    sizes = _sizes(rows, fixed_count + max(LEAST_REST, most_near + 2))
    medians = measurement.shares(sizes).groupby("n")[["share", "low", "high"]].median()
    axes = axes or new_axes()
    low = medians["low"].to_numpy(float)
    high = medians["high"].to_numpy(float)
    axes.fill_between(sizes, low, high, alpha=0.25, linewidth=0, label="95 %")
    axes.plot(sizes, medians["share"], label="weight of the target")
    axes.axhline(level, color="grey", linewidth=0.8)
    axes.axvline(rows["n"].median(), color="grey", linewidth=0.8, linestyle=":")
    axes.set(xscale="log", ylim=(0, 1), xlabel="tokens N", ylabel="weight of the target")
    axes.set_title(f"{_check(rows)}dotted: tokens measured")
    return axes


def _sizes(rows: pd.DataFrame, least: int) -> np.ndarray:
    """Numbers of tokens from `least` to four times what was measured, or the largest reach."""
    reaches = rows["reach"].to_numpy(float)
    finite = reaches[np.isfinite(reaches)]
    most = max(float(rows["n"].max()), float(np.max(finite, initial=0.0)))
    return np.geomspace(least, 4 * most, SIZES)


def _check(rows: pd.DataFrame) -> str:
    """What the rows say of longer contexts, before other words; nothing of other kernels."""
    if "held_out" not in rows:
        return ""
    mean = rows["held_out"].mean()
    words = "not known" if np.isnan(mean) else f"{mean:.2f}"
    return f"held out: {words}; "


def plot_heads(heads: pd.DataFrame, *, axes: Any = None) -> Any:
    """Draws the median reach of each head, layers by heads, of what `summary` gives: a cross where
    this context does not foretell a longer one, a dot where that is not known. A triangle stands
    for a reach that is no number: downwards below what counts once, upwards without an end. Returns
    the axes. ValueError if the summary has no layers or heads."""
    missing = sorted({"layer", "head"} - {*heads})
    if missing:
        raise ValueError(f"the summary has no {missing[0]}; allowed: one of layers and heads")
    table = heads.pivot(index="layer", columns="head")
    reach = table["reach"].to_numpy(float)
    held_out = table["held_out"].to_numpy(float)
    is_number = (reach > 0) & np.isfinite(reach)
    axes = axes or new_axes()
    logarithms = np.log10(np.where(is_number, np.maximum(reach, 1), np.nan))
    image = axes.imshow(logarithms, origin="lower", aspect="auto")
    marks = {
        "x": held_out < TRUSTED,
        ".": np.isnan(held_out),
        "v": reach == 0,
        "^": reach == np.inf,
    }
    for mark, is_marked in marks.items():
        layers, columns = np.nonzero(is_marked)
        # A head without a number has no colour behind its mark.
        color = "grey" if mark in "v^" else "white"
        axes.plot(columns, layers, mark, color=color)
    axes.set(xlabel="head", ylabel="layer", title="how far each head finds its token")
    label = "log10 of the reach; x: not foretold, dot: not known, v: below near ones, ^: no end"
    axes.figure.colorbar(image, label=label)
    return axes
