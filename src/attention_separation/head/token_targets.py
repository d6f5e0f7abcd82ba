"""Targets as functions of tokens, beside induction: what other kinds of heads are said to find.

All are earlier keys, so `measure` takes them to say that the model is causal, as it does of
`induction_targets`. -1 stands where a query has no target.
"""

from typing import Any

import numpy as np

from .arrays import WHOLE, as_array
from .making import InductionTargets


def previous_targets(tokens: Any) -> InductionTargets:
    """Returns the key before each query, (..., n), of whole numbers (..., n): what a previous-token
    head finds. ValueError if tokens are no whole numbers."""
    array = np.atleast_1d(as_array("tokens", tokens, WHOLE))
    before = np.arange(array.shape[-1]) - 1
    return np.broadcast_to(before, array.shape).copy().view(InductionTargets)


def duplicate_targets(tokens: Any) -> InductionTargets:
    """Returns the last earlier key whose token equals the query's, (..., n), of whole numbers
    (..., n): what a duplicate-token head finds. ValueError if tokens are no whole numbers."""
    array = np.atleast_1d(as_array("tokens", tokens, WHOLE))
    targets = np.full(array.shape, -1)
    for place in np.ndindex(*array.shape[:-1]):
        last_key: dict[int, int] = {}
        for query, token in enumerate(array[place].tolist()):
            targets[(*place, query)] = last_key.get(token, -1)
            last_key[token] = query
    return targets.view(InductionTargets)


def needle_targets(tokens: Any, needle: Any) -> InductionTargets:
    """Returns what a retrieval head finds, (..., n), of tokens (..., n) with a needle in them.

    A *needle* is a sentence put somewhere in a text and repeated at its end. Of each query of the
    last occurrence, but its last, the target is the key in the first occurrence that has the token
    to be said next.

    Parameters
    ----------
    tokens : whole numbers, (..., n)
    needle : its tokens, (length,), at least two

    Raises
    ------
    ValueError
        If they are no whole numbers, or a sequence has not two occurrences that are apart.
    """
    array = np.atleast_1d(as_array("tokens", tokens, WHOLE))
    sentence = as_array("needle", needle, WHOLE)
    if sentence.ndim != 1 or len(sentence) < 2:
        raise ValueError(f"needle has shape {sentence.shape}; allowed: (length,), 2 or more")
    length = len(sentence)
    targets = np.full(array.shape, -1)
    for place in np.ndindex(*array.shape[:-1]):
        starts = _starts(array[place], sentence)
        if len(starts) < 2 or starts[-1] - starts[0] < length:
            raise ValueError(
                f"tokens{list(place) or ''} have the needle at {starts.tolist()}; allowed: in the "
                "text, and again behind it"
            )
        said = np.arange(length - 1)
        targets[(*place, starts[-1] + said)] = starts[0] + said + 1
    return targets.view(InductionTargets)


def _starts(tokens: np.ndarray, sentence: np.ndarray) -> np.ndarray:
    """Where a sentence begins in tokens (n,)."""
    if len(tokens) < len(sentence):
        return np.zeros(0, int)
    windows = np.lib.stride_tricks.sliding_window_view(tokens, len(sentence))
    return np.flatnonzero((windows == sentence).all(axis=1))
