"""How many columns: the experiments' own, and the two audits' agreement on every event."""

import pytest
from claim_cases import claim
from making import SECTION, config_points, exact_at

from attention_separation.softmax_vs_linear.claims.claim import setting_of
from attention_separation.softmax_vs_linear.exact.column_law import least_constant

JOB = SECTION.claims
CLAIMS = {
    "fig3": ("5.2.m", "5.4.m", "5.1.m", "5.3.m"),
    "fig4": ("E.4.m", "E.D1-lin.zero", "E.D0-exp.zero", "E.D0-lin.zero"),
    "fig5": ("D.5.m", "D.13", "D.9", "D.17"),
    "fig7": ("F.5.m", "F.13", "F.9", "F.17"),
}
"""Claims that a network fails to be positive, or zero, with the experiments' m; by figure."""


def shared(figure):
    """The points of panels a, b and c that a claim's sizes and m are, each once."""
    model = {"fig3": "regression", "fig7": "cross_attention"}.get(figure, "self_attention")
    panels = [name for name in (f"{figure}a", f"{figure}b", f"{figure}c") if name in SECTION.panels]
    found = {}
    for name in panels:
        for point in config_points(name):
            size = (point.n, point.d)
            if size in JOB.sizes.of(model) and point.m == setting_of(JOB, *size).m:
                found[size] = point
    assert found.keys() == {*JOB.sizes.of(model)}
    return found


@pytest.mark.parametrize(("size", "m"), [((100, None), 4), ((1000, None), 6), ((2000, None), 7)])
def test_columns_of_the_regression_model_are_those_of_panel_3a(size, m):
    assert setting_of(JOB, *size).m == m
    assert claim("5.2.m").evaluate(setting_of(JOB, *size)).value == pytest.approx(0.5**m)


@pytest.mark.parametrize("size", [(200, 22), (1000, 12), (256, 66)])
def test_columns_of_the_attention_models_are_15(size):
    assert setting_of(JOB, *size).m == 15


def test_definition_3_7_has_columns_of_its_own():
    """Lemmas 5.1 to 5.4 take m = C log(n/delta), with the least C of Lemma 5.2: log2(n/delta)."""
    for n in (100, 1000):
        setting = setting_of(JOB, n, None)
        columns = setting.columns(least_constant(0.5))
        assert 2**columns >= n / setting.delta > 2 ** (columns - 1)
        one, m = claim("5.1.every").evaluate(setting).value, claim("5.1.m.every").evaluate(setting)
        p = 1 - (1 - one) ** (1 / columns)
        assert m.value == pytest.approx(1 - (1 - p) ** setting.m)


@pytest.mark.parametrize("figure", ["fig4", "fig5", "fig7"])
def test_claims_and_figures_agree_on_every_event_of_attention(figure):
    for size, point in shared(figure).items():
        events = exact_at(point).events
        for name, probability in zip(CLAIMS[figure], events, strict=True):
            found = claim(name).evaluate(setting_of(JOB, *size))
            assert found.value == pytest.approx(1 - probability, rel=1e-9, abs=1e-13), (name, size)


def test_claims_and_figures_do_not_contradict_each_other_on_the_regression_model():
    """Claims are on the worst data, the figure on uniform ones: it fails no more often."""
    for size, point in shared("fig3").items():
        setting = setting_of(JOB, *size)
        exact = exact_at(point)
        for k, name in enumerate(CLAIMS["fig3"]):
            failure = 1 - exact.events[k]
            value = claim(name).evaluate(setting).value
            if name == "5.2.m":
                # The special entry alone decides, so all data are alike.
                assert value == pytest.approx(failure, rel=1e-6)
            else:
                assert failure <= claim(f"{name}.every").evaluate(setting).value + 1e-12
                assert failure <= value + 1e-12, (name, size)
