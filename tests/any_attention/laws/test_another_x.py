"""Another X: against n x n attention at a small n, and the same at every n."""

import numpy as np
import pytest

from attention_separation.any_attention.laws.another_x import (
    WEIGHT,
    measured_margin,
    predicted_margin,
)
from attention_separation.any_attention.settings.data import Data
from attention_separation.attention.dense import attention
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets.self_attention import tokens

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
FEW = DATA.model_copy(update={"a0": 0.3, "b": 0.5, "c": 0.4, "classes": 3})


@pytest.mark.parametrize("data", [DATA, FEW])
def test_the_gap_by_n_x_n_attention(data):
    n, d = 3 * data.classes, data.classes + 2
    x = np.zeros((d, d))
    x[-1, -1], x[0, 1] = 1.0, WEIGHT
    scores = []
    for a in (data.a0, data.a1):
        own = tokens(n, d, a, data.b, data.c, 0)
        scores.append(attention(own, own, own, x, np.eye(d), np.eye(d), KERNELS["linear"])[:, 1])
    wanted = (scores[1].max() - scores[0].max()) / np.sqrt(np.log(n))
    assert measured_margin(data, n) == pytest.approx(wanted, rel=1e-12)
    assert predicted_margin(data) == pytest.approx(wanted, rel=1e-12)


def test_it_does_not_shrink_with_n():
    gaps = [measured_margin(DATA, n) for n in (20, 200, 20_000)]
    assert gaps == pytest.approx([predicted_margin(DATA)] * 3, rel=1e-12)
    assert gaps[0] > 0.003
