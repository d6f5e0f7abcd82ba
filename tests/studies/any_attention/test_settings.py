"""Faults of the section's settings, each named by its path with what is allowed."""

import pytest
from making import ROOT

from attention_separation.config import load_config
from attention_separation.settings.faults import ConfigError


def faults_of(**section):
    with pytest.raises(ConfigError) as error:
        load_config(ROOT / "config.yaml", {"any_attention": section})
    return [fault.removeprefix("--config any_attention.") for fault in error.value.faults]


def test_every_size_that_is_wrong_is_named_with_what_is_nearest():
    allowed = "does not stack in 20 classes; allowed: multiples of 20; nearest:"
    assert faults_of(sizes=[200, 201, 200, 2010]) == [
        f"sizes[1]: n=201 {allowed} 200 or 220",
        f"sizes[3]: n=2010 {allowed} 2000 or 2020",
        "sizes[2]: 200 stands there already; allowed: each size once",
    ]


def test_what_is_unknown_or_out_of_range(subtests):
    for section, text in [
        ({"only": ["exp", "softmx"]}, "only[1]: 'softmx' is no kernel; did you mean 'exp' (soft"),
        ({"sizes": [2 * 10**12]}, "sizes[0]: 2000000000000 is not allowed"),
        ({"figures": ["fig4"]}, "figures[0]: 'fig4' is not allowed; allowed: 'kernels_accuracy'"),
        ({"simulated": {"n": 210}}, "simulated.n: n=210 does not stack in 20 classes; allowed: m"),
        ({"simulated": {"n": 20_020}}, "simulated.n: "),
        ({"simulated": {"trials": 0}}, "simulated.trials: "),
        ({"data": {"at_least": 60_000}}, "simulated.n: n=200 with m=60000: 12000000 scores"),
    ]:
        with subtests.test(section=section, text=text):
            (fault,) = faults_of(**section)
            assert fault.startswith(text)
