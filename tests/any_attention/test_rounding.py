"""Rounding to 16 bits against the formats themselves: every tie, and numbers of all sizes."""

import ml_dtypes
import numpy as np
import pytest

from attention_separation.studies.any_attention.tables.precision import SCHEMES, rounded

FORMATS = {scheme.name: (scheme.digits, scheme.least) for scheme in SCHEMES}
BF16, FP16, FP32 = FORMATS["flash_bf16"], FORMATS["eager_fp16"], ()
TYPES = {"bf16": (BF16, ml_dtypes.bfloat16), "fp16": (FP16, np.float16)}
each_format = pytest.mark.parametrize(("to", "dtype"), TYPES.values(), ids=TYPES)


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
