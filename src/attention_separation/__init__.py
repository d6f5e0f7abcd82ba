"""Which attention tells one token among n? Exact answers for any attention kernel.

    >>> from attention_separation import separate
    >>> round(separate("exp", n=2000).probability, 3)
    0.987

`separate`, `compare`, `largest_n`, `spans`, `holes`, `separates_from`, `critical_temperature`,
`least_degree`, `least_weight`, `success` and `simulate` ask; `kernels` lists what is built in;
`scores`, `features`, `pair` and `rows` make kernels of one's own, and `at_temperature` divides any
kernel's scores; `needle` says what one query can tell at best where tokens are noisy; `recall`
how many pairs of a key and a value a layer holds.
"""

from typing import TYPE_CHECKING

from .lazy_names import lazy_names

if TYPE_CHECKING:
    from attention_separation import needle as needle
    from attention_separation import recall as recall
    from attention_separation.api import *  # noqa: F403

__version__ = "1.0.0"

API = (
    "Kernel", "Separation", "Simulation", "Success", "UnknownKernelError", "at_temperature",
    "compare", "critical_temperature", "features", "holes", "kernel_of", "kernels", "largest_n",
    "least_degree", "least_weight", "pair", "plot", "rows", "scores", "separate",
    "separates_from", "simulate", "spans", "success",
)  # fmt: skip

__getattr__, __dir__, __all__ = lazy_names(
    __name__, {**dict.fromkeys(API, "api"), "needle": "", "recall": ""}
)
