"""Numbers in words."""

from attention_separation.pages.prose import rounded_up


def test_a_bound_is_rounded_up():
    assert [rounded_up(x) for x in (1.3e-6, 2e-6, 0.0123)] == ["2e-6", "2e-6", "0.012"]
