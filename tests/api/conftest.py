"""What tests of the API share."""

import pytest

from attention_separation.any_attention import bends


@pytest.fixture
def few_looks(monkeypatch):
    """Where weights of one's own kernels bend is looked for at fewer n: for those that bend at
    none."""
    monkeypatch.setattr(bends, "LOOKED_AT_A_DECADE", 100)
