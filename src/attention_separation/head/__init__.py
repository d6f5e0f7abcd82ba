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

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .measuring import counting, measure, share, summary
    from .pictures import plot, plot_heads
    from .scores import induction_targets, scores_of

MODULES = {
    "measuring": ("counting", "measure", "share", "summary"),
    "pictures": ("plot", "plot_heads"),
    "scores": ("induction_targets", "scores_of"),
}
"""What each module has, imported when it is first asked for."""

__all__ = [
    "counting", "induction_targets", "measure", "plot", "plot_heads", "scores_of", "share",
    "summary",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    for module, names in MODULES.items():
        if name in names:
            return getattr(importlib.import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
