"""Rows of scores of one head, and what follows from their softmax weights.

Of a row: s_t is the target's score, weights w_j = e^(s_j - s_t) are over the target's. A is their
sum over *fixed* tokens, those that are there once however long the context is. The *rest* are the m
other tokens. *Near* ones, of the rest those nearest to the query, are there once too; S is the sum
of their weights. Of the *far* ones, all others of the rest, there will be more; wbar is the mean of
their weights. Without near tokens the whole rest is far.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import softmax

from .tokens_in_order import TokensInOrder

LEAST_REST = 8
"""Rest tokens below which a row has no columns, and far ones below which it foretells nothing."""


@dataclass(frozen=True)
class Order:
    """How the keys of R rows stand to their queries.

    Attributes
    ----------
    positions : which key each query is itself, (R,)
    near : how many of the rest are near; None for half of it, the rest of a half left out
    is_causal : whether keys are in order and queries see earlier ones alone
    is_whole : (R,) whether nothing comes in as the context grows, for a window hides what is far
    """

    positions: np.ndarray
    near: int | None
    is_causal: bool
    is_whole: np.ndarray

    @property
    def is_known(self) -> bool:
        """Whether the distance from the query orders the keys."""
        return self.is_causal or self.near != 0

    def near_counts(self, m: np.ndarray) -> np.ndarray:
        """How many are near, of m of the rest, (R,)."""
        if self.near is None:
            return m // 2
        return np.full(len(m), self.near)

    def __getitem__(self, chosen: np.ndarray) -> "Order":
        """Of some rows."""
        return Order(self.positions[chosen], self.near, self.is_causal, self.is_whole[chosen])


class Rows:
    """R queries, each with its scores of K keys and the key that it should find.

    Attributes
    ----------
    labels : layer, sequence, head of those there are, query and target, (R,) each
    scores : (R, K + 1) in float64, as softmax gets them, -inf where masked, or of weight 0; the
        last column is of a sink that is no token, fixed too, -inf where there is none
    order : how the keys stand to the queries
    is_seen, is_target, is_rest, is_far : (R, K + 1) whether a token is seen, the target, of the
        rest, far
    n, m, m_far : numbers of tokens that are seen, of the rest, far, (R,) each
    k : how many are there once: the target, fixed and near tokens, (R,)
    near : how many are near, (R,)
    weights : that softmax gives, (R, K + 1)
    target_score : s_t, (R,)
    """

    def __init__(
        self,
        labels: dict[str, np.ndarray],
        scores: np.ndarray,
        is_seen: np.ndarray,
        is_fixed: np.ndarray,
        order: Order,
    ) -> None:
        self.labels = labels
        self.scores = scores
        self.order = order
        self.is_seen = is_seen
        self.is_target = np.arange(scores.shape[1]) == labels["target"][:, None]
        self.is_rest = is_seen & ~is_fixed & ~self.is_target
        self.n = is_seen.sum(axis=1)
        self.m = self.is_rest.sum(axis=1)
        self.near = order.near_counts(self.m)
        self.m_far = np.maximum(self.m - self.near, 0)
        self.k = self.n - self.m + self.near
        self.weights = softmax(scores, axis=1)
        self.target_score = scores[self.is_target]

    def __len__(self) -> int:
        return len(self.scores)

    @cached_property
    def share(self) -> np.ndarray:
        """The target's weight, (R,)."""
        return self.weights[self.is_target]

    @cached_property
    def sink_share(self) -> np.ndarray:
        """The weight of fixed tokens and of a sink that is no token, (R,)."""
        return np.where(self.is_rest | self.is_target, 0.0, self.weights).sum(axis=1)

    @cached_property
    def once_weight(self) -> np.ndarray:
        """A + S, the weight of what is there once beside the target, (R,): inf where the target has
        weight 0 and such a token has not."""
        is_once = (self.scores > -np.inf) & ~self.is_far & ~self.is_target
        with np.errstate(over="ignore"):
            weights = np.exp(np.where(is_once, self.above_target, -np.inf))
        return weights.sum(axis=1)

    @cached_property
    def far_mean(self) -> np.ndarray:
        """wbar, (R,): inf where the target has weight 0 and far tokens have not; NaN where there is
        no far one."""
        far = self.far
        with np.errstate(over="ignore", invalid="ignore"):
            mean = far.mean * np.exp(far.loudest - self.target_score)
        return np.where(far.loudest > -np.inf, mean, far.mean)

    @cached_property
    def above_target(self) -> np.ndarray:
        """s_j - s_t, (R, K + 1), -inf for a weight of 0, inf for others where the target has 0."""
        with np.errstate(invalid="ignore", over="ignore"):
            above = self.scores - self.target_score[:, None]
        return np.where(self.scores > -np.inf, above, -np.inf)

    @cached_property
    def rest_by_key(self) -> TokensInOrder:
        """The rest in the order of keys."""
        return TokensInOrder(self.scores[self.is_rest], self.m)

    @cached_property
    def rest_by_distance(self) -> TokensInOrder:
        """The rest, the nearest to the query first; of two as near the earlier one."""
        scores = self.scores[self._rows_of_rest, self._keys_by_distance]
        return TokensInOrder(scores, self.m)

    @cached_property
    def far(self) -> TokensInOrder:
        """The far tokens: the nearest first if some of the rest are near, else in the order of
        keys."""
        if self.order.near == 0:
            return self.rest_by_key
        return self.rest_by_distance.part(np.minimum(self.near, self.m), self.m)

    @cached_property
    def is_far(self) -> np.ndarray:
        if self.order.near == 0:
            return self.is_rest
        # The near ones are the first of each row.
        is_far_of_rest = self.rest_by_distance.rank >= np.repeat(self.near, self.m)
        far_rows = self._rows_of_rest[is_far_of_rest]
        far_keys = self._keys_by_distance[is_far_of_rest]
        is_far = np.zeros(self.scores.shape, bool)
        is_far[far_rows, far_keys] = True
        return is_far

    @cached_property
    def _rows_of_rest(self) -> np.ndarray:
        """The row of each token of the rest, (M,), row after row."""
        return np.repeat(np.arange(len(self)), self.m)

    @cached_property
    def _keys_by_distance(self) -> np.ndarray:
        """The key of each token of the rest, (M,), row after row, in each the nearest to the query
        first; of two as near the earlier one."""
        keys = np.arange(self.scores.shape[1])
        positions = self.order.positions[:, None]
        if not (self.is_rest & (keys > positions)).any():
            # Without later keys the last one is the nearest: each row is read from its end.
            _, keys_from_end = np.nonzero(self.is_rest[:, ::-1])
            return keys[-1] - keys_from_end
        keys_by_distance = np.argsort(np.abs(keys - positions), axis=1, kind="stable")
        is_rest = np.take_along_axis(self.is_rest, keys_by_distance, axis=1)
        return keys_by_distance[is_rest]
