"""Layers of any kernel from their definitions: n x n attention at every place of the special
tokens, and the largest score of every sign column."""

import itertools
from functools import cache

import numpy as np
from literal_kernels import literal_weights

from attention_separation.datasets.dataset import Tokens


def special_places(layer, n, queries=None):
    """All places of the special tokens, (P, 1), or (P, 2) of the query, or of some, and the key."""
    if layer.dataset.special_tokens == 1:
        return np.arange(n)[:, None]
    return np.array([*itertools.product(range(n) if queries is None else queries, range(n))])


@cache
def inputs(layer, data, n, dataset, some=None):
    """Queries, keys and values of n tokens for all places, each (P, n, d)."""
    d = layer.d(data.classes)
    tokens = Tokens(n, d, data.a0, data.a1, data.b, data.c, layer.attention_x)
    found = []
    for place in special_places(layer, n, some):
        a1, a2, a3, q, k = layer.dataset.literal(tokens, dataset, place)
        found.append((a1 @ q, a2 @ k, a3))
    return tuple(np.stack(each) for each in zip(*found, strict=True))


@cache
def sign_columns(d):
    """All of them, (d, 2^d)."""
    return np.array([*itertools.product([-1.0, 1.0], repeat=d)]).T


def literal_scores(name, layer, data, n, dataset, some=None):
    """For all places the largest score of every column in units of s, (P, 2^d), and the special
    token's share in its own row, (P,)."""
    queries, keys, values = inputs(layer, data, n, dataset, some)
    f = literal_weights(name, queries, keys)
    scores = f @ values @ sign_columns(values.shape[-1])
    places = special_places(layer, n, some)
    share = f[np.arange(len(places)), places[:, 0], places[:, -1]]
    return scores.max(axis=1) / np.sqrt(np.log(n)), share
