"""Self- and cross-attention as models: parameters, what the paper asks of them, other readings."""

from dataclasses import replace
from functools import partial
from typing import Literal

from pydantic import Field

from ....datasets import cross_attention, self_attention
from ....datasets.cross_attention import Entries, Reading
from .model import AttentionModel, AttentionParameters, AttentionX, Positive, Theta


class SelfAttentionParameters(AttentionParameters):
    """Parameters of self-attention, Definition D.1."""

    b: Positive | None = Field(default=None, description="size of the class entries")
    c: Positive | None = Field(default=None, description="size of the last column")
    theta: Theta | None = Field(
        default=None, description="threshold over sqrt(log n): a number, or 'c + NUMBER'"
    )
    attention_x: AttentionX | None = Field(default=None, description="X = Q K^T")


SELF_ATTENTION_MODEL = AttentionModel.on(
    self_attention.SELF_ATTENTION,
    title="Self-attention",
    parameters=SelfAttentionParameters,
    least_a1=0.7,
    range_words="a₀ < 0.1, a₁ ≥ 0.7, b + c = 1",
)


class CrossAttentionParameters(AttentionParameters):
    """Parameters of cross-attention, Definition F.1."""

    theta: Positive | None = Field(default=None, description="threshold over sqrt(log n)")
    attention_x: Literal["identity"] | None = Field(default=None, description="X = Q K^T")


CROSS_ATTENTION_MODEL = AttentionModel.on(
    cross_attention.CROSS_ATTENTION,
    title="Cross-attention",
    parameters=CrossAttentionParameters,
    least_a1=1.0,
    range_words="a₀ < 0.1, a₁ ≥ 1 (reconstructed)",
)


MODELS_OF_ATTENTION = (SELF_ATTENTION_MODEL, CROSS_ATTENTION_MODEL)
"""Those that configurations can name, in the order in which all lists have them."""


def read_otherwise(reading: Reading) -> AttentionModel:
    """The model of cross-attention with another reading of its datasets."""
    return replace(
        CROSS_ATTENTION_MODEL,
        types=partial(cross_attention.token_types, reading),
        literal=partial(cross_attention.literal, reading),
    )


IN_A1_ALONE = read_otherwise(lambda a, s: Entries(a * s * s, s * s, 1.0, 1.0))
"""All factors sqrt(log n) in A1, and A2 of zeros and ones: c is smaller by 1/s."""

IN_BOTH = read_otherwise(lambda a, s: Entries(a * s, s, a * s, s))
"""a in A1 and in A2: the special score has a^2, and the special token's value has a."""


def with_common_score(v: float) -> AttentionModel:
    """The model of cross-attention whose ordinary scores are v log n: the other columns of A1 hold
    v s."""
    return read_otherwise(lambda a, s: Entries(a * s, v * s, s, s))
