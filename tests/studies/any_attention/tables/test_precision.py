"""Rounding to 16 bits against the formats themselves, rounded rows against n x n attention in them,
and the table of what is lost."""

import itertools
import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from literal_kernels import OF_SCORES, OF_SCORES_ABOVE_ZERO
from making import CONFIG

from attention_separation.__main__ import run_job
from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.values import best_probabilities, separate
from attention_separation.any_attention.verdicts import exp_probabilities
from attention_separation.attention.kernels import KERNELS, minus_mean
from attention_separation.results.tables import read_parquet
from attention_separation.studies.any_attention.settings import Data
from attention_separation.studies.any_attention.tables import precision
from attention_separation.studies.any_attention.tables.precision import SCHEMES, rounded

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=10, delta=0.01, at_least=15)
PAPERS = DATA.model_copy(update={"classes": 20})
TYPES = {"bf16": ml_dtypes.bfloat16, "fp16": np.float16}
LITERAL = OF_SCORES | OF_SCORES_ABOVE_ZERO
CASES = (
    ("exp", 0), ("exp_sqrt_d", 0), ("linear", 0), ("power_4", 0), ("uniform", 0),
    ("exp_sqrt_d", 0.95), ("linear", 1),
)  # fmt: skip


def literal_scores(layer, n, dataset, scheme, cases):
    """<c_j0, y> of all tokens, for all 2^d columns: the largest, by case; tensors are stored in the
    format's own type, and sums over tokens are of float64."""
    kind, dtype = scheme.name.split("_")

    def single(x):
        return x.astype(np.float32).astype(np.float64)

    def stored(x):
        return x.astype(np.float32).astype(TYPES[dtype]).astype(np.float64)

    d = layer.d(DATA.classes)
    places = np.zeros(layer.dataset.special_tokens, dtype=int)
    parts = layer.dataset.literal(layer.tokens(DATA, n), dataset, places)[:3]
    a1, a2, a3 = map(stored, parts)
    x = np.ones((d, d)) if layer.attention_x == "ones" else np.eye(d)
    scores = stored(a1 @ x) @ a2.T

    def attention(name):
        if kind == "eager":
            weights = LITERAL[name](stored(scores), n, d)
            return stored(stored(weights / weights.sum(axis=1, keepdims=True)) @ a3)
        weights = LITERAL[name](single(scores), n, d)
        p = single(weights / weights.max(axis=1, keepdims=True))
        return stored(single(stored(p) @ a3) / single(p.sum(axis=1, keepdims=True)))

    y = np.array(list(itertools.product([-1.0, 1.0], repeat=d))).T
    for name, part in cases:
        c = attention(name)
        if part:
            c = stored(c - part * attention("uniform"))
        u = c @ y
        yield (stored(u) if kind == "eager" else u).max(axis=0)


@settings(max_examples=4)
@given(layer=st.sampled_from(LAYERS), scheme=st.sampled_from(SCHEMES))
@example(layer=LAYERS[0], scheme=SCHEMES[0])
@example(layer=LAYERS[-1], scheme=SCHEMES[-1])
def test_against_n_by_n_attention_in_the_formats_themselves(layer, scheme):
    """The largest scores of all columns, to the last bit."""
    for n, dataset in ((10, 1), (200, 0), (200, 1)):
        literal = literal_scores(layer, n, dataset, scheme, CASES)
        for (name, part), wanted in zip(CASES, literal, strict=True):
            scored = precision.rounded_columns(KERNELS[name], part, layer, DATA, scheme, [10, n])
            states = (scored.d0, scored.d1)[dataset].score[1]
            np.testing.assert_array_equal(np.unique(states), np.unique(wanted), name)


@given(layer=st.sampled_from(LAYERS), part=st.sampled_from([0.5, 0.95]))
def test_less_a_part_of_the_mean_p_is_that_of_rows_of_sum_1(layer, part):
    """f' = (f - part / n) / (1 - part) has the same P, and 1 / (1 - part) times the margin."""
    kernel, n = KERNELS["exp_sqrt_d"], [200, 2000, 20_000]
    of_exp = exp_probabilities(layer, PAPERS, tuple(n))
    less = minus_mean(part, kernel)
    divided = type(kernel)("f'", "", "row", less.attention_weights)
    found, wanted = (separate(each, layer, PAPERS, n, of_exp) for each in (less, divided))
    np.testing.assert_allclose(found.p_best, wanted.p_best, rtol=1e-12)
    np.testing.assert_allclose(found.margin, (1 - part) * wanted.margin, rtol=1e-9)
    assert (found.p_best > best_probabilities(kernel, layer, PAPERS, n) - 1e-12).all()


def test_less_all_of_the_mean_the_last_coordinate_is_gone():
    """Not even rounding is left of it, which would be a level of its own."""
    for name in ("exp", "exp_sqrt_d", "linear"):
        for layer in LAYERS:
            of = minus_mean(1, KERNELS[name]), layer, PAPERS, [10**12]
            for rows in precision.score_columns(*of).rows:
                assert rows.last is None or (rows.last == 0).all(), (name, layer.words)


def test_the_first_that_is_lost():
    for low, high in (
        (20, 40),
        (13_140, 13_180),
        (99_140, 99_180),
        (400_000, 440_000),
        (10**9, 2 * 10**9),
    ):
        found = precision.first_lost(
            lambda n, a=low, b=high: ((n < a) | (n >= b)).astype(float), PAPERS
        )
        assert found == low
    assert precision.first_lost(lambda n: np.ones(len(n)), PAPERS) == math.inf
    # Of two that are lost the first may be undecided: then it is not known.
    for undecided, wanted in (((20, 40), math.nan), ((60, 80), math.nan), ((200, 300), 100)):

        def verdict(n, low=undecided[0], high=undecided[1]):
            return np.where((n >= low) & (n < high), np.nan, n < 100)

        assert precision.first_lost(verdict, PAPERS) == pytest.approx(wanted, nan_ok=True)
    # sqrt(log n) is 0 at one token.
    assert precision.tested_sizes(PAPERS.model_copy(update={"classes": 1}), 10, 5)[0] == 2


def test_the_table(monkeypatch, tmp_path):
    """Numbers that were first found by another program."""
    monkeypatch.setattr(precision, "CASES", (("exp_sqrt_d", 0.0), ("linear", 1.0)))
    schemes = [scheme for scheme in SCHEMES if scheme.name in ("flash_bf16", "eager_bf16")]
    monkeypatch.setattr(precision, "SCHEMES", schemes)
    job = CONFIG.studies()["any_attention"].results["kernels_precision"].settings
    output = tmp_path / "precision.parquet"
    words = ["--settings", job.canonical(), "--output", str(output)]
    run_job("studies.any_attention.tables.precision", *words)
    rows = read_parquet(output, precision.SCHEMA).to_pylist()

    def column(name, scheme="flash_bf16"):
        of = (row for row in rows if row["scheme"] == scheme)
        return [row[name] for row in of]

    assert len(rows) == 2 * 3 * 2
    row = next(row for row in rows if (row["kernel"], row["lambda"]) == ("linear", 1))
    n = precision.tested_sizes(PAPERS, 0, 5)
    of = KERNELS["linear"], 1, LAYERS[0], PAPERS, SCHEMES[0], n.tolist()
    after = precision.rounded_columns(*of).best_probabilities() > 0.5
    lasts = n <= row["last_n"]
    assert (row["gained"], row["lost"]) == ((after & ~lasts).sum(), (~after & lasts).sum())
    assert row["gained"] > 0
    assert max(column("lost")) > 0
    assert column("last_n") == [100, 1300, None, 17_640, math.inf, math.inf]
    assert column("first_lost") == [120, 1280, 20, 13_140, 5660, 1320]
    assert column("first_lost", "eager_bf16")[:3] == [100, 1020, 20]
    assert column("first_lost_exact")[:3] == [120, 1320, 20]
    assert column("margin_of_exp")[3:] == pytest.approx([0.001438, 0.000861, 0.001306], abs=6e-7)
    biased = [column(f"p_each_bias_{n}", "eager_bf16") for n in (2000, 20_000)]
    assert [each[0] for each in biased] == pytest.approx([0.99921, 0.00008], abs=6e-6)


# Rounding of numbers: every tie, and numbers of all sizes.

FORMATS = {scheme.name: (scheme.digits, scheme.least) for scheme in SCHEMES}
BF16, FP16, FP32 = FORMATS["flash_bf16"], FORMATS["eager_fp16"], ()
each_format = pytest.mark.parametrize(
    ("to", "dtype"), [(BF16, ml_dtypes.bfloat16), (FP16, np.float16)], ids=["bf16", "fp16"]
)


def hold(x, to, dtype):
    with np.errstate(over="ignore"):
        wanted = x.astype(dtype).astype(np.float64)
    np.testing.assert_array_equal(rounded(x.astype(np.float64), *to), wanted)


@each_format
def test_every_tie_goes_to_even(to, dtype):
    """Half-way between neighbours, subnormal ones and the largest and inf among them."""
    of_inf = np.array([np.inf]).astype(dtype).view(np.uint16)[0]
    numbers = np.arange(of_inf, dtype=np.uint16).view(dtype).astype(np.float64)
    beyond = 2.0 ** (2 - to[1])
    ties = (numbers + np.append(numbers[1:], beyond)) / 2
    assert (ties.astype(np.float32) == ties).all()
    for sign in (1, -1):
        hold(sign * ties.astype(np.float32), to, dtype)
    # A number is itself.
    hold(numbers.astype(np.float32), to, dtype)


@each_format
def test_a_million_numbers_of_all_sizes(to, dtype):
    bits = np.random.default_rng(5).integers(0, 2**32, 10**6, dtype=np.uint32)
    numbers = bits.view(np.float32)
    hold(numbers[np.isfinite(numbers)], to, dtype)


def test_float32_of_numbers_of_all_sizes():
    rng = np.random.default_rng(6)
    numbers = rng.normal(size=10**6) * 2.0 ** rng.integers(-160, 130, 10**6)
    hold(numbers, FP32, np.float32)


def test_numbers_are_float32_before_they_have_16_bits():
    """Then this one is a tie, and goes down."""
    of = 1 + 2.0**-8 + 2.0**-30
    assert (rounded(of, *BF16), SCHEMES[0].stored(of)) == (1 + 2.0**-7, 1.0)


def test_no_number_stays_none():
    found = rounded(np.array([np.inf, -np.inf, np.nan, 0.0]), *BF16)
    np.testing.assert_array_equal(found, [np.inf, -np.inf, np.nan, 0.0])
