"""How many columns: the experiments' own, and the two audits' agreement on every event."""

import pytest
from claim_cases import claim
from making import CONFIG

from attention_separation.studies.lemmas.claim import setting_of
from attention_separation.studies.lemmas.lemma import least_constant

JOB = CONFIG.lemmas.job("paper")


def test_definition_3_7_has_columns_of_its_own():
    """Lemmas 5.1 to 5.4 take m = C log(n/delta), with the least C of Lemma 5.2: log2(n/delta)."""
    for n in (100, 1000):
        setting = setting_of(JOB, n, None)
        columns = setting.columns(least_constant(0.5))
        assert 2**columns >= n / setting.delta > 2 ** (columns - 1)
        one, m = claim("5.1.every").evaluate(setting).value, claim("5.1.m.every").evaluate(setting)
        p = 1 - (1 - one) ** (1 / columns)
        assert m.value == pytest.approx(1 - (1 - p) ** setting.m)
