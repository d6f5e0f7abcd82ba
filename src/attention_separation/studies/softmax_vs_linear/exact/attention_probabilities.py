"""Exact probabilities for the attention models, by summing over the states of a sign column.

Given the classes that the special tokens of D0 and D1 fall in, the columns of y are independent and
alike. A column is worth two flags: whether it makes the network positive that should be so, and
whether it makes one positive that should be zero. Its state is the bits of the first, last and
marked coordinates and the number of pluses among the other classes, so the law of the flags is a
short sum, and the probability of success follows from two of its parts.
"""

from collections.abc import Callable

import numpy as np

from ....attention.distinct_rows import Rows
from ....attention.sign_columns import (
    States,
    binomial_half_pmf,
    different_classes,
    exceeding_states,
    none_of,
    same_class,
)
from ..models.model import AttentionModel, Point, batch_size, batches
from ..models.panel_tables import Reference

METHOD = "sum over the states of a sign column"


def references(model: AttentionModel, points: list[Point]) -> list[Reference]:
    """The exact probabilities at each point, in order; points that arrays can hold together are
    computed together."""
    by_point: dict[Point, Reference] = {}
    for batch in batches(points):
        step = batch_size(batch[0].d)
        for start in range(0, len(batch), step):
            part = batch[start : start + step]
            success, events = probabilities(part, model.network_rows(part))
            exact = (0.0,) * events.shape[1]
            for k, point in enumerate(part):
                p_events = tuple(events[k].tolist())
                by_point[point] = Reference(float(success[k]), p_events, 0.0, exact, METHOD)
    return [by_point[point] for point in points]


def probabilities(points: list[Point], rows: list[Rows]) -> tuple[np.ndarray, np.ndarray]:
    """The probability of success, (P,), and of each of the contest's events, (P, networks), over
    the random signs y and the special tokens.

    Parameters
    ----------
    points : P points that arrays can hold together
    rows : of each network, as `AttentionModel.network_rows` gives them
    """
    tau = np.array([point.tau for point in points])
    m = np.array([point.m for point in points])
    positive = [exceeding_states(network, tau) for network in rows]
    # The class of the special token does not matter to a network alone.
    zero = np.stack([none_of(_flagged_probability(states), m) for states in positive], axis=1)
    events = np.column_stack([1 - zero[:, 0], zero[:, 1:]])
    if points[0].signs == "fresh":
        return events.prod(axis=1), events
    kernels = len(positive) // 2
    fires = positive[0]
    others_on_d1 = np.zeros_like(fires)
    for states in positive[1:kernels]:
        others_on_d1 |= states
    others_on_d0 = np.logical_or.reduce(positive[kernels:])
    success = _success(same_class, fires, others_on_d1, others_on_d0, m)
    classes = fires.shape[-1]
    if points[0].data == "independent" and classes > 1:
        different = _success(different_classes, fires, others_on_d1, others_on_d0, m)
        success = (success + (classes - 1) * different) / classes
    return success, events


def _success(
    states_of: Callable[[np.ndarray, np.ndarray], States],
    fires: np.ndarray,
    others_on_d1: np.ndarray,
    others_on_d0: np.ndarray,
    m: np.ndarray,
) -> np.ndarray:
    """P(success), (P,), where the special tokens of D0 and D1 have the same class, or different
    ones.

    It is the probability that no column makes a network positive that should be zero, less the
    probability that none makes any network positive.

    Parameters
    ----------
    states_of : `same_class` or `different_classes`, from flags on D0 and on D1 to states of a
        column
    fires : which states make the network positive that should be so
    others_on_d1, others_on_d0 : which states make one positive that should be zero
    m : (P,), numbers of columns
    """
    # Of D1 two flags, as bits.
    flags = others_on_d1 + 2 * fires.astype(np.uint8)
    is_other_on_d0, flags_on_d1, weights = states_of(others_on_d0, flags)
    is_other = is_other_on_d0 | (flags_on_d1 & 1).astype(bool)
    is_any = is_other | (flags_on_d1 > 1)
    return none_of(is_other @ weights, m) - none_of(is_any @ weights, m)


def _flagged_probability(states: np.ndarray) -> np.ndarray:
    """The probability, (P,), that a column's state is one of those that are flagged,
    (P, 2, E, 2, K) bool."""
    by_pluses = states.sum(axis=(1, 2, 3))
    bits = np.prod(states.shape[1:4])
    return by_pluses @ (binomial_half_pmf(states.shape[-1] - 1) / bits)
