"""Recall: n pairs of a key and a value pass, one key comes again; is its value given back?

    >>> from attention_separation import recall
    >>> round(recall.accuracy("linear", n=128, d=64).value, 4)
    0.7611
    >>> recall.largest_n("exp_sqrt_d", d=16, level=0.9)
    295

`accuracy` is of random keys, for kernels of the score exactly; `decay` and `window` give kernels an
order, `delta` and `least_squares` are layers that correct what they keep. `largest_n` is the number
of pairs up to which a level is reached, `simulate` calls any layer.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .asking import accuracy, largest_n, simulate
    from .layers import decay, delta, least_squares, window

MODULES = {"accuracy": "asking", "largest_n": "asking", "simulate": "asking"}
MODULES |= dict.fromkeys(("decay", "delta", "least_squares", "window"), "layers")
"""Of what is asked here, imported when it is first asked for: they need SciPy."""

__all__ = ["accuracy", "decay", "delta", "largest_n", "least_squares", "simulate", "window"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{MODULES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
