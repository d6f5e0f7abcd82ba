"""What is said of the tables of kernels, and what is left unsaid without their rows."""

import math

import pytest
from making import CONFIG

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.exact.value_table import REACHES, VALUES
from attention_separation.any_attention.laws.law_table import SCHEMA
from attention_separation.any_attention.pages.findings import (
    findings,
    law_findings,
    reach_findings,
    value_findings,
)
from attention_separation.results.tables import table_from_rows

DATA = CONFIG.any_attention.data


def kernels(**last):
    """A table with the largest n of kernels in the three layers."""
    return table_from_rows(
        [
            {"kernel": name, "model": x.model, "attention_x": x.attention_x, "last_n": n}
            for name, reached in last.items()
            for x, n in zip(LAYERS, reached, strict=True)
        ],
        REACHES,
    )


def said(sentences, start):
    (found,) = (sentence for sentence in sentences if sentence.startswith(start))
    return found


def test_up_to_which_n_kernels_separate():
    found = reach_findings(
        kernels(
            exp=(math.inf, math.inf, math.inf), exp_sqrt_d=(100.0, 1300.0, None),
            power_2=(240.0, 100.0, 20.0), linear=(80.0, 40.0, None),
            linear_unnormalised=(120.0, math.inf, None), hedgehog=(40.0, 20.0, None),
            elu_plus_one=(20.0, 60.0, None),
        ),
        DATA,
    )  # fmt: skip
    always = said(found, "**At n = 10¹² still** these of 7 kernels")
    assert "X = I: exp; Self-attention, X all ones: exp, linear_unnormalised; Cross" in always
    assert "100 / 1,300 / none" in said(found, "**Softmax with the usual")
    powers = said(found, "**Polynomials")
    assert "p = 2: 240 / 100 / 20; linear attention at 80 / 40 / none" in powers
    assert "n = 23 · 2.2ᵖ, for m = 15 columns" in powers
    assert "none separates at an n above 60" in said(found, "**Of 2 feature maps")
    assert "last at n = 40 where rows are divided, and at 10¹² still" in said(found, "**With X all")


def test_what_the_table_lacks_is_not_said():
    found = reach_findings(kernels(exp=(math.inf, math.inf, math.inf)), DATA)
    assert len(found) == 2
    assert value_findings(table_from_rows([], VALUES)) == []
    assert findings({}, DATA) == []


def values(n, kernel, p, biases=0.99):
    return [
        {
            "kernel": kernel, "model": x.model, "attention_x": x.attention_x, "n": n,
            "p_best": p, "p_each_bias": biases,
        }
        for x in LAYERS
    ]  # fmt: skip


def test_linear_attention_beside_none():
    rows = [
        row
        for n in (200, 2000)
        for kernel, p in (("linear", 0.25), ("none", 0.125))
        for row in values(n, kernel, p, 0.9 if (kernel, n) == ("none", 200) else 0.99)
    ]
    found = value_findings(table_from_rows(rows, VALUES))
    assert "0.250 against 0.125" in said(found, "**Linear attention beside none")
    assert "with probability 0.99000 or more at n = 2,000" in said(found, "**With a bias")


@pytest.mark.parametrize("verdict", ["agrees", "differs", "undecided"])
def test_laws_that_do_not_agree_are_named(verdict):
    row = {
        "law": "polynomials", "kernel": "power_2", "model": "self_attention", "quantity": "last n",
        "predicted": 240.0, "measured": 220.0, "verdict": verdict,
    }  # fmt: skip
    (found,) = law_findings(table_from_rows([row], SCHEMA))
    assert found.startswith("**Laws.** Of 1 prediction of 1 law")
    assert ("last n 240 predicted, 220 by exact values" in found) == (verdict != "agrees")
