"""Paths of sizes to large n, and the first n on them from which a claim holds."""

import math

import pytest
from claim_cases import JOB

from attention_separation.softmax_vs_linear.claims.paths import SizePath, holds_from, paths
from attention_separation.softmax_vs_linear.models.cross_attention import CROSS_ATTENTION
from attention_separation.softmax_vs_linear.models.regression import REGRESSION
from attention_separation.softmax_vs_linear.models.self_attention import SELF_ATTENTION


@pytest.mark.parametrize("model", [SELF_ATTENTION, CROSS_ATTENTION])
def test_sizes_of_paths_are_stacks(model):
    for path in paths(model, JOB.sizes.of(model.name)[0]):
        for n, d in path.doublings():
            model.check(n, d)
        last = path.doublings()[-1][0]
        assert last == pytest.approx(1e9, rel=1e-3)


@pytest.mark.parametrize("start", [100, 101, 5000, 123457])
def test_the_first_n_is_found(start):
    path = SizePath(REGRESSION, "d fixed")
    assert holds_from(path, lambda size: size[0] >= start) == start


def test_never_is_null():
    assert holds_from(SizePath(REGRESSION, "d fixed"), lambda size: size[0] < 10**6) is None


@pytest.mark.parametrize("name", ["d fixed", "d sqrt", "d quarter"])
def test_the_next_size_of_a_path_is_the_next_multiple(name):
    path = SizePath(SELF_ATTENTION, name, 20)
    size = path.size(400)
    for _ in range(60):
        following = path.after(size)
        assert following[0] > size[0]
        assert path.size(following[0])[0] == following[0] or name == "d sqrt"
        classes = following[1] - 2
        assert following[0] % classes == 0
        if name == "d sqrt":
            assert classes == math.ceil(math.sqrt(following[0]))
        size = following


def test_a_failure_soon_after_the_first_success_moves_the_start():
    path = SizePath(REGRESSION, "d fixed")
    assert holds_from(path, lambda size: size[0] >= 333) == 333
    assert holds_from(path, lambda size: size[0] >= 333 and size[0] not in (340, 351)) == 352
    # What fails far beyond is not seen: the text says what was tested.
    assert holds_from(path, lambda size: size[0] >= 333 and size[0] != 777) == 333
