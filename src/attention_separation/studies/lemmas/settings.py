"""The section `lemmas` of the configuration: where the paper's claims are evaluated."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from ...settings.strict_model import MAX_VALUES, Count, Integer, ScaleName, Some, StrictModel
from ..softmax_vs_linear.models import MODELS
from ..softmax_vs_linear.models.model import (
    ABSENT,
    Amplitude,
    AttentionModel,
    Dimension,
    MRule,
    Positive,
    Probability,
)

Tokens = Annotated[Integer, Field(ge=10, le=10**9)]
Most = Annotated[Count, Field(le=MAX_VALUES)]


class AttentionSize(StrictModel):
    """Tokens and embedding dimension."""

    n: Tokens = Field(description="number of tokens")
    d: Dimension = Field(description="embedding dimension")


class ClaimSizes(StrictModel):
    """The sizes at which the claims on each model are evaluated."""

    regression: Some[Tokens] = Field(description="values of n")
    self_attention: Some[AttentionSize] = Field(description="n and d")
    cross_attention: Some[AttentionSize] = Field(description="n and d")

    @model_validator(mode="after")
    def _stacks(self) -> Self:
        """Raise ValueError unless every size is one of its model's, with two classes of two
        tokens."""
        for name in type(self).model_fields:
            model = MODELS[name]
            for n, d in self.of(name):
                model.check(n, d)
                if isinstance(model, AttentionModel):
                    _check_two_classes(model, n, d)
        return self

    def at_most(self, count: int | None) -> "ClaimSizes":
        """The first `count` sizes of each model; all of them if it is None."""
        first_sizes = {name: getattr(self, name)[:count] for name in type(self).model_fields}
        return self.model_copy(update=first_sizes)

    def of(self, model: str) -> list[tuple[int, int]]:
        """The sizes of a model, each as n and d; d is ABSENT in the regression model."""
        if model == "regression":
            return [(n, ABSENT) for n in self.regression]
        return [(size.n, size.d) for size in getattr(self, model)]


def _check_two_classes(model: AttentionModel, n: int, d: int) -> None:
    """Raise ValueError unless there are two classes, and two tokens in each."""
    classes = model.classes(d)
    claims = "and the claims are on two or more; allowed"
    if classes < 2:
        least = model.other_columns + 2
        raise ValueError(f"d={d}: one class of tokens, {claims}: d >= {least}")
    if n < 2 * classes:
        raise ValueError(f"n={n}, d={d}: one token in a class, {claims}: n >= {2 * classes}")


class ClaimColumns(StrictModel):
    """How many sign columns the experiments on each kind of model have."""

    regression: MRule = Field(description="rule for m of softmax regression")
    attention: MRule = Field(description="rule for m of self- and cross-attention")


class ClaimsJob(StrictModel):
    """The parameters and sizes at which the claims are evaluated."""

    delta: Probability = Field(description="probability of failure, times n")
    a0: Amplitude = Field(description="size of the special entry in D0")
    a1: Amplitude = Field(description="size of the special entry in D1")
    b: Positive = Field(description="size of the class entries")
    c: Positive = Field(description="size of the last column")
    m: ClaimColumns = Field(description="sign columns of the experiments")
    theta: Positive = Field(default=0.9, description="tau / sqrt(log n) of cross-attention")
    tau: Positive = Field(default=0.25, description="threshold of the regression model")
    sizes: ClaimSizes = Field(description="sizes at which claims are evaluated")
    most: Most | None = Field(
        default=None, description="at most so many claims, evenly spread over the list; null is all"
    )


class LemmasScale(StrictModel):
    """What is smaller at a scale of the first paper, in whose folder the results lie."""

    sizes: Most | None = Field(default=None, description="at most so many sizes of each model")
    claims: Most | None = Field(
        default=None, description="at most so many claims, evenly spread over the list"
    )


class LemmasSection(ClaimsJob):
    """The first paper's lemmas and theorems: with which parameters, and at which sizes."""

    scales: dict[ScaleName, LemmasScale] = Field(
        default={}, description="what is smaller at which of the first paper's scales"
    )

    def job(self, scale: str) -> ClaimsJob:
        """The settings of the job that evaluates the claims at a scale, with no more sizes of each
        model, and no more claims, than the scale says."""
        settings = {name: getattr(self, name) for name in ClaimsJob.model_fields}
        smaller = self.scales.get(scale, LemmasScale())
        settings["sizes"] = self.sizes.at_most(smaller.sizes)
        if smaller.claims is not None:
            settings["most"] = min(smaller.claims, self.most or smaller.claims)
        return ClaimsJob(**settings)
