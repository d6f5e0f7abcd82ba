"""Another X: three ways to its margin against n x n attention, and the same at every n."""

from dataclasses import replace

import numpy as np
import pytest

from attention_separation.attention.dense import attention
from attention_separation.attention.distinct_rows import distinct_rows
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets import another_x
from attention_separation.datasets.dataset import FixedData
from attention_separation.datasets.self_attention import tokens

DATA = FixedData()
FEW = replace(DATA, a0=0.3, b=0.5, c=0.4, classes=3)


def dense_rows(data, n, a, weight, kernel="linear"):
    d = data.classes + 2
    own = tokens(n, d, a, data.b, data.c, 0)
    one = np.eye(d)
    return attention(own, own, own, another_x.x_matrix(d, weight), one, one, KERNELS[kernel])


@pytest.mark.parametrize("weight", [1.0, 2.5])
@pytest.mark.parametrize("data", [DATA, FEW])
def test_the_margin_by_n_x_n_attention(data, weight):
    n = 3 * data.classes
    rows = [dense_rows(data, n, a, weight)[:, 1] for a in (data.a0, data.a1)]
    wanted = (rows[1].max() - rows[0].max()) / np.sqrt(np.log(n))
    for found in (
        another_x.literal_margin(data, n, weight),
        another_x.margin_of_rows(data, n, weight),
        another_x.margin(data, weight),
    ):
        assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("kernel", ["exp", "power_3", "elu_plus_one"])
def test_the_token_types_are_those_of_the_tokens(kernel):
    n = 4 * FEW.classes
    for dataset, a in enumerate((FEW.a0, FEW.a1)):
        found = distinct_rows(another_x.token_types(FEW, n, 1.5, dataset), KERNELS[kernel])
        rows = dense_rows(FEW, n, a, 1.5, kernel)
        np.testing.assert_allclose(rows[[0, FEW.classes, 1], 1], found.marked[0], rtol=1e-12)
