"""Faults of the settings of simulated kernels, each named by its path."""

import pytest
from making import ROOT, values

from attention_separation.config import load_config
from attention_separation.settings.faults import ConfigError


def faults(**simulated):
    with pytest.raises(ConfigError) as error:
        load_config(ROOT / "config.yaml", {"any_attention": {"simulated": simulated}})
    return str(error.value)


@pytest.mark.parametrize(
    ("simulated", "text"),
    [
        ({"n": 210}, "n=210 does not stack in 20 classes; allowed: multiples of 20"),
        ({"n": 0}, "any_attention.simulated.n: "),
        ({"n": 20_020}, "any_attention.simulated.n: "),
        ({"n": 200.5}, "any_attention.simulated.n: "),
        ({"trials": 0}, "any_attention.simulated.trials: "),
        ({"trials": "many"}, "any_attention.simulated.trials: "),
        ({"runs": 3}, "any_attention.simulated.runs: "),
    ],
)
def test_faults_have_their_path(simulated, text):
    assert text in faults(**simulated)


def test_so_many_columns_are_for_exact_values_alone():
    with pytest.raises(ConfigError, match="n=200 with m=60000: 12000000 scores"):
        load_config(ROOT / "config.yaml", {"any_attention": {"data": {"at_least": 60_000}}})


def test_it_is_required():
    assert "simulated" in values()["any_attention"]
