"""What a network alone can do, for any scores of the states of a column.

`tests/any_attention/test_enumeration.py` starts from the literal definition of attention.
"""

import itertools

import numpy as np
import pytest
from enumerated_signs import enumerate_signs
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_separation.attention import separation
from attention_separation.attention.sign_columns import of_one_size


def of_columns(scores):
    """The scores of all columns, (K, 2^d), with each class the marked one."""
    _, ends, _, classes = scores.shape
    y = np.array([*itertools.product((0, 1), repeat=1 + (ends == 2) + classes)])
    first, last = y[:, 0], y[:, 1] * (ends == 2)
    signs = y[:, -classes:].T
    return np.array([scores[first, last, sign, signs.sum(axis=0) - sign] for sign in signs])


def tables(shape):
    return arrays(np.int64, (2, 2, shape[0], 2, shape[1]), elements=st.integers(-6, 6))


@settings(max_examples=300)
@given(
    scores=st.tuples(st.integers(1, 2), st.integers(1, 3)).flatmap(tables), m=st.integers(1, 2),
    s=st.sampled_from([0.5, 1.0, 3.0]), above=st.integers(-6, 6),
    target=st.sampled_from([0.01, 0.02, 0.1, 0.125, 0.25, 0.5]),
)  # fmt: skip
def test_any_scores_with_ties_over_all_signs(scores, m, s, above, target):
    """Also such that are all above 0, or none."""
    d0, d1 = scores + above
    wanted = enumerate_signs(of_columns(d0), of_columns(d1), m)
    d0_scores, d1_scores = of_one_size(s * d0[None], 12 * s), of_one_size(s * d1[None], 12 * s)
    ranked = separation.rank_states(d0_scores, d1_scores, np.array([m]), np.array([s]))
    assert separation.probability_after_signs(ranked)[0] == pytest.approx(
        wanted.after_signs(), abs=1e-12
    )
    assert separation.probability_each_bias(ranked)[0] == pytest.approx(wanted.each_bias, abs=1e-12)
    (found,) = separation.widest_margins(ranked, np.array([[target]]))[0]
    assert wanted.widest_margin_is(found, target)
