"""Every kernel by its formula, as `literal_kernels` has it, and what is said of it in words."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from literal_kernels import (
    BY_HAND,
    OF_ROWS,
    OF_SCORES,
    OF_SCORES_ABOVE_ZERO,
    OF_VECTORS,
    UNDIVIDED,
    adaptive,
    divided,
)

from attention_separation.any_attention.layers import LAYERS, token_types
from attention_separation.attention.distinct_rows import distinct_rows
from attention_separation.attention.kernel import KernelInputs
from attention_separation.attention.kernels import (
    ENTROPY_POLYNOMIAL,
    KERNELS,
    exponential,
    minus_mean,
)
from attention_separation.datasets.dataset import FixedData

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


def test_a_function_of_scores(subtests):
    for name in OF_SCORES | OF_SCORES_ABOVE_ZERO:
        with subtests.test(name):
            kernel, formula = KERNELS[name], (OF_SCORES | OF_SCORES_ABOVE_ZERO)[name]
            assert kernel.kind == "score"
            for lowest in (0.1, -3.0) if name in OF_SCORES else (0.1,):
                of = replace(seen(lowest), queries=None, keys=None)
                wanted = divided(name, formula(of.scores, N, D), of.multiplicities)
                np.testing.assert_allclose(kernel.attention_weights(of), wanted, rtol=1e-12)


def test_a_function_of_vectors(subtests):
    """Efficient Attention's softmax over keys takes every key once."""
    for name in OF_VECTORS:
        with subtests.test(name):
            kernel, of = KERNELS[name], with_products(seen(counts=name != "efficient"))
            wanted = divided(name, OF_VECTORS[name](of.queries, of.keys), of.multiplicities)
            np.testing.assert_allclose(kernel.attention_weights(of), wanted, rtol=1e-12)


def test_sparse_rows(subtests):
    """Above one tau for the whole row there is weight, (alpha - 1) x - tau to the power, and below
    it none; so the row, of sum 1, is the only one."""
    for name in OF_ROWS:
        for highest in (0.3, 3.0, 30.0):
            with subtests.test(f"{name}, {highest}"):
                alpha, of = OF_ROWS[name], seen(highest=highest)
                weights = KERNELS[name].attention_weights(of)
                np.testing.assert_allclose(
                    (weights * of.multiplicities).sum(axis=1), 1.0, rtol=1e-13
                )
                scale = 1 / math.sqrt(D) if "sqrt_d" in name else 1
                for row, scores in zip(weights, (alpha - 1) * scale * of.scores, strict=True):
                    tau = (scores - row ** (alpha - 1))[row > 0]
                    np.testing.assert_allclose(tau, tau[0], atol=1e-12)
                    assert (scores[row == 0] <= tau[0] + 1e-12).all()


@pytest.mark.parametrize("highest", [0.3, 8.0, 60.0])
def test_adaptive_temperature(highest):
    """Of keys one by one; rows nearly uniform, in between, and of nearly one token."""
    of, kernel = seen(highest=highest), KERNELS["adaptive_sqrt_d"]
    wanted = adaptive(np.repeat(of.scores, of.multiplicities[0], axis=1) / math.sqrt(D))
    found = np.repeat(kernel.attention_weights(of), of.multiplicities[0], axis=1)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_adaptive_temperature_leaves_rows_of_more_than_382_tokens_as_they_are():
    kernel, plain = KERNELS["adaptive_sqrt_d"], KERNELS["exp_sqrt_d"]
    for tokens, changed in ((381, True), (382, False), (10**12, False)):
        one = np.array([[0.1, 0.1 + 1e-9]]), None, None, np.array([[1, tokens - 1]])
        of = KernelInputs(*one, n=tokens, d=D)
        gaps = (np.diff(np.log(each.attention_weights(of)))[0, 0] for each in (kernel, plain))
        found, wanted = gaps
        assert (found > 1.0005 * wanted) == changed
    # Where it sharpens most.
    entropies = np.linspace(0.5, 6, 10_001)
    assert np.polyval(ENTROPY_POLYNOMIAL, entropies).max() == pytest.approx(2.4214, abs=5e-5)
    ends = entropies[np.polyval(ENTROPY_POLYNOMIAL, entropies) > 1][[0, -1]]
    assert ends == pytest.approx([0.8486, math.log(381.65)], abs=6e-4)


def test_hardmax():
    of = seen()
    scores = np.array([[1.0, 3.0, 3.0, 2.0], [0.3, 0.1 + 0.2, 0.1, 0.2]])
    of = replace(of, scores=scores, multiplicities=np.array([[5, 1, 3, 2]] * 2))
    wanted = [[0, 1 / 4, 1 / 4, 0], [1 / 6, 1 / 6, 0, 0]]
    np.testing.assert_allclose(KERNELS["hardmax"].attention_weights(of), wanted, rtol=1e-15)


def test_a_part_of_the_mean_is_subtracted(subtests):
    """f - part / n, and for part < 1 that is (1 - part) times rows f' of sum 1."""
    for name in ("exp_sqrt_d", "linear", "entmax_15"):
        for part in (0.0, 0.3, 0.95, 1.0):
            with subtests.test(f"{name}, {part}"):
                of, kernel = seen(), KERNELS[name]
                rows, n = kernel.attention_weights(of), of.multiplicities[:, :, None].sum(axis=1)
                found = minus_mean(part, kernel).attention_weights(of)
                np.testing.assert_allclose(found, rows - part / n, rtol=1e-12, atol=1e-17)
                total = (found * of.multiplicities).sum(axis=1)
                np.testing.assert_allclose(total, 1 - part, atol=1e-15)


def test_less_all_of_the_mean_differences_are_left_at_any_n():
    """sum_k count_k (w_j - w_k) / (n sum w), by whole numbers."""
    n, scores, counts = 10**12, [3, 2, 1], [1, 5, 10**12 - 6]
    of = KernelInputs(np.array([scores], dtype=float), None, None, np.array([counts]), n, D)
    total = sum(c * x for c, x in zip(counts, scores, strict=True))
    wanted = [
        sum(c * (own - x) for c, x in zip(counts, scores, strict=True)) / (n * total)
        for own in scores
    ]
    found = minus_mean(1.0, KERNELS["linear"]).attention_weights(of)[0]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


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


def depends_on(kernel, of):
    """What its weights move with. One thing at a time is another: n, d, the vectors of given
    scores, or the first key, which the other keys' weights do not depend on but through the
    division."""

    def moves(other, weights=kernel.attention_weights):
        return not np.allclose(weights(of), weights(other), rtol=1e-9, atol=0)

    first = np.arange(KEYS) == 0
    another_key = replace(
        of, scores=of.scores + first, keys=np.where(first[:, None], of.keys + 1, of.keys)
    )
    return {
        "n": moves(replace(of, n=2 * N)),
        "d": moves(replace(of, d=2 * D)),
        "vectors": moves(replace(of, queries=of.queries[::-1], keys=of.keys[::-1])),
        "other keys": moves(another_key, lambda of: rest_of_row(kernel, of)),
    }


def test_what_it_sees_is_what_its_weights_depend_on(subtests):
    for name, kernel in KERNELS.items():
        with subtests.test(name):
            assert depends_on(kernel, seen(0.1, 0.5)) == {
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


# Sparsemax at any n against rational arithmetic: its threshold hangs on the last digits.

SIZES = [20, 200, 20_000, 10**8, 10**10, 10**12]


def projected(scores, counts):
    """max(x - tau, 0) with sum 1 over all tokens; tau of the largest k tokens, k the largest with
    the k-th above it."""
    x = [Fraction(float(score)) for score in scores]
    size, total, tau = 0, Fraction(0), None
    for score, count in sorted(zip(x, counts.tolist(), strict=True), reverse=True):
        size, total = size + count, total + count * score
        if count and score > (total - 1) / size:
            tau = (total - 1) / size
    return [float(max(score - tau, 0)) for score in x]


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
def test_weights_are_those_of_rational_arithmetic(layer):
    for types in token_types(layer, FixedData(), SIZES):
        weights = distinct_rows(types, KERNELS["sparsemax"]).weights
        for point, row in np.argwhere(types.exists):
            counts = types.multiplicities[point]
            wanted = np.where(counts > 0, projected(types.scores[point, row], counts), 0.0)
            assert weights[point, row] == pytest.approx(wanted, rel=1e-14)
