"""Threshold curves of any kernels, from largest scores taken state by state."""

import numpy as np
from making import model_of

from attention_separation.attention.distinct_rows import distinct_rows
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.sign_columns import (
    NARROWEST,
    TIE_TOLERANCE,
    StateScores,
    stack_networks,
)
from attention_separation.attention.threshold_curves import threshold_curves

SELF = {"a0": 0.3, "a1": 1.2, "b": 0.2, "c": 0.8}
SUCCESS = ("exp", "linear")


def largest_scores(points, dataset, kernel):
    """The largest score of a network in each state of a column, (P, 2, E, 2, K); all of them have
    the size of the largest row."""
    types = model_of(points[0]).token_types(points, dataset)
    rows = distinct_rows(types, KERNELS[kernel])
    unmarked = int(types.classes[0]) - 1
    lasts = [0.0 * rows.first] if rows.last is None else [-rows.last, rows.last]
    found = np.empty((len(points), 2, len(lasts), 2, unmarked + 1))
    for first, last, marked, pluses in np.ndindex(found.shape[1:]):
        # The querying token's own class may have any sign that an unmarked class has.
        signs = [1] * (pluses > 0) + [-1] * (pluses < unmarked) or [0]
        own = np.max([sign * (rows.own - rows.rest) for sign in signs], axis=0)
        score = (2 * first - 1) * rows.first + (2 * marked - 1) * rows.marked
        score = score + (rows.rest * (2 * pluses - unmarked) + own) + lasts[last]
        found[:, first, last, marked, pluses] = score.max(axis=1)
    sizes = rows.size.max(axis=1)[:, None, None, None, None] * np.ones_like(found)
    return StateScores(
        score=found,
        size=sizes,
        error=NARROWEST / 2 * sizes,
        tie_limit=found - TIE_TOLERANCE * sizes,
    )


def scores_of(points, names):
    """(P, N, 2, E, 2, K) of the networks with some kernels, on D0 and on D1."""
    return tuple(
        stack_networks([largest_scores(points, dataset, name) for name in names])
        for dataset in (0, 1)
    )


def curves_of(points, *names, **values):
    """Of points with equal d, where the first kernel must separate D1 from D0 and no other may."""
    m, s, n = (np.array([getattr(p, name) for p in points]) for name in ("m", "s", "n"))
    own = {"data": points[0].data, "signs": points[0].signs} | values
    return threshold_curves(*scores_of(points, names), m, s, n, **own)


def curve_of(p, *names):
    return curves_of([p], *names).curve(0)
