"""Distinct rows against the closed forms of the paper's lemmas, written out from their formulas.

The lemmas give, for exp and linear attention, the weight of a query on the special token and on
every other one; the entries of its row of c follow. Indices as in the paper; powers of n stand for
exp of a score, which is a multiple of log n.
"""

import math
from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attention_separation.attention.distinct_rows import distinct_rows
from attention_separation.attention.kernels import KERNELS
from attention_separation.softmax_vs_linear.models.cross_attention import CROSS_ATTENTION
from attention_separation.softmax_vs_linear.models.self_attention import SELF_ATTENTION

RELATIVE = 1e-13
AMPLITUDES = st.one_of(st.floats(0, 2.98), st.sampled_from([0.0, 0.01, 1.2]))
PARTS = st.floats(0.05, 0.95)
SIZES = st.tuples(st.integers(1, 64), st.integers(1, 20)).filter(lambda kt: kt[0] * kt[1] >= 2)


def all_ones(kernel, n, t, a, b, c):
    """Lemmas D.3, D.7, D.11, D.15, X all ones: weights of the special query, and of all others.

    A score is the product of the two tokens' sums, b + c + a for the special one and else b + c.
    """
    if kernel == "exp":
        of_special = n ** (a * (b + c + a)) / (n ** (a * (b + c + a)) + n - 1)
        on_others = 1 / (n ** (a * (b + c + a)) + n - 1)
        of_other = n ** (a * (b + c)) / (n ** (a * (b + c)) + n - 1)
        others_on_others = 1 / (n ** (a * (b + c)) + n - 1)
        return [
            (of_special, on_others, on_others, on_others),
            (of_other, others_on_others, others_on_others, others_on_others),
            (of_other, others_on_others, others_on_others, others_on_others),
        ]
    # Linear weights do not depend on the query: its sum cancels.
    on_special, on_others = (b + c + a) / (n * (b + c) + a), (b + c) / (n * (b + c) + a)
    return [(on_special, on_others, on_others, on_others)] * 3


def identity(kernel, n, t, a, b, c):
    """Lemma E.2 and its like, X the identity: weights of the special query, of one of its class,
    and of one of another class.

    A score is an inner product: a^2 + b^2 + c^2 of the special token with itself, b^2 + c^2 within
    a class, c^2 between classes.
    """
    if kernel == "exp":
        special_total = n ** (a**2 + b**2) + (t - 1) * n ** (b**2) + n - t
        total = t * n ** (b**2) + n - t
        return [
            (
                n ** (a**2 + b**2) / special_total,
                n ** (b**2) / special_total,
                1 / special_total,
                1 / special_total,
            ),
            (n ** (b**2) / total, n ** (b**2) / total, 1 / total, 1 / total),
            (1 / total, 1 / total, n ** (b**2) / total, 1 / total),
        ]
    special_total = a**2 + t * b**2 + n * c**2
    total = t * b**2 + n * c**2
    within, between = b**2 + c**2, c**2
    return [
        (
            (a**2 + b**2 + c**2) / special_total,
            within / special_total,
            between / special_total,
            between / special_total,
        ),
        (within / total, within / total, between / total, between / total),
        (between / total, between / total, within / total, between / total),
    ]


def cross(kernel, n, a):
    """Lemmas F.3, F.7, F.11, F.15: weights of the query j2, and of all others.

    The score of j2 and j3 is (1 + a) log n, every other one log n.
    """
    if kernel == "exp":
        of_special, on_others = n**a / (n**a + n - 1), 1 / (n**a + n - 1)
    else:
        of_special, on_others = (1 + a) / (n + a), 1 / (n + a)
    return [(of_special, on_others, on_others, on_others), (1 / n, 1 / n, 1 / n, 1 / n)]


def row(weights, t, first, block, last):
    """A query's row of c: its weights against the values of the tokens.

    The special token has the value `first` in the first coordinate; every token has `block` in its
    class's, and `last` in the last.
    """
    special, same, own, rest = weights
    return {
        "first": first * special,
        "marked": block * (special + (t - 1) * same),
        "own": block * t * own,
        "rest": block * t * rest,
        "last": last,
    }


def compare(model, points, kernel, closed):
    """Weights and rows of all points together; `closed` gives a point's weights, query by query,
    and the values of its tokens."""
    types = model.token_types(points, 1)
    found = distinct_rows(types, KERNELS[kernel])
    for k, point in enumerate(points):
        classes = model.classes(point.d)
        t = point.n // classes
        weights, values = closed(point, t)
        # Keys that exist: another token of the class, an unmarked class, a further one.
        keys = [True, t > 1, classes > 1, classes > 2]
        of_keys = {"own": classes > 1, "rest": classes > 2}
        for r in np.flatnonzero(types.exists[k]):
            np.testing.assert_allclose(
                found.weights[k, r, keys], np.array(weights[r])[keys], rtol=RELATIVE
            )
            for name, wanted in row(weights[r], t, **values).items():
                if wanted is not None and of_keys.get(name, True):
                    got = getattr(found, name)[k]
                    got = got[r] if len(got) > 1 else got[0]
                    np.testing.assert_allclose(got, wanted, rtol=RELATIVE)


def at(size, columns, a, b=None, c=None, attention_x="identity"):
    classes, t = size
    n = classes * t
    return SimpleNamespace(
        n=n, d=classes + columns, s=math.sqrt(math.log(n)), b=b, c=c, attention_x=attention_x,
        a=lambda dataset: a,
    )  # fmt: skip


@given(
    st.lists(st.tuples(SIZES, AMPLITUDES, PARTS, PARTS), min_size=1, max_size=3),
    st.sampled_from(["exp", "linear"]), st.sampled_from(["identity", "ones"]),
)  # fmt: skip
def test_self_attention(values, kernel, attention_x):
    weights = {"identity": identity, "ones": all_ones}[attention_x]

    def closed(p, t):
        a, s = p.a(1), math.sqrt(math.log(p.n))
        of_tokens = {"first": a * s, "block": p.b * s, "last": p.c * s}
        return weights(kernel, p.n, t, a, p.b, p.c), of_tokens

    points = [at(size, 2, a, b, c, attention_x) for size, a, b, c in values]
    compare(SELF_ATTENTION, points, kernel, closed)


@given(
    st.lists(st.tuples(SIZES, AMPLITUDES), min_size=1, max_size=3),
    st.sampled_from(["exp", "linear"]),
)  # fmt: skip
def test_cross_attention(values, kernel):
    def closed(p, t):
        s = math.sqrt(math.log(p.n))
        return cross(kernel, p.n, p.a(1)), {"first": s, "block": s, "last": None}

    points = [at(size, 1, a) for size, a in values]
    compare(CROSS_ATTENTION, points, kernel, closed)
