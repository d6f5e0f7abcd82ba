"""The law of a network's largest score, and the attention row of the special token, in numbers."""

from dataclasses import dataclass

import numpy as np

from attention_separation.api.comparing import Given
from attention_separation.api.given import kernel_of
from attention_separation.attention.distinct_rows import OWN, REST, SAME, SPECIAL
from attention_separation.attention.sign_columns import TIE_TOLERANCE, heads, none_of
from attention_separation.datasets import DATASETS
from attention_separation.datasets.dataset import Tokens

from .setting import Setting
from .sweeps import scored_at


@dataclass(frozen=True)
class ScoreLaw:
    """The law of the largest score over all tokens and sign columns, in units of sqrt(log n).

    Attributes
    ----------
    values : (A,) in order
    chances : (A,) of each
    """

    values: np.ndarray
    chances: np.ndarray

    def above(self, theta: float) -> float:
        """P(the largest score is above a threshold); one that ties it is not above."""
        return float(self.chances[self.values > theta + TIE_TOLERANCE].sum())

    def quantile(self, share: float) -> float:
        """The least value that is not exceeded with at least this probability."""
        reached = np.searchsorted(np.cumsum(self.chances), share * (1 - 1e-12))
        return float(self.values[min(reached, len(self.values) - 1)])


def score_laws(kernel: Given, setting: Setting) -> tuple[ScoreLaw, ScoreLaw]:
    """The laws on D0 and on D1; it raises what `separate` raises for weights."""
    scored = scored_at(kernel_of(kernel), [setting])
    return tuple(_law(each[0], int(scored.m[0]), scored.s[0]) for each in (scored.d0, scored.d1))


def _law(states: np.ndarray, m: int, s: float) -> ScoreLaw:
    """Of the largest of m columns, from what the states (2, E, 2, K) of one are worth."""
    weights = heads(states.shape[-1] - 1) / np.prod(states.shape[:-1])
    order = np.argsort(states, axis=None, kind="stable")
    values = states.ravel()[order] / s
    above = np.cumsum(np.broadcast_to(weights, states.shape).ravel()[order][::-1])[::-1]
    # P(no column is at this value or above it), and at the end 1.
    below = np.append(none_of(above, m), 1.0)
    return ScoreLaw(values, np.diff(below))


@dataclass(frozen=True)
class SpecialRow:
    """The special token's row on one dataset: by group of keys what all of it weighs.

    Attributes
    ----------
    special, same_class, other_classes : weights, added up; they sum to 1 where rows are divided
    each_other : weight on one token of another class
    tokens : how many tokens there are in the two further groups
    """

    special: float
    same_class: float
    other_classes: float
    each_other: float
    tokens: tuple[int, int]

    @property
    def loudness(self) -> float:
        """How many times as much as one token of another class the special token weighs; inf or
        NaN where that weighs nothing."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.divide(self.special, self.each_other))


def special_rows(kernel: Given, setting: Setting) -> tuple[SpecialRow, SpecialRow]:
    """The row on D0 and on D1; it raises what `separate` raises for weights."""
    scored, data, layer = scored_at(kernel_of(kernel), [setting]), setting.data, setting.layer
    point = Tokens(
        setting.n, layer.d(data.classes), data.a0, data.a1, data.b, data.c, layer.attention_x
    )
    counts = DATASETS[setting.model].token_types([point], 1).multiplicities[0]
    found = []
    for rows in scored.rows:
        weights = rows.weights[0, 0]
        # Of further classes the special token's query knows none: with one alone it is OWN.
        other = weights[REST] if counts[REST] else weights[OWN]
        found.append(
            SpecialRow(
                float(weights[SPECIAL]),
                float(weights[SAME] * counts[SAME]),
                float(weights[OWN] * counts[OWN] + weights[REST] * counts[REST]),
                float(other),
                (int(counts[SAME]), int(counts[OWN] + counts[REST])),
            )
        )
    return tuple(found)
