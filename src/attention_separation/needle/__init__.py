"""The needle: what one query of attention can tell at best when tokens are noisy.

    >>> from attention_separation import needle
    >>> round(needle.limit("linear", mu=5, n=512), 4), round(needle.limit("exp", mu=5, n=512), 4)
    (0.6542, 0.9275)

`limit` is the best accuracy of a kernel, `critical_n` the n at which it is .75. `sink` is the logit
of the attention sink that is right at n, `sink_limit` the accuracy of one that is right at another.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .kernel_limits import critical_n, limit
    from .sink import sink, sink_limit

MODULES = {
    "limit": "kernel_limits",
    "critical_n": "kernel_limits",
    "sink": "sink",
    "sink_limit": "sink",
}
"""Of what is asked here, imported when it is first asked for: they need SciPy."""

__all__ = ["critical_n", "limit", "sink", "sink_limit"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.exact.{MODULES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
