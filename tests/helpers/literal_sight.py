"""What a query sees, literally: loops over the keys of one row, and masks as models make them."""

import numpy as np


def far_below(scores):
    """Which scores are of a set that lies 50 or more below every other: the largest such set, of
    all sets that a threshold makes."""
    largest = []
    for threshold in scores:
        inside = [key for key, score in enumerate(scores) if score <= threshold]
        outside = [key for key, score in enumerate(scores) if score > threshold]
        is_far = all(scores[i] + 50 <= scores[j] for i in inside for j in outside)
        if outside and is_far and len(inside) > len(largest):
            largest = inside
    return [key in largest for key in range(len(scores))]


def zero_runs(weights, target):
    """Which weights are 0 beside another that is, or at an end and not of the target."""
    last = len(weights) - 1
    masked = []
    for key, weight in enumerate(weights):
        before = key > 0 and weights[key - 1] == 0
        after = key < last and weights[key + 1] == 0
        at_end = key in (0, last) and key != target
        masked.append(weight == 0 and (before or after or at_end))
    return masked


def visible(kind, n, rng):
    """Whether query i of n sees key j, (n, n), of a kind of mask of which some hide few keys, and
    some many."""
    query, key = np.ogrid[:n, :n]
    width = n // 4
    if kind == "causal":
        return key <= query
    if kind == "window":
        return (key <= query) & (key > query - width)
    if kind == "window on both sides":
        return abs(key - query) < width
    if kind == "first keys and window":
        return (key <= query) & ((key < 4) | (key > query - width))
    if kind == "blocks":
        return (key // 8) % 2 == (query // 8) % 2
    if kind == "padding at the left":
        return (key <= query) & (key >= n // 8)
    if kind == "padding at the right":
        return np.broadcast_to(key < n - n // 8, (n, n))
    if kind == "anywhere":
        return rng.random((n, n)) < 0.6
    raise ValueError(kind)


KINDS = (
    "causal",
    "window",
    "window on both sides",
    "first keys and window",
    "blocks",
    "padding at the left",
    "padding at the right",
    "anywhere",
)
"""All masks but the last have their hidden keys in runs."""


def masked_scores(scores, is_visible, way, rng):
    """Scores in which keys are masked in one of the ways of models."""
    hidden = ~is_visible
    least = float(np.finfo(np.float32).min)
    if way == "-inf":
        return np.where(hidden, -np.inf, scores)
    if way == "-100":
        return np.where(hidden, -100.0, scores)
    if way == "-100 added":
        return scores - 100.0 * hidden
    if way == "-10000 added":
        return scores - 1e4 * hidden
    if way == "-100 or -1e9":
        return scores - np.where(rng.random(scores.shape) < 0.5, 100.0, 1e9) * hidden
    if way == "least number":
        return np.where(hidden, least, scores)
    if way == "least number added":
        return (scores + least * hidden).astype(np.float32)
    if way == "each lower than the last":
        return scores - 60.0 * (1 + np.arange(scores.shape[-1])) * hidden
    raise ValueError(way)


WAYS = (
    "-inf",
    "-100",
    "-100 added",
    "-10000 added",
    "-100 or -1e9",
    "least number",
    "least number added",
    "each lower than the last",
)
