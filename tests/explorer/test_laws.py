"""The law of scores, and the special token's row, against definitions and the API's numbers."""

import numpy as np
import pytest

import attention_separation as asep
from attention_separation.datasets.dataset import Tokens
from attention_separation.explorer.laws import score_laws, special_rows
from attention_separation.explorer.setting import Setting

KERNELS = ("exp", "linear", "elu_plus_one", "hedgehog", "x**3", "linear_unnormalised")
SETTINGS = [
    Setting(n=400),
    Setting(attention_x="ones", n=400, a1=0.7, temperature=3.0),
    Setting("cross_attention", n=400, m=4),
]


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda each: each.layer.words)
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_law_gives_the_probabilities_of_a_contests_events(kernel, setting):
    of = asep.at_temperature(kernel, setting.temperature)
    d0, d1 = score_laws(kernel, setting)
    for law in (d0, d1):
        assert law.chances.sum() == pytest.approx(1, abs=1e-12)
        assert (law.chances >= 0).all()
        assert (np.diff(law.values) >= 0).all()
    for theta in (0.3, 0.8, 0.9, 1.1):
        won = asep.success(
            {"fires": of, "silent": []}, setting.model, setting.attention_x, 400,
            m=setting.m, a1=setting.a1, theta=theta,
        )  # fmt: skip
        on_d1, on_d0 = (p for p in won.events.values())
        assert d1.above(theta) == pytest.approx(on_d1, abs=1e-12)
        assert 1 - d0.above(theta) == pytest.approx(on_d0, abs=1e-12)


def test_quantiles_of_a_law():
    d0, _ = score_laws("exp", Setting(n=400))
    for share in (0.001, 0.2, 0.5, 0.999):
        at = d0.quantile(share)
        assert d0.chances[d0.values <= at].sum() >= share * (1 - 1e-9)
        assert d0.chances[d0.values < at].sum() < share


def phi(z):
    return np.where(z > 0, z + 1, np.exp(np.minimum(z, 0)))


LITERAL = {
    "exp": lambda q, k: np.exp(q @ k.T),
    "power_2": lambda q, k: (q @ k.T) ** 2,
    "elu_plus_one": lambda q, k: phi(q) @ phi(k).T,
}


@pytest.mark.parametrize("kernel", LITERAL)
@pytest.mark.parametrize("setting", SETTINGS[:1] + SETTINGS[2:], ids=lambda e: e.layer.words)
@pytest.mark.parametrize("classes", [2, 20])
def test_the_special_tokens_row_is_that_of_n_by_n_attention(kernel, setting, classes):
    n, layer = 40, setting.layer
    setting = Setting(setting.model, n=n, d=layer.d(classes), temperature=2.0)
    points = Tokens(n, layer.d(classes), 0.01, 1.2, 0.2, 0.8, "identity")
    for dataset, row in enumerate(special_rows(kernel, setting)):
        a1, a2, _, q, k = layer.of.literal(points, dataset, np.array([5] * 2))
        queries, keys = a1 @ q / np.sqrt(2), a2 @ k / np.sqrt(2)
        weights = LITERAL[kernel](queries, keys)
        weights = (weights / weights.sum(axis=1, keepdims=True))[5]
        same = np.arange(n) % classes == 5 % classes
        assert row.special == pytest.approx(weights[5], rel=1e-9)
        assert row.same_class == pytest.approx(weights[same].sum() - weights[5], rel=1e-9)
        assert row.other_classes == pytest.approx(weights[~same].sum(), rel=1e-9)
        assert row.each_other == pytest.approx(weights[~same][0], rel=1e-9)
        assert row.loudness == pytest.approx(weights[5] / weights[~same][0], rel=1e-9)
        assert row.tokens == (same.sum() - 1, (~same).sum())
