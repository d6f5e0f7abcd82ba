"""Fourier inversions: sums whose mean sign is known."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from attention_separation.statistics.fourier import (
    Frequencies,
    half_integers,
    over_log_frequencies,
    square_wave,
)


def mean_sign(size, spread, characteristic, off_lattice=False):
    """Of `size` plus noise with a real characteristic function."""
    frequencies = Frequencies(size=size, spread=spread, least_size=size)
    needed = frequencies.needed_off_lattice if off_lattice else frequencies.needed
    omega = needed(lambda values: np.abs(characteristic(values)))
    return frequencies.mean_sign(np.sin(size * omega) * characteristic(omega))


@pytest.mark.parametrize("off_lattice", [False, True])
def test_of_normal_noise(off_lattice):
    for size in (1e-3, 0.1, 1.0, 5.0, 40.0):
        found = mean_sign(size, 1.0, lambda omega: np.exp(-(omega**2) / 2), off_lattice)
        assert found.value == pytest.approx(2 * ndtr(size) - 1, abs=1e-13), size
        assert found.error < 1e-13, size


@pytest.mark.parametrize("terms", [1, 2, 3, 10, 101])
def test_of_sums_of_signs_where_ties_count_0(terms):
    for size in (0.5, 1.0, 2.0, 3.0):
        found = mean_sign(size, math.sqrt(terms), lambda omega: np.cos(omega) ** terms)
        ways = [math.comb(terms, heads) / 2**terms for heads in range(terms + 1)]
        sums = [size + 2 * heads - terms for heads in range(terms + 1)]
        wanted = sum(way * np.sign(total) for way, total in zip(ways, sums, strict=True))
        assert abs(found.value - wanted) <= found.error + 1e-12, size
        assert found.error < 0.06, size


def test_of_uniform_noise_whose_law_ends_at_0():
    """A jump at 0 is the roughest that is met: the error says it."""
    found = mean_sign(1.0, 1 / math.sqrt(3), lambda omega: np.sinc(omega / np.pi))
    assert abs(found.value - 1) <= found.error < 0.03


def test_of_atoms_nearer_to_0_than_is_resolved_the_error_covers_half_of_all_sums():
    """Half of them are -0.002, which the normal numbers that are added hide."""
    found = mean_sign(1.0, 1.002, lambda omega: np.cos(1.002 * omega))
    assert 0.1 < abs(found.value) <= found.error < 3 * abs(found.value)


def test_of_many_sums_at_one_time():
    sizes = np.array([0.5, 1.0, 2.0])
    frequencies = Frequencies(size=2.0, spread=1.0, least_size=0.5)
    omega = frequencies.needed(lambda values: np.exp(-(values**2) / 2))
    transforms = np.sin(np.multiply.outer(sizes, omega)) * np.exp(-(omega**2) / 2)
    found = frequencies.mean_sign(transforms)
    assert found.value == pytest.approx(2 * ndtr(sizes) - 1, abs=1e-13)


@pytest.mark.parametrize("mean", [0.5, 1.5])
def test_equal_steps_of_the_logarithm_have_the_mean_sign_of_a_normal_number(mean):
    log_omega, step = np.linspace(-5, 3, 161, retstep=True)
    omega = np.exp(log_omega)
    imaginary = np.sin(mean * omega) * np.exp(-(omega**2) / 2)
    wanted = math.erf(mean / math.sqrt(2))
    assert 2 / math.pi * over_log_frequencies(imaginary, step) == pytest.approx(wanted, abs=3e-6)


@pytest.mark.parametrize("mean", [0.5, 1.5])
def test_a_square_wave_has_it_too(mean):
    step = 2 * math.pi / 20
    omega = step * half_integers(40)
    imaginary = np.sin(mean * omega) * np.exp(-(omega**2) / 2)
    wanted = math.erf(mean / math.sqrt(2))
    assert imaginary @ square_wave(40) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_a_mean_sign_is_the_same_on_every_scale(scale):
    """Of a sum on a lattice, to which normal numbers of some size are added."""

    def of_signs(omega):
        return np.cos(omega) ** 2

    wanted = mean_sign(1.0, math.sqrt(2), of_signs)
    found = mean_sign(scale, scale * math.sqrt(2), lambda omega: of_signs(scale * omega))
    assert found.value == pytest.approx(wanted.value, rel=1e-9)
    assert found.error == pytest.approx(wanted.error, rel=1e-9)
