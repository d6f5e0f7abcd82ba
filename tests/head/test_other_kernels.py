"""What other kernels give on the same scores."""

import re
import warnings

import numpy as np
import pytest
from head_rows import ROWS, one, row_a

from attention_separation import head


@pytest.mark.parametrize(
    ("kernel", "share", "reach"),
    [
        ("exp_half", 0.081599, 91.892), ("softmax_one", 0.864866, 6551.823),
        ("power_4", 0.702696, 2418.918), ("x**4", 0.702696, 2418.918),
        ("sigmoid_log_n", 0.375330, 8.600), ("sparsemax", 1, np.inf), ("none", 1 / 1024, 2),
        ("sigmoid_unnormalised", 0.375330, 8.600),
    ],
)  # fmt: skip
def test_other_kernels_on_the_same_scores(kernel, share, reach):
    found = one(row_a(), 300, kernel=kernel, n=50)
    assert found["share"] == pytest.approx(share, abs=1e-6)
    assert found["reach"] == pytest.approx(reach, abs=1e-3)
    assert found["reach_low"] == pytest.approx(1023 / 3 if reach == np.inf else np.nan, nan_ok=True)
    assert (found["share_at_n"] >= 0.5) == (reach >= 50)


def test_fixed_tokens_are_there_once_for_other_kernels_too():
    scores, target, fixed, n = ROWS["b"]
    w = np.maximum(scores, 0.0) ** 2
    rest = np.delete(w, [0, target])
    found = one(scores, target, fixed=fixed, n=n, kernel="maximum(x, 0)**2")
    shares = [w[target] / (w[target] + w[0] + (x - 2) * rest.mean()) for x in (2048, n)]
    assert found[["share", "share_at_n"]].tolist() == pytest.approx(shares)
    assert found["reach"] == pytest.approx(2 + (w[target] - w[0]) / rest.mean())
    assert one(scores, 5, fixed=fixed, kernel="maximum(x, 0)**2")["reach"] == 0
    quiet = int(np.argmin(np.abs(scores)))  # one more token has most of the weight
    assert one(scores, quiet, kernel="maximum(x, 0)**2")["reach"] == 0
    [share] = head.share(scores, target, [n], fixed=fixed, kernel="maximum(x, 0)**2")["share"]
    assert share == found["share_at_n"]
    with pytest.raises(ArithmeticError, match="negative or no numbers"):
        one(scores, target, kernel="x + 3")


def test_exp_is_the_same_by_the_other_way():
    for scores, target, fixed, n in ROWS.values():
        ours = one(scores, target, fixed=fixed, n=n)
        other = one(scores, target, fixed=fixed, n=n, kernel="exp(x)")
        for name in ("share", "reach", "share_at_n"):
            assert other[name] == pytest.approx(ours[name], rel=1e-9)


def test_a_picture_of_another_kernel_has_no_check():
    row = np.abs(np.random.default_rng(0).standard_normal(100))
    row[30] += 8
    assert head.plot(row, 30).get_title().startswith("held out")
    assert head.plot(row, 30, kernel="x**4").get_title() == "dotted: tokens measured"


def test_shares_below_the_level_before_the_reach_are_said():
    """Of a kernel that is uniform at N = e^4, and sharper at all others."""
    scores = row_a()
    with pytest.warns(UserWarning, match="is below 0.5 at some N below the reach") as said:
        found = one(scores, 300, kernel="exp(x*(log_n - 4)**2)", n=100)
    low, high = re.search(r"from ([\d,]+) to ([\d,]+)", str(said[0].message)).groups()
    assert found["reach"] == np.inf
    assert len(said) == 1
    numbers = [float(n.replace(",", "")) for n in (low, high)]
    between = head.share(scores, 300, numbers, kernel="exp(x*(log_n - 4)**2)")["share"]
    assert (between < 0.5).all()
    beyond = head.share(scores, 300, [100 * numbers[1]], kernel="exp(x*(log_n - 4)**2)")["share"]
    assert (beyond >= 0.5).all()


def test_small_floats_are_warned_of_once():
    def small(x):
        return np.exp(x / 2).astype(np.float32)

    for ask in (
        lambda: one(row_a(), 300, kernel=small, n=50),
        lambda: head.share(row_a(), 300, [50, 60], kernel=small),
    ):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            ask()
        assert [("answers need float64" in str(each.message)) for each in said] == [True]


def test_a_reach_is_the_same_in_parts(monkeypatch):
    whole = one(row_a(), 300, kernel="x**4", n=50)
    monkeypatch.setattr("attention_separation.head.other_kernels.BLOCK", 5000)
    assert one(row_a(), 300, kernel="x**4", n=50).equals(whole)
