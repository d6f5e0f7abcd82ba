"""The numbers of the example in docs/gallery.md, from the definitions."""

import math

import numpy as np
import pytest
from making import ROOT

from attention_separation.attention.dense import attention_weights
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets.self_attention import tokens

PAGE = (ROOT / "docs/gallery.md").read_text(encoding="utf-8")
SIGNS, FAILING = np.array([1, -1, -1, 1]), np.array([-1, 1, 1, 1])
SPECIAL = 2


def row(words):
    (line,) = (line for line in PAGE.splitlines() if line.startswith(f"| {words}"))
    return line.strip("|").split("|")[1:]


@pytest.mark.parametrize(
    ("column", "a", "kernel"),
    [(0, 1.2, "exp"), (1, 1.2, "linear"), (2, 0.01, "exp"), (3, 0.01, "linear")],
)
def test_the_trial_step_by_step(column, a, kernel):
    of = tokens(8, 4, a, 0.2, 0.8, SPECIAL)
    weights = attention_weights(of, of, np.eye(4), np.eye(4), KERNELS[kernel])
    averages = weights @ of
    tau = 1.1 * math.sqrt(math.log(8))
    assert f"= {tau:.3f}" in PAGE
    first, *of_classes, last = averages[SPECIAL]
    found = {
        "weight of": weights[SPECIAL, SPECIAL],
        "its average": first,
        "its two class numbers": sum(of_classes),
        "its last number": last,
        "with the signs": averages[SPECIAL] @ SIGNS,
    }
    for words, number in found.items():
        assert float(row(words)[column]) == round(number, 2)
    above = (averages @ SIGNS) > tau
    assert row("above τ")[column].strip() == ("yes" if above[SPECIAL] else "no")
    assert not np.delete(above, SPECIAL).any()
    assert not (averages @ FAILING > tau).any()
