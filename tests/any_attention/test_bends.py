"""Bends of weights between the n that are asked: islands and holes in them are found."""

import warnings

import numpy as np
import pytest

import attention_separation as asep
from attention_separation.any_attention.bends import MOST_BENDS, sizes_at_bends
from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.reach_search import asked_sizes, sizes_asked_of
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets.dataset import FixedData

DATA = FixedData()


def in_n(place, width):
    """Softmax near a number of tokens, and next to uniform elsewhere."""
    return lambda x, n: np.exp(x * (0.1 + np.exp(-(((n - place) / width) ** 2))))


def in_x(place, width):
    return lambda x: np.exp(x * (1 + 3 * np.exp(-(((x - place) / width) ** 2))))


ISLANDS = {
    "2 % of n": (in_n(7_300, 80), {}, 7_300),
    "1 % of a million": (in_n(1e6, 5e3), {}, 1_000_000),
    "a level": (in_n(5_200, 60), {"level": 0.5}, 5_200),
    "a formula": ("exp(x*(0.1 + exp(-((n - 5040)/60)**2)))", {}, 5_040),
    "rows": (
        asep.rows(lambda x, counts, n: in_n(9e4, 900)(x, n), normalised=True), {}, 90_000,
    ),
    "cross-attention": (in_n(8_000, 100), {"model": "cross_attention"}, 8_000),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*does not separate at some n")
@pytest.mark.parametrize("name", ISLANDS)
def test_an_island_is_found_and_said(name):
    kernel, options, place = ISLANDS[name]
    with pytest.warns(UserWarning, match=r"its weights bend .* 2,000 times a decade"):
        spans = asep.spans(kernel, **options)
    assert any(first <= place <= last for first, last in spans if first > 40)
    with pytest.warns(UserWarning, match="its weights bend"):
        assert asep.largest_n(kernel, **options) == spans[-1][1]
    assert asep.separates_from("x**4") is None


@pytest.mark.filterwarnings("ignore:.*(its weights bend|does not separate)")
def test_a_hole_of_a_kernel_without_n_is_found():
    """A bend in x is one in n: scores grow with log n."""
    holes = asep.holes(in_x(9.0, 0.02))
    assert holes
    for first, last in holes[:1]:
        half = asep.separate("exp", n=first).probability / 2
        assert asep.separate(in_x(9.0, 0.02), n=first).probability <= half
        assert asep.separate(in_x(9.0, 0.02), n=int(last) + 20).probability > half


SMOOTH = {
    "a root": lambda x: np.exp(np.sqrt(x)),
    "with n": lambda x, n: np.exp(x * np.log(n) / 10),
    "a sigmoid": lambda x, n: 1 / (1 + np.exp(np.log(n) - x)),
    "a power": "x**4",
    "elu": asep.features(lambda z: np.where(z > 0, z + 1, np.exp(z))),
    "element by element": asep.features(np.exp, elementwise=True),
    "rows": asep.rows(lambda x, counts: np.exp(x) / (counts * np.exp(x)).sum()),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_weights_do_not_bend(name):
    kernel = asep.kernel_of(SMOOTH[name])
    for layer in LAYERS:
        asked = sizes_asked_of(kernel, layer, DATA)
        assert len(sizes_at_bends(kernel, layer, DATA, asked)) == 0


def test_of_the_built_in_kernels_two_bend():
    """By what is asked of them: a hole can hide nowhere else."""
    layer = LAYERS[0]
    asked = asked_sizes(DATA)
    bent = [
        name
        for name, kernel in KERNELS.items()
        if len(sizes_at_bends(kernel, layer, DATA, asked)) > 0
    ]
    assert bent == ["entmax_125", "entmax_15_sqrt_d"]


def test_of_an_oscillation_the_largest_bends_are_asked():
    kernel = asep.scores(lambda x: 2 + np.sin(1000 * x))
    asked = asked_sizes(DATA)
    sizes = sizes_at_bends(kernel, LAYERS[0], DATA, asked)
    assert len(sizes) == MOST_BENDS
    assert (sizes % DATA.classes == 0).all()
    assert not np.isin(sizes, asked).any()


def test_a_kernel_without_weights_somewhere_has_no_bends_there():
    """Weights that overflow are an error where they are asked for, and not here."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel = asep.scores(lambda x: np.exp(x**3))
        sizes = sizes_at_bends(kernel, LAYERS[0], DATA, asked_sizes(DATA))
    assert len(sizes) <= MOST_BENDS
