"""What made-up runs of single heads are held against, simulated once."""

from functools import cache

import pytest

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
