"""What verdicts rest on: the bounds of a best P, and the P of exp."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.values import best_probabilities, probability_bounds
from attention_separation.any_attention.verdicts import exp_probabilities
from attention_separation.attention.kernel import Kernel
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets.dataset import FixedData
from attention_separation.studies.any_attention.settings import Data

PAPERS = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)


def test_what_exp_can_do_at_sizes_given_twice():
    found = exp_probabilities(LAYERS[0], PAPERS, (2000, 200, 2000))
    wanted = best_probabilities(KERNELS["exp"], LAYERS[0], PAPERS, [2000, 200, 2000])
    np.testing.assert_array_equal(found, wanted)


EXACT_SETTINGS = [
    # p of x^p in cross-attention, a0, a1, t and m.
    (2, "0.3", "2", 3, 2), (8, "0.3", "2", 3, 2), (40, "0.25", "1.5", 2, 3),
    (150, "0.3", "2", 3, 2), (400, "0.3", "2", 3, 2), (1000, "0.3", "2", 2, 3),
    (1000, "0.01", "1.2", 3, 2), (5000, "0.3", "2", 3, 2),
]  # fmt: skip


@pytest.mark.parametrize(("p", "a0", "a1", "t", "m"), EXACT_SETTINGS)
def test_what_p_may_be_holds_what_fractions_say(p, a0, a1, t, m):
    """Weights of x^p are fractions: (1 + a)^p of the special token for its query, 1 of others."""
    classes = 3
    n = classes * t
    largest = []
    for a in (Fraction(a0), Fraction(a1)):
        weight = (1 + a) ** p
        special = weight / (weight + n - 1), (weight + t - 1) / (weight + n - 1)
        rest = Fraction(t) / (weight + n - 1)
        of_column = []
        for y in itertools.product((-1, 1), repeat=1 + classes):
            others = sum(y[2:])
            of_special = special[0] * y[0] + special[1] * y[1] + rest * others
            of_other = Fraction(y[0] + t * (y[1] + others), n)
            of_column.append(max(of_special, of_other))
        largest.append(of_column)
    exact = exact_best_probability(*largest, classes, m)
    data = FixedData(a0=float(a0), a1=float(a1), classes=classes, columns=m)
    kernel = Kernel(f"x^{p}", "", "score", lambda seen: p * np.log(seen.scores), logarithmic=True)
    (least,), (most,) = probability_bounds(kernel, LAYERS[2], data, [n])
    assert least - 1e-12 <= exact <= most + 1e-12
    if p < 50:
        assert least == most


def exact_best_probability(d0, d1, classes, m):
    """max over theta > 0 of P(no score on D0 above theta, some score on D1 above it), of what each
    column of signs, the first class being marked, is worth to D0 and D1: by all sign matrices of m
    columns. D1's special token marks D0's class with probability 1 / classes, else another one."""
    columns = [*itertools.product((0, 1), repeat=1 + classes)]
    other = [columns.index((y[0], y[2], y[1], *y[3:])) for y in columns]
    thetas = sorted({max(u, Fraction(0)) for u in (*d0, *d1)})
    best = Fraction(0)
    for theta in thetas:
        quiet = [u <= theta for u in d0]
        total = Fraction(0)
        for places, chance in ((range(len(columns)), 1), (other, classes - 1)):
            silent = sum(quiet)
            both = sum(quiet[k] and d1[place] <= theta for k, place in enumerate(places))
            every = Fraction(len(columns))
            total += Fraction(chance, classes) * ((silent / every) ** m - (both / every) ** m)
        best = max(best, total)
    return float(best)
