"""Targets of other kinds of heads than induction, against their definitions."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_separation import head

TOKENS = st.lists(st.integers(0, 5), min_size=1, max_size=30)


@given(TOKENS)
def test_the_previous_token_is_the_key_before(tokens):
    assert head.previous_targets(tokens).tolist() == [*range(-1, len(tokens) - 1)]


@given(TOKENS)
def test_a_duplicate_is_the_last_earlier_key_of_the_same_token(tokens):
    for query, target in enumerate(head.duplicate_targets(tokens).tolist()):
        equal = [key for key in range(query) if tokens[key] == tokens[query]]
        assert target == max(equal, default=-1)


@given(TOKENS)
def test_induction_is_the_key_after_the_duplicate(tokens):
    duplicates = head.duplicate_targets(tokens)
    expected = np.where(duplicates >= 0, duplicates + 1, -1)
    assert head.induction_targets(tokens).tolist() == expected.tolist()


@given(
    needle=st.lists(st.integers(10, 15), min_size=2, max_size=6),
    front=TOKENS,
    between=TOKENS,
)
def test_a_needle_is_said_from_its_first_occurrence(needle, front, between):
    tokens = [*front, *needle, *between, *needle]
    targets = head.needle_targets(tokens, needle).tolist()
    first = len(front)
    last = len(tokens) - len(needle)
    assert set(targets[:last]) == {-1}
    assert targets[-1] == -1
    for said in range(len(needle) - 1):
        target = targets[last + said]
        assert target == first + said + 1
        assert tokens[target] == needle[said + 1]


def test_sequences_have_targets_of_their_own_and_say_that_the_model_is_causal():
    tokens = np.random.default_rng(0).integers(0, 4, (2, 3, 20))
    for targets_of in (head.previous_targets, head.duplicate_targets):
        targets = targets_of(tokens)
        assert targets.shape == tokens.shape
        for place in np.ndindex(2, 3):
            assert targets[place].tolist() == targets_of(tokens[place]).tolist()
    scores = np.zeros((20, 20))
    targets = head.previous_targets(tokens[0, 0])
    with pytest.warns(UserWarning, match="later"):
        rows = head.measure(scores, targets)
    assert rows["n"].tolist() == (rows["query"] + 1).tolist()


@pytest.mark.parametrize(
    ("tokens", "needle", "words"),
    [
        ([1, 2, 3], [1, 2], "have the needle at [0]; allowed"),
        ([5, 5, 5], [5, 5], "have the needle at [0, 1]; allowed"),
        ([1], [1, 2], "have the needle at []; allowed"),
        ([1, 2, 1, 2], [1], "needle has shape (1,); allowed"),
        ([1, 2, 1, 2], [[1, 2]], "needle has shape (1, 2); allowed"),
        ([1, 2, 1, 2], [0.5, 1], "needle"),
        ([0.5, 1], [1, 2], "tokens"),
    ],
)
def test_what_is_no_needle_is_refused(tokens, needle, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        head.needle_targets(tokens, needle)
