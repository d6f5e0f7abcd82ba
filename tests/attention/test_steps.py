"""Steps in n: weights that jump are found on both sides, and smooth ones have none."""

import numpy as np
import pytest
from few import few

import attention_separation as asep
from attention_separation import recall
from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.reach_search import asked_sizes, sizes_asked_of
from attention_separation.datasets.dataset import FixedData

DATA = FixedData()
BY_FLOOR = "exp(x*(log(floor((n + 1)/8192) + 1)*0.1 + 1)/{})"
"""A published temperature, over a number."""


def steps_of(kernel):
    asked = sizes_asked_of(asep.kernel_of(kernel), LAYERS[0], DATA)
    return sorted({*asked.tolist()} - {*asked_sizes(DATA).tolist()})


JUMPS = {
    "floor": (BY_FLOOR.format(1), [8180, 8200, 16380, 16400, 24560, 24580]),
    "ceil": ("x**ceil(log_n/10)", [22020, 22040, 485_165_180, 485_165_200]),
    "round": ("exp(x*round(log_n/4))", [22_020, 22_040, 1_202_600, 1_202_620]),
    "a comparison": ("where(n > 8000, exp(x), 1)", [8000, 8020]),
    "a bump": ("where(n > 8000, where(n < 8100, x, exp(x)), exp(x))", [8000, 8020, 8080, 8100]),
    "a function": (lambda x, n: x**2 if n < 7000 else x**3, [6980, 7000]),
    "rows": (
        asep.rows(lambda x, counts, n: np.exp(x - 3 * (n > 50_000) * x), normalised=True),
        [50_000, 50_020],
    ),
}


@pytest.mark.parametrize(("kernel", "steps"), JUMPS.values(), ids=JUMPS)
def test_steps_are_asked_on_both_sides(kernel, steps):
    assert steps_of(kernel)[: len(steps)] == steps


@few(1, "kernel", ["x**4", "exp(x*log_n/20)", "x**log_n", lambda x, n: x + n**0.5])
def test_smooth_weights_have_none(kernel):
    assert steps_of(kernel) == []


@pytest.mark.filterwarnings("ignore:.*its weights bend")
def test_spans_and_largest_n_see_them():
    """Asked one by one, about each step."""
    formula = BY_FLOOR.format(2.4)
    spans = asep.spans(formula)
    assert spans == [(20, 3280), (8200, 9100), (16_400, 18_740), (24_580, np.inf)]
    exp = asep.separate("exp").probability
    for first, last in spans[1:3]:
        for n, separates in ((first - 20, False), (first, True), (last, True), (last + 20, False)):
            assert (asep.separate(formula, n=n).probability > exp / 2) == separates
    with pytest.warns(UserWarning, match="it does not separate at some n from 3,300 to 24,560"):
        assert asep.largest_n(formula) == np.inf
    with_a_hole = asep.scores(lambda x, n: np.exp(x) if n != 8200 and n > 8000 else x)
    assert [last for _, last in asep.holes(with_a_hole)][-2:] == [8000, 8200]


@pytest.mark.exhaustive
def test_recall_sees_them():
    """A kernel that is flat from an n on, and for a while before."""
    formula = "where(n > 700, where(n < 750, 1, x**2), x**2)"
    with pytest.warns(UserWarning, match="first at 701 and last at 749"):
        assert recall.largest_n(formula, d=64) == recall.largest_n("power_2", d=64)
