"""The needle: what one query of attention can tell at best when tokens are noisy.

    >>> from attention_separation import needle
    >>> round(needle.limit("linear", mu=5, n=512), 4), round(needle.limit("exp", mu=5, n=512), 4)
    (0.6542, 0.9275)

`limit` is the best accuracy of a kernel, `critical_n` the n at which it is .75. `sink` is the logit
of the attention sink that is right at n, `sink_limit` the accuracy of one that is right at another.
"""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .attention_sink import sink as sink
    from .attention_sink import sink_limit as sink_limit
    from .kernel_limits import critical_n as critical_n
    from .kernel_limits import limit as limit

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "limit": "kernel_limits",
        "critical_n": "kernel_limits",
        "sink": "attention_sink",
        "sink_limit": "attention_sink",
    },
)
