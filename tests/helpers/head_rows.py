"""Rows of scores with known numbers."""

import warnings

import numpy as np

from attention_separation import head

RNG = np.random.default_rng


def row_a():
    s = RNG(0).standard_normal(1024)
    s[300] += 8
    return s


def row_b(sink=5.0):
    s = 2 * RNG(5).standard_normal(2048)
    s[0], s[77] = sink, 6
    return s


def row_d():
    s = np.repeat(RNG(3).standard_normal(128), 8)
    s[512] = 7
    return s


ROWS = {
    "a": (row_a(), 300, (), 100_000),
    "b": (row_b(), 77, (0,), 300),
    "c": (row_b(9.0), 77, (0,), 300),
    "d": (row_d(), 512, (), 20_000),
}


def one(scores, target, **given):
    return head.measure(scores, target, **given).iloc[0]


def quietly(call, *given, **named):
    """What a call gives, whatever it warns of, and how often it warns."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        answer = call(*given, **named)
    return answer, [str(each.message) for each in warned]
