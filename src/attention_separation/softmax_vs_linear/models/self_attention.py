"""Self-attention as a model: its parameters, and what the paper asks of them."""

from typing import Literal

from pydantic import Field

from attention_separation.datasets.self_attention import SELF_ATTENTION as DATASET

from .model import AttentionModel, AttentionParameters, Positive, Theta


class SelfAttentionParameters(AttentionParameters):
    """Parameters of self-attention, Definition D.1."""

    b: Positive | None = Field(default=None, description="size of the class entries")
    c: Positive | None = Field(default=None, description="size of the last column")
    theta: Theta | None = Field(
        default=None, description="threshold over sqrt(log n): a number, or 'c + NUMBER'"
    )
    attention_x: Literal["identity", "ones"] | None = Field(default=None, description="X = Q K^T")


SELF_ATTENTION = AttentionModel.on(
    DATASET,
    title="Self-attention",
    parameters=SelfAttentionParameters,
    least_a1=0.7,
    range_words="a₀ < 0.1, a₁ ≥ 0.7, b + c = 1",
)
