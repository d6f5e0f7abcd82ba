"""The section: each list without doubles, and sizes that stack."""

import pytest
from making import CONFIG, ROOT

from attention_separation.config import load_config
from attention_separation.settings.faults import ConfigError


def faults_of(**section):
    with pytest.raises(ConfigError) as error:
        load_config(ROOT / "config.yaml", {"needle": section})
    return [fault.removeprefix("--config needle.") for fault in error.value.faults]


def test_what_is_wrong_is_named_with_what_is_allowed():
    assert faults_of(scale="dsk") == [
        "scale: 'dsk' is not among the scales; did you mean 'desk'? allowed: smoke, lines, desk"
    ]
    (low,) = faults_of(scales={"desk": {"exact": {"mus": [4, 0]}}})
    assert low.startswith("scales.desk.exact.mus[1]: 0 is not allowed; should be")
    (twice,) = faults_of(scales={"desk": {"exact": {"sizes": [8, 32, 8]}}})
    assert twice == "scales.desk.exact.sizes: has 8 twice; allowed: each value once"
    (folder,) = faults_of(scales={"needle": {"exact": {"mus": [5], "sizes": [8], "critical": [5]}}})
    assert "is the name of a folder of results" in folder


def test_sizes_stack_in_the_classes():
    assert faults_of(another_x={"sizes": [200, 205]}) == [
        "another_x.sizes[1]: n=205 does not stack in 10 classes; allowed: multiples of 10; "
        "nearest: 200 or 210"
    ]
    assert faults_of(data={"classes": 7})[0].startswith("another_x.sizes[0]: n=200 does not stack")


def test_each_scale_has_a_folder():
    assert CONFIG.studies()["needle"].folder == "results/needle"
    smoke = load_config(ROOT / "config.yaml", {"needle": {"scale": "smoke"}})
    assert smoke.studies()["needle"].folder == "results/needle/smoke"
