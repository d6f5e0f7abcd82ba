"""Measure a head: up to how many tokens a trained head still finds its token.

    >>> import numpy as np
    >>> from attention_separation import head
    >>> row = np.random.default_rng(0).standard_normal(1024)
    >>> row[300] += 8
    >>> head.measure(row, 300)[["share", "reach", "held_out"]].round(3).to_dict("list")
    {'share': [0.865], 'reach': [6552.483], 'held_out': [1.0]}

`measure` has a row for each query with a target, `summary` one for each head; `share` is the
target's weight at other numbers of tokens, `counting` counts its rivals; `plot` and `plot_heads`
draw. `scores_of` makes what these take of queries and keys, `induction_targets`,
`previous_targets`, `duplicate_targets` and `needle_targets` of tokens.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .making import induction_targets, scores_of
    from .measuring import counting, measure, share, summary
    from .pictures import plot, plot_heads
    from .token_targets import duplicate_targets, needle_targets, previous_targets

MODULES = dict.fromkeys(("induction_targets", "scores_of"), "making")
MODULES |= dict.fromkeys(("counting", "measure", "share", "summary"), "measuring")
MODULES |= dict.fromkeys(("plot", "plot_heads"), "pictures")
MODULES |= dict.fromkeys(
    ("duplicate_targets", "needle_targets", "previous_targets"), "token_targets"
)
"""Of what is asked here, imported when it is first asked for: a job that runs a model depends on
none of what measures."""

__all__ = [
    "counting",
    "duplicate_targets",
    "induction_targets",
    "measure",
    "needle_targets",
    "plot",
    "plot_heads",
    "previous_targets",
    "scores_of",
    "share",
    "summary",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{MODULES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
