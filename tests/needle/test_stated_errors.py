"""The error that stands beside an accuracy covers the distance to a far finer rule, and is no wider
than needed.

Rules are made coarse here, so that their errors are far above rounding, and held against the same
rule far finer than the one that the stated error is measured by.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from attention_separation.needle import attention_sink, bayes, kernel_limits, power
from attention_separation.needle.accuracy import Accuracy, crossing
from attention_separation.needle.attention_sink import right_sink, sink_accuracy
from attention_separation.needle.kernel_limits import LIMITS_BY_KERNEL
from attention_separation.studies.needle import accuracy_limits
from attention_separation.studies.needle.settings.exact import LinesSettings

BEYOND = 1.2
"""How many times the other the distance or its stated error may be: what measures the error has an
error of its own."""

POINTS = [(1.0, 8), (3.0, 64), (5.0, 512), (8.0, 10**6)]
"""mu and n."""


def check(accuracy, far_finer):
    """That a stated error is the distance, which is far above rounding, and not much more."""
    distance = abs(accuracy.value - far_finer)
    assert distance > 1e-12
    assert distance <= BEYOND * accuracy.error
    assert accuracy.error <= BEYOND * distance


def test_of_linear(subtests):
    for mu, n, nodes in [(1.0, 8, 14), (3.0, 64, 24), (5.0, 512, 40), (8.0, 10**6, 60)]:
        with subtests.test(mu=mu, n=n, nodes=nodes), pytest.MonkeyPatch.context() as monkeypatch:
            far_finer = kernel_limits._total_variation_accuracy(mu, n, 1000)
            monkeypatch.setattr(kernel_limits, "CHI_NODES", nodes)
            monkeypatch.setattr(kernel_limits, "FINER_CHI_NODES", 2 * nodes)
            check(kernel_limits.linear_accuracy(mu, n), far_finer)


@pytest.mark.parametrize("n", [1000, 10**6])
def test_of_linear_as_it_is_where_few_nodes_are_enough(n):
    """At mu = 10 the rule's own error is above rounding."""
    check(
        kernel_limits.linear_accuracy(10.0, n),
        kernel_limits._total_variation_accuracy(10.0, n, 1000),
    )


STEPS, TERMS = "steps of z", "terms"


def coarsen(monkeypatch, what):
    """Make the inversion of the likelihood ratio's transform coarse in one of its two ways."""
    if what == STEPS:
        monkeypatch.setattr(bayes, "STEP_OF_Z", 3 * bayes.STEP_OF_Z)
        return
    monkeypatch.setattr(bayes, "EULER", 6)
    count_terms = bayes.count_terms
    monkeypatch.setattr(bayes, "count_terms", lambda *at, **more: count_terms(*at, **more) // 4)


def test_of_the_best_detector(subtests):
    for mu, n in POINTS:
        for what in [STEPS, TERMS]:
            with subtests.test(mu=mu, n=n, what=what), pytest.MonkeyPatch.context() as monkeypatch:
                far_finer = 0.5 + 0.5 * bayes._mean_shortfall(mu, n, bayes.STEP_OF_Z / 2, 4)
                coarsen(monkeypatch, what)
                check(bayes.best_accuracy(mu, n), far_finer)


def test_of_a_sink(subtests):
    for mu, n in POINTS:
        for what in [STEPS, TERMS]:
            with subtests.test(mu=mu, n=n, what=what), pytest.MonkeyPatch.context() as monkeypatch:
                logit = right_sink(mu, 4 * n)
                c = math.exp(logit - right_sink(mu, n))
                far_finer = 0.5 + 0.5 * attention_sink._detection_difference(
                    mu, n, mu, c, step=bayes.STEP_OF_Z / 2, times=4
                )
                coarsen(monkeypatch, what)
                check(sink_accuracy(mu, n, logit), far_finer)


def test_of_the_largest_token(subtests):
    search = kernel_limits.minimize_scalar

    def coarse_search(function, **more):
        return search(function, **more | {"options": {"xatol": 0.05}})

    for mu, n in POINTS:
        with subtests.test(mu=mu, n=n), pytest.MonkeyPatch.context() as monkeypatch:
            far_finer = kernel_limits.largest_token_accuracy(mu, n).value
            monkeypatch.setattr(kernel_limits, "minimize_scalar", coarse_search)
            check(kernel_limits.largest_token_accuracy(mu, n), far_finer)


READING = power.Reading(1.2, 1.0)


@pytest.fixture
def reading_is_known(monkeypatch):
    """Without a search, which takes longer than all else."""
    monkeypatch.setattr(power, "sought_reading", lambda *_: READING)


@pytest.mark.usefixtures("reading_is_known")
@pytest.mark.parametrize(("p", "mu", "n"), [(2, 5.0, 16), (3, 5.0, 500), (4, 8.0, 1000)])
def test_of_powers(p, mu, n, monkeypatch):
    as_it_is, _ = power.accuracy_and_reading(p, mu, n)
    # Another search would end as near as this.
    assert as_it_is.error >= power.SOUGHT_TO
    far_finer = power.accuracy_of(p, mu, n, READING, power.Grid(1000, 1000, 1e-13, few=8))
    monkeypatch.setattr(power, "STATED", power.Grid(66, 40, 0.1, few=8))
    monkeypatch.setattr(power, "FINER_GRID", power.Grid(100, 66, 0.01, few=8))
    coarse, _ = power.accuracy_and_reading(p, mu, n)
    check(coarse._replace(error=coarse.error - power.SOUGHT_TO), far_finer)


def test_of_layers_outside_the_bounds():
    """That of the best detector, whose own error is far smaller, has none of a grid."""
    outside = [row for row in accuracy_limits.ends() if not row["inside"]]
    for row, far_finer in zip(outside, accuracy_limits.layers_outside(4), strict=True):
        assert (row["layer"], row["kernel"]) == (far_finer.layer, far_finer.kernel)
        if "512 dimensions" in row["layer"] or "512 heads" in row["layer"]:
            assert row["accuracy"] == bayes.best_accuracy(row["mu"], row["n"]).value
        else:
            # Of two grids, of which it is the finer: the coarse one is further off.
            distance = abs(row["accuracy"] - far_finer.accuracy)
            assert 1e-12 < distance < 0.7 * row["error"], row["layer"]


@pytest.mark.parametrize("worse", ["above", "below"])
def test_of_a_crossing_it_is_that_of_the_worse_side(worse):
    """Accuracies that are off by their errors cross so far away, and no further."""

    def error_at(n):
        is_above = n < 1234.5
        return 1e-4 if is_above == (worse == "above") else 1e-7

    def accuracy(n, off=0.0):
        value = 0.75 - 0.02 * math.log(n / 1234.5)
        return Accuracy(value + off * 1e-4, error_at(n))

    found = crossing(accuracy, 50)
    moved = [crossing(lambda n, off=off: accuracy(n, off), 50).n for off in (-1, 1)]
    distance = max(abs(n - found.n) for n in moved)
    assert 0 < distance <= BEYOND * found.error
    assert found.error <= BEYOND * distance


@dataclass(frozen=True)
class Recorded:
    """The accuracy of a line that says in which order it was asked."""

    asked: list[int]

    def at(self, mu):
        del mu

        def accuracy_at(n):
            self.asked.append(n)
            return Accuracy(0.9, 1e-3 * n)

        return accuracy_at

    name, kind, method = "recorded", "bound", "none"


def test_in_the_table_of_accuracies_every_row_has_its_own():
    """Rows in the order that is asked for, searches from few tokens to many."""
    job = LinesSettings(mus=[4.0, 5.0], sizes=[128, 8, 32], critical=[5.0], sinks=[1])
    line = Recorded(asked=[])
    rows = list(accuracy_limits.accuracy_rows(line, job))
    assert [(row["mu"], row["n"]) for row in rows] == [
        (mu, n) for mu in (4.0, 5.0) for n in (128, 8, 32)
    ]
    assert [row["error"] for row in rows] == [1e-3 * row["n"] for row in rows]
    assert line.asked == 2 * [8, 32, 128]


def test_in_the_table_of_critical_n_every_row_has_its_own():
    job = LinesSettings(mus=[4.0], sizes=[8], critical=[5.0, 6.0], sinks=[1])
    for row in accuracy_limits.critical_rows(LIMITS_BY_KERNEL["linear"], job):
        critical = LIMITS_BY_KERNEL["linear"].critical(row["mu"])
        assert (row["n_critical"], row["error"]) == critical
        assert row["error"] > 0


def test_in_the_table_of_sinks_every_row_has_its_own(monkeypatch):
    monkeypatch.setattr(bayes, "STEP_OF_Z", 2 * bayes.STEP_OF_Z)
    job = LinesSettings(mus=[4.0], sizes=[128, 8, 1000], critical=[5.0], sinks=[32])
    rows = list(accuracy_limits.sink_rows(job))
    for row in rows:
        right_at = row["right_at"] or math.exp(-8)
        accuracy = sink_accuracy(4.0, row["n"], right_sink(4.0, right_at))
        assert (row["accuracy"], row["error"]) == accuracy
    assert np.median([row["error"] for row in rows if row["right_at"]]) > 1e-12
    sizes = [row["n"] for row in rows if row["right_at"]]
    assert sizes == sorted(sizes)
    assert {8, 128, 1000} < {*sizes}
