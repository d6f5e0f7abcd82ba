"""Paths of sizes to large n, and the first n on them from which a claim holds."""

import pytest
from claim_cases import JOB

from attention_separation.softmax_vs_linear.claims.paths import SizePath, holds_from, paths
from attention_separation.softmax_vs_linear.models.attention import CROSS_ATTENTION, SELF_ATTENTION
from attention_separation.softmax_vs_linear.models.regression import REGRESSION


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


def test_a_failure_soon_after_the_first_success_moves_the_start():
    path = SizePath(REGRESSION, "d fixed")
    assert holds_from(path, lambda size: size[0] >= 333) == 333
    assert holds_from(path, lambda size: size[0] >= 333 and size[0] not in (340, 351)) == 352
    # What fails far beyond is not seen: the text says what was tested.
    assert holds_from(path, lambda size: size[0] >= 333 and size[0] != 777) == 333
