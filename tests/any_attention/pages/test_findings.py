"""What is said of the tables of kernels beyond the story, and what is left unsaid without rows."""

import math

import pytest
from making import CONFIG

from attention_separation.any_attention.exact import splits
from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.exact.value_table import REACHES
from attention_separation.any_attention.laws.law_table import SCHEMA
from attention_separation.any_attention.pages.findings import (
    findings,
    law_findings,
    reach_findings,
    split_findings,
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
            relu_over_n=(120.0, math.inf, None), hedgehog=(40.0, 20.0, None),
            elu_plus_one=(20.0, 60.0, None),
        ),
        DATA,
    )  # fmt: skip
    always = said(found, "**At n = 10¹² still** these of 7 kernels")
    assert "X = I: exp; Self-attention, X all ones: exp, relu_over_n; Cross" in always
    assert "100 / 1,300 / none" in said(found, "**Softmax with the usual")
    powers = said(found, "**Polynomials")
    assert "p = 2: 240 / 100 / 20; linear attention at 80 / 40 / none" in powers
    assert "n = 23 · 2.2ᵖ, for m = 15 columns" in powers
    assert "none separates at an n above 60" in said(found, "**Of 2 feature maps")


def test_what_the_table_lacks_is_not_said():
    found = reach_findings(kernels(exp=(math.inf, math.inf, math.inf)), DATA)
    assert len(found) == 1
    assert split_findings(table_from_rows([], splits.SCHEMA)) == []
    assert findings({}, DATA) == []


def split(kernel, layer, p_best):
    return {
        "kernel": kernel, "model": layer.model, "attention_x": layer.attention_x, "n": 2000,
        "p_best": p_best,
    }  # fmt: skip


def test_maps_that_move_with_the_split_and_maps_that_do_not():
    rows = [
        split(kernel, layer, p)
        for kernel, of in (("exp_features", (0.2, 0.7, None)), ("hedgehog", (0.300, 0.305)))
        for layer in LAYERS
        for p in of
    ]
    (found,) = split_findings(table_from_rows(rows, splits.SCHEMA))
    assert "from and to: exp_features 0.200 to 0.700 and 0.200 to 0.700. By at most" in found
    assert found.endswith("moves that of hedgehog.")


@pytest.mark.parametrize("verdict", ["agrees", "differs", "undecided"])
def test_laws_that_do_not_agree_are_named(verdict):
    row = {
        "law": "polynomials", "kernel": "power_2", "model": "self_attention", "quantity": "last n",
        "predicted": 240.0, "measured": 220.0, "verdict": verdict,
    }  # fmt: skip
    (found,) = law_findings(table_from_rows([row], SCHEMA))
    assert found.startswith("**Laws.** Of 1 prediction of 1 law")
    assert ("last n 240 predicted, 220 by exact values" in found) == (verdict != "agrees")
