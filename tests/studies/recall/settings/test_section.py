"""Layers in the configuration: what is one, and what is none."""

import pytest
from pydantic import ValidationError

from attention_separation.settings.faults import faults_of
from attention_separation.studies.recall.settings.section import LayerSetting


def test_what_is_no_layer(subtests):
    for setting, said in [
        ({}, "allowed: one of kernel, beta and least_squares"),
        ({"kernel": "exp", "beta": 1}, "allowed: one of kernel, beta and least_squares"),
        ({"beta": 1, "window": 3}, "allowed: window with kernel"),
        ({"least_squares": True, "decay": 0.9}, "allowed: decay with kernel or beta"),
        ({"kernel": "expp"}, "is no kernel"),
        ({"kernel": "exp", "decay": 0}, "0.001"),
        ({"beta": 3}, "2"),
        ({"beta": 1, "gate": 3}, "gate"),
    ]:
        with subtests.test(setting=setting, said=said):
            with pytest.raises(ValidationError) as raised:
                LayerSetting.model_validate(setting)
            assert said in str(faults_of(raised.value))


def test_an_alias_becomes_the_name():
    assert LayerSetting(kernel="none").kernel == "uniform"
