"""Exact probabilities for the attention models, by summing over the states of a sign column.

Given the classes that the special tokens of D0 and D1 fall in, the columns of y are independent and
alike. A column is worth two flags: whether it makes the network positive that should be so, and
whether it makes one positive that should be zero. Its state is the bits of the first, last and
marked coordinates and the number of pluses among the other classes, so the law of the flags is a
short sum, and the probability of success follows from two of its parts.
"""

import numpy as np

from ...attention.distinct_rows import Rows
from ...attention.sign_columns import (
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
    """Exact probabilities at points; those that arrays can hold are computed together."""
    found: dict[Point, Reference] = {}
    for members in batches(points):
        step = batch_size(members[0].d)
        for start in range(0, len(members), step):
            part = members[start : start + step]
            success, events = probabilities(part, model.network_rows(part))
            for point, total, each in zip(part, success.tolist(), events.tolist(), strict=True):
                found[point] = Reference(total, tuple(each), 0.0, (0.0,) * len(each), METHOD)
    return [found[point] for point in points]


def probabilities(points: list[Point], rows: list[Rows]) -> tuple[np.ndarray, np.ndarray]:
    """P(success), (P,), and of the contest's events, (P, networks), over y and special tokens.

    Parameters
    ----------
    points : P points that arrays can hold together
    rows : of each network, as `AttentionModel.network_rows` gives them
    """
    tau = np.array([point.tau for point in points])
    m = np.array([point.m for point in points])
    positive = [exceeding_states(of_network, tau) for of_network in rows]
    # The class of the special token does not matter to a network alone.
    zero = np.stack([none_of(_share(flags), m) for flags in positive], axis=1)
    events = np.column_stack([1 - zero[:, 0], zero[:, 1:]])
    if points[0].signs == "fresh":
        return events.prod(axis=1), events
    kernels = len(positive) // 2
    fires, none = positive[0], np.zeros_like(positive[0])
    on_d1 = np.logical_or.reduce(positive[1:kernels]) if kernels > 1 else none
    on_d0 = np.logical_or.reduce(positive[kernels:])
    success = _success(same_class, on_d0, on_d1, fires, m)
    classes = fires.shape[-1]
    if points[0].data == "independent" and classes > 1:
        different = _success(different_classes, on_d0, on_d1, fires, m)
        success = (success + (classes - 1) * different) / classes
    return success, events


def _success(case, on_d0: np.ndarray, on_d1: np.ndarray, fires: np.ndarray, m) -> np.ndarray:
    """No column makes a network positive that should be zero, less no column makes any so, (P,)."""
    of_d0, of_d1, weights = case(on_d0, on_d1 + 2 * fires.astype(np.uint8))
    others = of_d0 | (of_d1 & 1).astype(bool)
    some = others | (of_d1 > 1)
    return none_of(others @ weights, m) - none_of(some @ weights, m)


def _share(flags: np.ndarray) -> np.ndarray:
    """The probability of flagged states, (P, 2, E, 2, K) bool -> (P,)."""
    counted = flags.sum(axis=(1, 2, 3))
    return counted @ (binomial_half_pmf(flags.shape[-1] - 1) / np.prod(flags.shape[1:4]))
