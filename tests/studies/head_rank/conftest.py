"""What made-up runs are held against: heads simulated once, and intervals."""

from functools import cache

import pytest

from attention_separation.statistics import means
from attention_separation.studies.head_rank.constructions.farthest_point import simulated_errors
from attention_separation.studies.head_rank.training import runs


@cache
def simulated_error(d, n, temperature, seed):
    """The error of Fact 1's head. Sets are the same for every c: one c by itself has the same."""
    (found,) = simulated_errors(d, n, [temperature], seed)
    return found


@pytest.fixture(autouse=True)
def simulated_once(monkeypatch):
    """Made-up runs have few c, and figures and claims ask for the same again and again."""

    def errors(d, n, temperatures, seed):
        return [simulated_error(d, n, temperature, seed) for temperature in temperatures]

    monkeypatch.setattr(runs, "simulated_errors", errors)


@pytest.fixture(scope="module")
def exact_intervals():
    """Of runs that end alike: hardly a spread is believed of them beside their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(means, "SPREAD", 1e-10)
        yield
