"""Distinct rows against the n x n attention of the definitions."""

import itertools
import math

import numpy as np
import pytest
from attention_separation.softmax_vs_linear.attention import KERNELS, attention
from attention_separation.softmax_vs_linear.distinct import nearest_multiples
from hypothesis import given
from hypothesis import strategies as st

from attention_separation.softmax_vs_linear import cross_attention, self_attention

# A kernel that is neither of the paper's: distinct rows must hold for any.
ANY_KERNEL = KERNELS | {"squared": lambda scores: scores**2 + 0.1}
AMPLITUDES = st.sampled_from([0.0, 0.01, 0.3, 1.2, 2.98])


def state_scores(rows, c, classes, special_class, has_last):
    """Largest <c_j0, y> over all rows of c, beside what `rows` says of y's state."""
    table = rows.largest_scores()
    d = 1 + classes + has_last
    for y in itertools.product([-1.0, 1.0], repeat=d):
        bits = (np.array(y) + 1).astype(int) // 2
        block = bits[1 : 1 + classes]
        marked = block[special_class]
        last = bits[-1] if has_last else 0
        state = bits[0], last, marked, block.sum() - marked
        yield table[state], (c @ np.array(y)).max()


@given(
    st.integers(1, 6), st.integers(1, 4), AMPLITUDES, st.floats(0.05, 1), st.floats(0.05, 1),
    st.sampled_from(["identity", "ones"]), st.sampled_from(sorted(ANY_KERNEL)), st.integers(0, 23),
)  # fmt: skip
def test_self_attention(classes, t, a, b, c, attention_x, kernel, place):
    n, d = max(classes * t, 2 * classes if classes * t < 2 else 0), classes + 2
    j3 = place % n
    tokens = self_attention.tokens(n, d, a, b, c, j3)
    x = self_attention.x_matrix(attention_x, d)
    full = attention(tokens, tokens, tokens, x, np.eye(d), ANY_KERNEL[kernel])
    rows = self_attention.distinct_rows(n, d, a, b, c, attention_x, ANY_KERNEL[kernel])
    special = self_attention.special_class(j3, d)
    for reduced, literal in state_scores(rows, full, classes, special, has_last=True):
        assert reduced == pytest.approx(literal, abs=1e-13 * math.sqrt(math.log(n)) * d)


@given(
    st.integers(1, 6), st.integers(1, 4), AMPLITUDES, st.sampled_from(sorted(ANY_KERNEL)),
    st.integers(0, 23), st.integers(0, 23),
)  # fmt: skip
def test_cross_attention(classes, t, a, kernel, query, key):
    n, d = max(classes * t, 2 * classes if classes * t < 2 else 0), classes + 1
    a1, a2 = cross_attention.tokens(n, d, a, query % n, key % n)
    full = attention(a1, a2, a2, np.eye(d), np.eye(d), ANY_KERNEL[kernel])
    rows = cross_attention.distinct_rows(n, d, a, ANY_KERNEL[kernel])
    special = cross_attention.special_class(key % n, d)
    for reduced, literal in state_scores(rows, full, classes, special, has_last=False):
        assert reduced == pytest.approx(literal, abs=1e-13 * math.sqrt(math.log(n)) * d)


def test_number_of_rows():
    def count(n, d, attention_x="identity"):
        rows = self_attention.distinct_rows(n, d, 1.2, 0.2, 0.8, attention_x, KERNELS["exp"])
        return len(rows.first)

    # Kinds of rows: special, same class, other class (each such class has one row of this kind).
    assert count(200, 22) == 3
    assert count(20, 22) == 2  # one token a class: none shares the special one's
    assert count(20, 3) == 2  # one class: none is another
    assert len(cross_attention.distinct_rows(200, 21, 1.2, KERNELS["exp"]).first) == 2


def test_nothing_of_size_n_is_built():
    rows = self_attention.distinct_rows(10**9, 22, 1.2, 0.2, 0.8, "identity", KERNELS["exp"])
    scores = rows.largest_scores()
    assert scores.shape == (2, 2, 2, 20)
    assert np.isfinite(scores[..., 1:-1]).all()


def test_nearest_multiples():
    assert nearest_multiples(201, 10) == "200 or 210"
    assert nearest_multiples(5, 10) == "10"
    assert nearest_multiples(1, 1) == "2"
