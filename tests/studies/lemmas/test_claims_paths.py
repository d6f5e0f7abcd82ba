"""Paths of sizes to large n, and the first n on them from which a claim holds."""

import math

import pytest
from claim_cases import JOB
from hypothesis import given
from hypothesis import strategies as st

from attention_separation.studies.lemmas.claim import Measured
from attention_separation.studies.lemmas.paths import SizePath, holds_from, least_margin, paths
from attention_separation.studies.softmax_vs_linear.models.attention import (
    CROSS_ATTENTION_MODEL,
    SELF_ATTENTION_MODEL,
)
from attention_separation.studies.softmax_vs_linear.models.regression import REGRESSION


@pytest.mark.parametrize("model", [SELF_ATTENTION_MODEL, CROSS_ATTENTION_MODEL])
def test_sizes_of_paths_are_stacks(model):
    for path in paths(model, JOB.sizes.of(model.name)[0]):
        for n, d in path.doublings():
            model.check(n, d)
            assert 2 <= model.classes(d) <= n / 2
        size = path.size(3000)
        for _ in range(2000):
            later = path.after(size)
            model.check(*later)
            assert size[0] < later[0] <= size[0] + model.classes(later[1])
            assert size[1] <= later[1] <= size[1] + 1
            size = later
        last = path.doublings()[-1][0]
        assert last == pytest.approx(1e9, rel=1e-3)


@pytest.mark.parametrize(("name", "grown"), [("d tenth", lambda n: n**0.1), ("d log", math.log)])
def test_slow_paths_grow_as_their_names_say(name, grown):
    """Rounding n to whole classes moves it by less than a class."""
    (path,) = paths(SELF_ATTENTION_MODEL, (200, 22), (name,))
    for n, d in path.doublings():
        assert grown(max(n - d, 1)) <= d - 2 < grown(n + d) + 1
    assert [d - 2 for _, d in path.doublings()][::10] == {
        "d tenth": [2, 3, 5], "d log": [2, 9, 16]
    }[name]  # fmt: skip


def test_paths_begin_at_4_or_where_two_classes_have_two_tokens():
    assert SizePath(REGRESSION, "d fixed").doublings()[:2] == [(4, None), (6, None)]
    first = {path.name: path.doublings()[0] for path in paths(SELF_ATTENTION_MODEL, (200, 22))}
    slow = {"d sqrt": (4, 4), "d tenth": (4, 4), "d log": (4, 4)}
    assert first == {"d fixed": (40, 22), "d quarter": (8, 4), **slow}


@given(start=st.sampled_from([100, 101, 5000, 123457]))
def test_the_first_n_is_found(start):
    path = SizePath(REGRESSION, "d fixed")
    assert holds_from(path, lambda size: size[0] >= start) == start


def test_never_is_null():
    assert holds_from(SizePath(REGRESSION, "d fixed"), lambda size: size[0] < 10**6) is None


def test_a_failure_soon_after_the_first_success_moves_the_start():
    path = SizePath(REGRESSION, "d fixed")
    assert holds_from(path, lambda size: size[0] >= 333) == 333
    assert holds_from(path, lambda size: size[0] >= 333 and size[0] not in (340, 351)) == 352
    # What fails far beyond is not seen: the text says what was tested.
    assert holds_from(path, lambda size: size[0] >= 333 and size[0] != 777) == 333


def test_the_least_margin_is_of_what_can_be_judged():
    found = [Measured(20, 4, 1.0, 2.0, margin) for margin in (0.5, None, 0.0, 0.2)]
    assert least_margin(found) == found[2]
    assert least_margin(found[:2]) == found[0]
    assert least_margin(found[1:2]) is None
