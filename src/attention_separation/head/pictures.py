"""Pictures of heads: a target's share against the number of tokens, and the reach of all heads."""

from typing import Any

import numpy as np
import pandas as pd

from ..api.separating import new_axes
from .measuring import LEVEL, TRUSTED, measure, share
from .rows import LEAST_REST


def plot(scores: Any, target: Any, *, level: float = LEVEL, axes: Any = None, **given: Any) -> Any:
    """Draw the target's share against the number of tokens, medians over rows of it and of the ends
    of its 95 % interval; the axes. Arguments as of `measure`, but n."""
    rows = measure(scores, target, level=level, **given)
    least = LEAST_REST + np.size(given.get("fixed", ()))
    most = max(rows["n"].max(), rows["reach"].replace(np.inf, np.nan).max())
    sizes = np.geomspace(least, 4 * most, 33)
    of_n = share(scores, target, n=sizes, level=level, **given).groupby("n")
    axes = axes or new_axes()
    low, high = of_n["low"].median(), of_n["high"].median()
    axes.fill_between(sizes, low, high, alpha=0.25, linewidth=0, label="95 %")
    axes.plot(sizes, of_n["share"].median(), label="weight of the target")
    axes.axhline(level, color="grey", linewidth=0.8)
    axes.axvline(rows["n"].median(), color="grey", linewidth=0.8, linestyle=":")
    axes.set(xscale="log", ylim=(0, 1), xlabel="tokens N", ylabel="weight of the target")
    held_out = f"held out: {rows['held_out'].mean():.2f}; " if "held_out" in rows else ""
    axes.set_title(f"{held_out}dotted: tokens measured")
    return axes


def plot_heads(heads: pd.DataFrame, *, axes: Any = None) -> Any:
    """Draw the median reach of each head, layers by heads, of what `summary` gives; a cross where
    this context does not foretell a longer one; the axes."""
    if missing := {"layer", "head"} - {*heads}:
        raise ValueError(f"the summary has no {missing.pop()}; allowed: one of layers and heads")
    table = heads.pivot(index="layer", columns="head")
    reach, trusted = table["reach"].clip(lower=1), table["held_out"] >= TRUSTED
    axes = axes or new_axes()
    drawn = axes.imshow(np.log10(reach.replace(np.inf, np.nan)), origin="lower", aspect="auto")
    axes.plot(*np.nonzero(~trusted.to_numpy())[::-1], "x", color="white")
    axes.set(xlabel="head", ylabel="layer", title="how far each head finds its token")
    axes.figure.colorbar(drawn, label="log10 of the reach in tokens; x: not foretold")
    return axes
