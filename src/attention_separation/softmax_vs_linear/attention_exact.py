"""Exact probabilities for the attention models, by summing over the states of a sign column.

Given the classes that the special tokens of D0 and D1 fall in, the columns of y are independent and
alike. A column is worth to the four networks what four flags say: which of them it makes positive.
Its state is the bits of the first, last and marked coordinates and the number of pluses among the
other classes, so the law of the flags is a short sum, and E_success follows from two of its parts.
"""

from collections.abc import Callable

import numpy as np

from attention_separation.attention.kernels import KERNELS, Kernel
from attention_separation.attention.rows import distinct_rows
from attention_separation.attention.token_types import TokenTypes
from attention_separation.softmax_vs_linear.attention import KERNELS as SCORE_KERNELS
from attention_separation.softmax_vs_linear.attention import Kernel as ScoreKernel
from attention_separation.softmax_vs_linear.distinct import DistinctRows, together
from attention_separation.softmax_vs_linear.fair_coins import heads
from attention_separation.softmax_vs_linear.point import Point
from attention_separation.softmax_vs_linear.reference import EXACT_EVENTS, Reference
from attention_separation.softmax_vs_linear.success import NETWORKS, exceeds

MOST_NUMBERS = 1_000_000
"""States times rows worked on at once."""

MOST_ROWS = 3
"""Of a network."""

KERNEL_NAMES = {"exp": "exp", "lin": "linear"}
"""The kernels of F_exp and F_lin, in the list of all."""

NEARLY_ONE = np.nextafter(1.0, 0.0)

PATTERNS = 1 << len(NETWORKS)
HAS_FLAG = (np.arange(PATTERNS)[:, None] >> np.arange(len(NETWORKS)) & 1).astype(bool)
"""(patterns, 4): which networks a pattern of flags makes positive."""


States = tuple[np.ndarray, np.ndarray, np.ndarray]
"""What each of S states of a column is worth to D0 and D1, (..., S), and its probability, (S,)."""

METHOD = "sum over the states of a sign column"


Networks = Callable[[list[Point]], list[DistinctRows]]
"""The distinct rows of each of NETWORKS, of points with equal d and X together."""


def from_token_types(token_types: Callable[[list[Point], int], TokenTypes]) -> Networks:
    """The networks of a model, from the token types of its datasets."""

    def networks(points: list[Point]) -> list[DistinctRows]:
        types = [token_types(points, dataset) for dataset in (0, 1)]
        kernels = {name: KERNELS[KERNEL_NAMES[name]] for name, _ in NETWORKS}
        return [_rows(types[dataset], kernels[name]) for name, dataset in NETWORKS]

    return networks


def _rows(types: TokenTypes, kernel: Kernel) -> DistinctRows:
    rows = distinct_rows(types, kernel)
    last = None if rows.last is None else rows.last[:, 0]
    return DistinctRows(int(types.classes[0]), rows.first, rows.marked, rows.own, rows.rest, last)


def from_rows(rows: Callable[[Point, int, ScoreKernel], DistinctRows]) -> Networks:
    """The networks of datasets whose distinct rows are given point by point."""

    def networks(points: list[Point]) -> list[DistinctRows]:
        return [
            together([rows(point, dataset, SCORE_KERNELS[kernel]) for point in points])
            for kernel, dataset in NETWORKS
        ]

    return networks


def references(points: list[Point], networks: Networks) -> list[Reference]:
    """Exact probabilities at points; those whose columns have the same states are computed
    together."""
    groups: dict[tuple, list[int]] = {}
    for k, point in enumerate(points):
        key = (point.d, point.attention_x, point.data, point.signs)
        groups.setdefault(key, []).append(k)
    found: list[Reference | None] = [None] * len(points)
    for (d, _, data, signs), members in groups.items():
        step = max(MOST_NUMBERS // (8 * d * MOST_ROWS), 1)
        for start in range(0, len(members), step):
            part = [points[k] for k in members[start : start + step]]
            success, events = probabilities(
                networks(part),
                *(np.array([getattr(point, name) for point in part]) for name in ("tau", "s", "m")),
                data,
                signs,
            )
            for k, total, each in zip(
                members[start:], success.tolist(), events.tolist(), strict=False
            ):
                found[k] = Reference(total, tuple(each), 0.0, EXACT_EVENTS, METHOD)
    return found


def probabilities(
    networks: list[DistinctRows], tau: np.ndarray, s: np.ndarray, m: np.ndarray, data: str,
    signs: str,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """P(E_success), (P,), and of EVENTS, (P, 4), over y and the special tokens, of P points.

    Parameters
    ----------
    networks : the distinct rows of each of NETWORKS, in that order, of the P points together
    tau, s : (P,), threshold, and sqrt(log n)
    m : (P,), number of sign columns
    data : "independent" or "same" special tokens in D0 and D1
    signs : y "shared" by the four networks, or "fresh" for each
    """
    m = m[:, None]
    per_state = (slice(None), *[None] * 4)
    d0, d1 = (
        sum(
            exceeds(networks[k].largest_scores(), tau[per_state], s[per_state]).astype(np.int64)
            << k
            for k, network in enumerate(NETWORKS)
            if network.dataset == dataset
        )
        for dataset in (0, 1)
    )
    same = _law_of_flags(same_class(d0, d1))
    zero = _power(same @ HAS_FLAG, m)  # the class does not matter to a network alone
    events = np.where([True, False, False, False], 1 - zero, zero)
    if signs == "fresh":
        success = events.prod(axis=1)
    else:
        classes = networks[0].classes
        success = _success(same, m)
        if data == "independent" and classes > 1:
            different = _success(_law_of_flags(different_classes(d0, d1)), m)
            success = (success + (classes - 1) * different) / classes
    return success, events


def _success(law: np.ndarray, m: np.ndarray) -> np.ndarray:
    """No column has another flag than the first, less no column has any: over m columns, (P,)."""
    others = law[:, 2:].sum(axis=1, keepdims=True)
    return (_power(others, m) - _power(others + law[:, 1:2], m))[:, 0]


def _power(q: np.ndarray, m: np.ndarray) -> np.ndarray:
    """(1 - q)^m, at most 1 however the q were rounded, and exact to their rounding for large m."""
    return np.exp(m * np.log1p(-np.minimum(q, NEARLY_ONE)))


def _law_of_flags(states: States) -> np.ndarray:
    """Law of the flags, (P, 16), where each dataset's states are flags of its own networks."""
    d0, d1, weights = states
    points = len(d0)
    flags = d0 + d1 + PATTERNS * np.arange(points)[:, None]
    weights = np.broadcast_to(weights, flags.shape)
    law = np.bincount(flags.ravel(), weights=weights.ravel(), minlength=PATTERNS * points)
    return law.reshape(points, PATTERNS)


def same_class(d0: np.ndarray, d1: np.ndarray) -> States:
    """The states of a column where the special tokens of D0 and D1 mark the same class.

    d0, d1 : (..., 2, E, 2, K), what each state of a column is worth to either dataset, as
    `DistinctRows.largest_scores` indexes them.
    """
    return _weighted([(d0, d1)])


def different_classes(d0: np.ndarray, d1: np.ndarray) -> States:
    """The same where they mark two classes: each counts the other's among the unmarked."""
    unmarked = d0.shape[-1] - 1
    return _weighted(
        [
            (
                d0[..., own0, own1 : unmarked + own1],
                d1[..., own1, own0 : unmarked + own0],
            )
            for own0 in (0, 1)
            for own1 in (0, 1)
        ]
    )


def _weighted(parts: list[tuple[np.ndarray, np.ndarray]]) -> States:
    """States whose last axis counts heads of fair coins, and whose others are fair bits."""
    lead = parts[0][0].shape[: parts[0][0].ndim - (4 if len(parts) == 1 else 3)]
    d0, d1 = (
        np.concatenate([part[k].reshape(*lead, -1) for part in parts], axis=-1) for k in (0, 1)
    )
    coins = heads(parts[0][0].shape[-1] - 1)
    bits = d0.shape[-1] // len(coins)
    return d0, d1, np.tile(coins / bits, bits)
