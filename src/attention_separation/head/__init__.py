"""Measure a head: up to how many tokens a trained head still finds its token.

    >>> import numpy as np
    >>> from attention_separation import head
    >>> row = np.random.default_rng(0).standard_normal(1024)
    >>> row[300] += 8
    >>> head.measure(row, 300)[["share", "reach", "held_out"]].round(3).to_dict("list")
    {'share': [0.865], 'reach': [6552.483], 'held_out': [1.0]}

`measure` has a row for each query with a target, `summary` one for each head; `share` is the
target's weight at other numbers of tokens, `counting` counts its rivals; `plot` and `plot_heads`
draw. `scores_of` and `induction_targets` make what these take.
"""

from .making import induction_targets, scores_of
from .measuring import counting, measure, share, summary
from .pictures import plot, plot_heads

__all__ = [
    "counting",
    "induction_targets",
    "measure",
    "plot",
    "plot_heads",
    "scores_of",
    "share",
    "summary",
]
