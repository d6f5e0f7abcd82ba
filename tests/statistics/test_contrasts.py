"""Which interval a contrast of groups of runs has, and of what."""

import pytest

from attention_separation.statistics.claims import Estimate
from attention_separation.statistics.contrasts import PAIRED, WELCH, WITHIN_RUNS, Contrast
from attention_separation.statistics.means import (
    difference_of_means,
    paired_difference_of_means,
    ratio_of_means,
)

ERRORS = ([0.5, 0.62, 0.55], [0.3, 0.33, 0.32])


def runs(errors, data, first=0):
    """Runs of the seeds from `first` on; `data` names what they are drawn from."""
    return [
        {"run": seed, "error": error, "data_stream": f"{data} {seed}", "other_stream": f"{errors}"}
        for seed, error in enumerate(errors, first)
    ]


def error(run):
    return run["error"]


def test_runs_of_one_seed_are_compared_with_each_other_where_they_share_a_stream():
    first, second = (runs(errors, "shared") for errors in ERRORS)
    # Whatever the order of the rows.
    contrast = Contrast("", [(first[::-1], second)])
    assert contrast.interval == PAIRED
    found = contrast.estimate((error, error), False, 0.05)
    assert found == paired_difference_of_means([ERRORS], 0.05)
    ratio = contrast.estimate((error, error), True, 0.05)
    assert ratio == ratio_of_means([ERRORS], 0.05, paired_difference_of_means)


@pytest.mark.parametrize(
    "second",
    [
        runs(ERRORS[1], "its own"),
        runs(ERRORS[1], "shared", first=1),
        runs(ERRORS[1][:2], "shared"),
        [run | {"run": 0} for run in runs(ERRORS[1], "shared")],
    ],
    ids=["no stream shared", "other seeds", "fewer seeds", "a seed twice"],
)
def test_else_they_are_compared_by_welch(second):
    contrast = Contrast("", [(runs(ERRORS[0], "shared"), second)])
    assert contrast.interval == WELCH
    pairs = contrast.measured((error, error))
    assert contrast.estimate((error, error), False, 0.05) == difference_of_means(pairs, 0.05)


def test_two_measures_of_the_same_runs_are_compared_within_runs():
    own = runs(ERRORS[0], "shared")
    contrast = Contrast("", [(own, own)])
    assert contrast.interval == WITHIN_RUNS
    found = contrast.estimate((error, lambda run: run["error"] / 2), False, 0.05)
    halves = [value / 2 for value in ERRORS[0]]
    assert found == paired_difference_of_means([(ERRORS[0], halves)], 0.05)


def test_a_single_run_has_a_number_and_no_interval():
    contrast = Contrast("", [(runs([0.5], "a"), runs([0.2], "b"))])
    assert contrast.without_interval((error, error), True) == Estimate.exactly(2.5)
    with pytest.raises(ValueError, match="at least two runs"):
        contrast.estimate((error, error), False, 0.05)
