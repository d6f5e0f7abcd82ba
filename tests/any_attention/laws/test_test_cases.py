"""What laws are judged at."""

from attention_separation.any_attention.laws.test_cases import POWERS, TAYLORS, stacked
from attention_separation.any_attention.settings.jobs import Data

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=7, delta=0.01, at_least=15)


def test_numbers_of_tokens_stack():
    assert stacked(DATA, 200, 10**6) == [196, 999_999]
    assert stacked(DATA.model_copy(update={"classes": 150}), 200, 2000) == [1950]


def test_kernels_have_the_degree_of_their_family():
    for p, (kernel, _) in POWERS.items():
        assert kernel.name == f"power_{p}"
    for p, (kernel, _) in TAYLORS.items():
        assert kernel.name == f"taylor_{p}"
