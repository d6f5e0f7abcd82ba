"""How numbers with intervals are said."""

from attention_separation.statistics.means import Mean

LEVEL = 0.05
"""Of intervals of single means. Those of differences have the level of the claims on them."""


def with_interval(mean: Mean) -> str:
    """A mean and its interval in words."""
    return f"{mean.value:.3f} ({mean.low:.3f} to {mean.high:.3f})"
