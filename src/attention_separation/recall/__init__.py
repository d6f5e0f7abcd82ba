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

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .asking import accuracy as accuracy
    from .asking import largest_n as largest_n
    from .asking import simulate as simulate
    from .layers import decay as decay
    from .layers import delta as delta
    from .layers import least_squares as least_squares
    from .layers import window as window

ASKING = ("accuracy", "largest_n", "simulate")
LAYERS = ("decay", "delta", "least_squares", "window")

__getattr__, __dir__, __all__ = lazy_names(
    __name__, {**dict.fromkeys(ASKING, "asking"), **dict.fromkeys(LAYERS, "layers")}
)
