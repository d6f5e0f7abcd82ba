"""Every kernel by its formula, as `literal_kernels` has it, and what is said of it in words."""

import math
from dataclasses import replace

import numpy as np
import pytest
from literal_kernels import (
    BY_HAND,
    OF_ROWS,
    OF_SCORES,
    OF_SCORES_ABOVE_ZERO,
    OF_VECTORS,
    UNDIVIDED,
    divided,
)

from attention_separation.attention.kernel import KernelInputs
from attention_separation.attention.kernels import KERNELS, exponential

QUERIES, KEYS, N, D = 40, 6, 50, 4


def seen(lowest=0.1, highest=3.0, counts=True):
    """Any scores, and vectors of which they are not the products; one coordinate is above 0 in all,
    so that no product of features is 0."""
    rng = np.random.default_rng(3)
    scores = rng.uniform(lowest, highest, (QUERIES, KEYS))
    queries, keys = rng.normal(size=(QUERIES, D)), rng.normal(size=(KEYS, D))
    for vectors in (queries, keys):
        vectors[:, 0] = rng.uniform(0.5, 1.5, len(vectors))
    of_keys = rng.integers(1, 9, KEYS) if counts else np.ones(KEYS, dtype=int)
    return KernelInputs(scores, queries, keys, np.broadcast_to(of_keys, scores.shape), N, D)


def with_products(of):
    return replace(of, scores=of.queries @ of.keys.T)


def test_every_kernel_is_written_out():
    assert {*KERNELS} == BY_HAND
    assert {kernel.normaliser for kernel in KERNELS.values()} == {"row sum", "1 + row sum", "none"}


@pytest.mark.parametrize("name", OF_SCORES | OF_SCORES_ABOVE_ZERO)
def test_a_function_of_scores(name):
    kernel, formula = KERNELS[name], (OF_SCORES | OF_SCORES_ABOVE_ZERO)[name]
    assert kernel.kind == "score"
    for lowest in (0.1, -3.0) if name in OF_SCORES else (0.1,):
        of = replace(seen(lowest), queries=None, keys=None)
        wanted = divided(name, formula(of.scores, N, D), of.multiplicities)
        np.testing.assert_allclose(kernel.attention_weights(of), wanted, rtol=1e-12)


@pytest.mark.parametrize("name", OF_VECTORS)
def test_a_function_of_vectors(name):
    """Efficient Attention's softmax over keys takes every key once."""
    kernel, of = KERNELS[name], with_products(seen(counts=name != "efficient"))
    wanted = divided(name, OF_VECTORS[name](of.queries, of.keys), of.multiplicities)
    np.testing.assert_allclose(kernel.attention_weights(of), wanted, rtol=1e-12)


@pytest.mark.parametrize("name", OF_ROWS)
@pytest.mark.parametrize("highest", [0.3, 3.0, 30.0])
def test_sparse_rows(name, highest):
    """Above one tau for the whole row there is weight, (alpha - 1) x - tau to the power, and below
    it none; so the row, of sum 1, is the only one."""
    alpha, of = OF_ROWS[name], seen(highest=highest)
    weights = KERNELS[name].attention_weights(of)
    np.testing.assert_allclose((weights * of.multiplicities).sum(axis=1), 1.0, rtol=1e-13)
    for row, scores in zip(weights, (alpha - 1) * of.scores, strict=True):
        tau = (scores - row ** (alpha - 1))[row > 0]
        np.testing.assert_allclose(tau, tau[0], atol=1e-12)
        assert (scores[row == 0] <= tau[0] + 1e-12).all()


def test_hardmax():
    of = seen()
    scores = np.array([[1.0, 3.0, 3.0, 2.0], [0.3, 0.1 + 0.2, 0.1, 0.2]])
    of = replace(of, scores=scores, multiplicities=np.array([[5, 1, 3, 2]] * 2))
    wanted = [[0, 1 / 4, 1 / 4, 0], [1 / 6, 1 / 6, 0, 0]]
    np.testing.assert_allclose(KERNELS["hardmax"].attention_weights(of), wanted, rtol=1e-15)


@pytest.mark.parametrize("lowest", [-30.0, -1.0, 2.0, 1000.0])
def test_softmax_one_is_softmax_with_one_more_key_of_score_0(lowest):
    of = seen(lowest, lowest + 3)
    one_more = replace(
        of,
        scores=np.pad(of.scores, ((0, 0), (0, 1))),
        multiplicities=np.pad(of.multiplicities, ((0, 0), (0, 1)), constant_values=1),
    )
    wanted = KERNELS["exp"].attention_weights(one_more)[:, :-1]
    found = KERNELS["softmax_one"].attention_weights(of)
    np.testing.assert_allclose(found, wanted, rtol=1e-13)


@pytest.mark.parametrize("name", ["power_log_n", "exp_root", "power_12"])
def test_a_score_of_0_and_keys_that_do_not_exist(name):
    """The least weight there is; and what does not exist is no largest one."""
    scores = np.array([[0.0, 2.0, 900.0]])
    of = KernelInputs(scores, None, None, np.array([[4, 3, 0]]), n=10**9, d=D)
    (row,) = KERNELS[name].attention_weights(of)
    of_zero = 1 / (4 + 3 * math.exp(math.sqrt(2))) if name == "exp_root" else 0
    np.testing.assert_allclose(row, [of_zero, (1 - 4 * of_zero) / 3, 0], rtol=1e-14)


def rest_of_row(kernel, of):
    """Weights on all keys but the first, as parts of their sum."""
    rest = kernel.attention_weights(of)[:, 1:]
    return rest / np.maximum(rest.sum(axis=1, keepdims=True), np.finfo(float).tiny)


@pytest.mark.parametrize("name", KERNELS)
def test_what_it_sees_is_what_its_weights_depend_on(name):
    """One thing at a time is another: n, d, the vectors of given scores, or the first key, which
    the other keys' weights do not depend on but through the division."""
    kernel, of = KERNELS[name], seen(0.1, 0.5)

    def moves(other, weights=lambda of: kernel.attention_weights(of)):
        return not np.allclose(weights(of), weights(other), rtol=1e-9, atol=0)

    first = np.arange(KEYS) == 0
    another_key = replace(
        of, scores=of.scores + first, keys=np.where(first[:, None], of.keys + 1, of.keys)
    )
    depends = {
        "n": moves(replace(of, n=2 * N)),
        "d": moves(replace(of, d=2 * D)),
        "vectors": moves(replace(of, queries=of.queries[::-1], keys=of.keys[::-1])),
        "other keys": moves(another_key, lambda of: rest_of_row(kernel, of)),
    }
    assert depends == {
        "n": "n" in kernel.also,
        "d": "d" in kernel.also,
        "vectors": kernel.kind == "features",
        "other keys": kernel.kind == "row" or "all keys" in kernel.also,
    }
    assert {*kernel.also} <= {"n", "d", "all keys"}


def test_what_it_sees_in_words():
    words = {
        "exp": "x", "sigmoid": "x", "power_log_n": "x and n", "exp_sqrt_d": "x and d",
        "ssmax": "x, n and d", "rbf": "q and k", "efficient": "q, k and all keys",
        "entmax_125": "a whole row",
    }  # fmt: skip
    assert {name: KERNELS[name].sees for name in words} == words


def test_words_tell_kernels_apart():
    kernels = KERNELS.values()
    assert len({kernel.symbol for kernel in kernels}) == len(kernels)
    assert all(kernel.source for kernel in kernels)
    not_divided = {name for name, kernel in KERNELS.items() if kernel.normaliser == "none"}
    assert not_divided == UNDIVIDED
    assert not_divided == {name for name in KERNELS if "not divided" in KERNELS[name].symbol}


def test_the_score_of_a_key_that_does_not_exist_may_be_any():
    """One class: nothing is of another, however large its score would weigh."""
    seen = KernelInputs(
        np.array([[1.0, 0.5, 900.0, 900.0]]), None, None, np.array([[1, 3, 0, 0]]), 4, 3
    )
    cold = exponential("cold", "", lambda _: 0.5, "")
    weights = cold.attention_weights(seen)
    assert weights[0, 2:].tolist() == [0.0, 0.0]
    assert weights @ [1, 3, 0, 0] == pytest.approx(1)
