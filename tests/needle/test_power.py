"""Powers of the score: the characteristic function literally, and that nothing near is better."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_separation.needle import power
from attention_separation.needle.power import Reading, accuracy_of, sought_reading

FINEST = power.Grid(1000, 1000, 1e-13, few=8)


@pytest.mark.parametrize("p", [2, 3, 4])
def test_the_characteristic_function_by_the_real_line(p):
    """Where g omega turns slowly a plain sum over z is right."""
    z = np.linspace(-9, 14, 200_001)
    g = (z + 1.1) ** p * (z - 1.7)
    for omega in (1e-5, 1e-4, 1e-3):
        for mu in (0.0, 5.0):
            density = np.exp(-((z - mu) ** 2) / 2) / np.sqrt(2 * np.pi)
            wanted = (np.exp(1j * omega * g) * density).sum() * (z[1] - z[0])
            path = power._Path(p, 5.0, 1.1, 1.7, 400)
            found = path.characteristic(np.array([omega]))[int(mu > 0)][0]
            assert found == pytest.approx(wanted, abs=1e-9)


@settings(max_examples=25)
@given(
    p=st.sampled_from([2, 3, 4]), mu=st.floats(1, 8), n=st.integers(8, 10**6),
    delta=st.floats(0.5, 3), shift=st.floats(0.1, 1.5),
)  # fmt: skip
def test_the_path_stays_where_the_integrand_falls(p, mu, n, delta, shift):
    reading = Reading(delta, shift)
    path = power._path(p, mu, n, reading, power.STATED)
    assert path._g.imag.min() >= -1e-9 * np.abs(path._g).max()


@given(case=st.sampled_from([(2, 5.0, 16), (3, 5.0, 3533)]))
def test_no_reading_on_a_grid_is_better(case):
    p, mu, n = case
    best = sought_reading(p, mu, n)
    value = accuracy_of(p, mu, n, best)
    grid = itertools.product(np.geomspace(0.4, 6, 8), np.linspace(0, 4, 7))
    assert all(accuracy_of(p, mu, n, Reading(d, s), power.SOUGHT) < value + 1e-7 for d, s in grid)
    for d, s in ((1.01, 0), (0.99, 0), (1, 0.01), (1, -0.01)):
        near = Reading(best.delta * d, best.shift + s)
        assert accuracy_of(p, mu, n, near) < value + power.SOUGHT_TO


@pytest.mark.parametrize(("p", "mu", "n"), [(2, 4.0, 128), (3, 5.0, 32)])
def test_a_search_from_another_start_ends_as_high(p, mu, n):
    cold, _ = power.accuracy_and_reading(p, mu, n)
    for start in (Reading(0.9, 0.8), Reading(1.6, 1.5)):
        warm, _ = power.accuracy_and_reading(p, mu, n, start)
        assert abs(warm.value - cold.value) < power.SOUGHT_TO


@given(case=st.sampled_from([(2, 5.0, 8), (3, 4.0, 500)]))
def test_the_stated_error_holds_against_a_finer_grid(case):
    p, mu, n = case
    found, reading = power.accuracy_and_reading(p, mu, n)
    assert abs(found.value - accuracy_of(p, mu, n, reading, FINEST)) < found.error < 1e-6


def test_of_one_token_it_is_known_and_of_two_at_most_1(monkeypatch):
    assert power.best_accuracy(3, 4.0, 1).value == pytest.approx(0.9772498680518208)
    monkeypatch.setattr(power, "sought_reading", lambda *_: Reading(1.2, 1.0))
    monkeypatch.setattr(power, "accuracy_of", lambda *_: 1 + 1e-6)
    assert power.best_accuracy(4, 10.0, 2).value == 1
