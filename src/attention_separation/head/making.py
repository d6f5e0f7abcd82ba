"""What `measure` takes, made of queries and keys and of tokens."""

from typing import Any

import numpy as np

from .arrays import WHOLE, as_array


class InductionTargets(np.ndarray):
    """Targets of `induction_targets`. That they are such says that the model is causal, for only
    earlier keys are among them; slices and new axes keep it."""


def scores_of(q: Any, k: Any, scale: float | None = None, causal: bool = False) -> np.ndarray:
    """Scores of queries and keys after rotary embedding and norms.

    Parameters
    ----------
    q : (..., H, queries, d)
    k : (..., G, keys, d); each of G key heads serves H/G query heads that follow each other
    scale : of the products; 1/sqrt(d) if not given
    causal : whether later keys are masked; the last query sees all keys

    Returns
    -------
    (..., H, queries, keys)

    Raises
    ------
    ValueError
        If the shapes do not belong together.
    """
    # Whole numbers become real ones.
    queries = np.true_divide(as_array("q", q), 1)
    keys = np.true_divide(as_array("k", k), 1)
    groups = keys.shape[-3] if keys.ndim > 2 else 0
    are_heads = queries.ndim > 2 and groups > 0 and queries.shape[-3] % groups == 0
    if (
        not are_heads
        or queries.shape[-1] != keys.shape[-1]
        or queries.shape[:-3] != keys.shape[:-3]
        or queries.shape[-1] == 0
    ):
        raise ValueError(
            f"q and k have shapes {queries.shape} and {keys.shape}; allowed: (..., H, queries, d) "
            "and (..., G, keys, d), G dividing H"
        )
    keys = np.repeat(keys, queries.shape[-3] // groups, axis=-3)
    factor = queries.shape[-1] ** -0.5 if scale is None else scale
    scores: np.ndarray = queries @ keys.swapaxes(-1, -2) * queries.dtype.type(factor)
    if causal:
        number_of_queries, number_of_keys = scores.shape[-2:]
        last_of_first = number_of_keys - number_of_queries
        is_later = ~np.tri(number_of_queries, number_of_keys, last_of_first, dtype=bool)
        scores[..., is_later] = -np.inf
    return scores


def induction_targets(tokens: Any) -> InductionTargets:
    """The key after the last earlier token that equals the query's, -1 for none, (..., n), of
    whole numbers (..., n). `measure` takes them to say that the model is causal."""
    array = np.atleast_1d(as_array("tokens", tokens, WHOLE))
    targets = np.full(array.shape, -1)
    for place in np.ndindex(*array.shape[:-1]):
        key_after: dict[int, int] = {}
        for query, token in enumerate(array[place].tolist()):
            targets[(*place, query)] = key_after.get(token, -1)
            key_after[token] = query + 1
    return targets.view(InductionTargets)
