"""Sizes of the section: each stacks, and stands once."""

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


def test_what_is_unknown_or_too_large():
    (unknown,) = faults_of(only=["exp", "softmx"])
    assert unknown.startswith("only[1]: 'softmx' is no kernel; did you mean 'exp' (softmax)?")
    (large,) = faults_of(sizes=[2 * 10**12])
    assert large.startswith("sizes[0]: 2000000000000 is not allowed")
    (figure,) = faults_of(figures=["fig4"])
    assert figure.startswith("figures[0]: 'fig4' is not allowed; allowed: 'kernels_accuracy'")
