"""The story: a sentence for each layer, made of the tables, and nothing of what they lack."""

import math

import pytest
from attention_separation.any_attention.pages.story import reach_words, story
from making import CONFIG

import attention_separation as asep
from attention_separation.any_attention.exact import splits
from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.exact.value_table import REACHES, VALUES
from attention_separation.results.tables import table_from_rows

DATA = CONFIG.any_attention.data
EVER = (math.inf,) * 3


def kernels(**reached):
    """A table of (last n, as none from) in the three layers."""
    return table_from_rows(
        [
            {
                "kernel": name, "model": x.model, "attention_x": x.attention_x, "last_n": last,
                "as_none_from": as_none,
            }
            for name, (lasts, as_nones) in reached.items()
            for x, last, as_none in zip(LAYERS, lasts, as_nones, strict=True)
        ],
        REACHES,
    )  # fmt: skip


def values(n=2000, **p):
    return table_from_rows(
        [
            {
                "kernel": kernel, "model": x.model, "attention_x": x.attention_x, "n": n,
                "p_best": best, "p_each_bias": each,
            }
            for kernel, (best, each) in p.items()
            for x in LAYERS
        ],
        VALUES,
    )  # fmt: skip


FOUND = kernels(
    exp=(EVER, EVER),
    exp_sqrt_d=((100.0, 1300.0, None), (480.0, 15540.0, math.inf)),
    power_4=((2680.0, 540.0, 160.0), EVER),
    linear=((80.0, 40.0, None), (220.0, 160.0, math.inf)),
    linear_unnormalised=((120.0, math.inf, None), (320.0, math.inf, math.inf)),
)
P = {"exp": (0.98, 0.9998), "linear": (0.13, 0.9997), "none": (0.0, 0.9996)}


def test_a_sentence_for_each_layer():
    tables = {"kernels": FOUND, "kernel_values": values(**P, linear_unnormalised=(0.99, 1.0))}
    decides, identity, ones, cross, rest = story(tables, DATA)
    assert decides.endswith("and exp's is above 1/2.")
    assert identity == (
        "**Self-attention, X = I:** softmax separates at n = 10¹² still; with the usual 1/√d "
        "(d = 22) up to n = 100; x⁴ up to n = 2,680; linear attention up to n = 80, and from n = "
        "220 on it is as good as uniform weights, to 12 digits."
    )
    assert "(d = 22) up to n = 1,300" in ones
    assert ones.endswith(
        "it separates at n = 10¹² still, and beats softmax (0.99000 against 0.98000 at n = 2,000)."
    )
    assert "(d = 21) at no n" in cross
    assert cross.endswith(
        "linear attention at no n, though with a chance of 0.130 at n = 2,000, where uniform "
        "weights have 0.000."
    )
    assert "with probability 0.9996 or more" in rest
    assert "split" not in rest.partition("is the identity")[2]


def test_families_are_spoken_of_where_the_table_has_them():
    none = ((20.0, 20.0, None),) * 2
    more = {"exp": (EVER, EVER), "exp_sqrt_d": none, "power_4": none, "elu_plus_one": none}
    decides = story({"kernels": kernels(**more)}, DATA)[0]
    assert "a large enough p reaches any n" in decides
    assert "At n = 10¹² still, in all three layers: exp: " in decides
    # The sharpest kernel of all does not separate in cross-attention.
    assert asep.largest_n("hardmax", "cross_attention") is None
    more["exp"] = none
    assert "large enough" not in story({"kernels": kernels(**more)}, DATA)[0]
    # That p is large enough, and is no power of the list.
    for name in ("power_40", "taylor_64"):
        for layer in LAYERS:
            assert asep.largest_n(name, layer.model, layer.attention_x) == math.inf


def test_a_cell_says_where_a_largest_n_has_holes():
    row = {"last_n": 5000.0, "first_hole": 20.0, "last_hole": 280.0}
    assert reach_words(row) == "5,000, except some n from 20 to 280"
    assert reach_words(row | {"first_hole": None}, " (9,000)") == "5,000 (9,000)"


def test_probabilities_are_rounded_down_where_it_says_or_more():
    values_of = values(exp=(0.98, 0.999969), linear=(0.1, 0.99999))
    rest = story({"kernels": FOUND, "kernel_values": values_of}, DATA)[-1]
    assert "with probability 0.9999 or more" in rest


def test_maps_that_another_split_helps_are_named():
    rows = [
        {
            "kernel": kernel, "model": "self_attention", "attention_x": "identity", "n": 2000,
            "alpha": alpha, "p_best": p,
        }
        for kernel, each in (
            ("exp_features", (0.9, 0.2)), ("rbf", (0.9, 0.8)), ("hedgehog", (0.3, 0.2)),
        )
        for alpha, p in zip((0.1, 1.0), each, strict=True)
    ]  # fmt: skip
    tables = {
        "kernels": FOUND, "kernel_values": values(**P),
        "kernels_splits": table_from_rows(rows, splits.SCHEMA),
    }  # fmt: skip
    rest = story(tables, DATA)[-1]
    assert "with another split of X = I exp_features separate at n = 2,000 as well" in rest


def test_un_normalised_attention_that_does_not_beat_softmax_is_not_said_to():
    tables = {"kernels": FOUND, "kernel_values": values(**P, linear_unnormalised=(0.97, 1.0))}
    assert not any("beats softmax" in sentence for sentence in story(tables, DATA))


@pytest.mark.parametrize(
    "tables",
    [
        {"kernels": kernels(exp=(EVER, EVER))},
        {"kernels": kernels(exp=(EVER, EVER)), "kernel_values": values(n=200, exp=(0.9, 0.9))},
    ],
)
def test_what_the_tables_lack_is_not_said(tables):
    found = story(tables, DATA)
    assert len(found) == 5
    assert all("linear attention" not in sentence for sentence in found[1:4])
    assert "bias" not in found[-1]


def test_without_a_table_of_kernels_there_is_no_story():
    assert story({}, DATA) == []


@pytest.mark.parametrize(("last", "words"), [(None, "none"), (80.0, "80"), (1e6, "1,000,000")])
def test_reaches_in_words(last, words):
    assert reach_words({"last_n": last, "first_hole": None}) == words
