"""The ranks and numbers of heads that the tables have."""

BUDGETS = {"d^2": 1.0, "d^2.5": 1.5, "d^3": 2.0}
"""The paper's budgets, by the parameters r d H of a layer, and the power of d in H r."""


def ranks(d: int) -> list[int]:
    """The powers of 2 below d, and d."""
    return [2**k for k in range((d - 1).bit_length())] + [d]


def budget_heads(d: int, r: int) -> dict[str, int]:
    """H of each budget, rounded to a whole number, at least 1."""
    return {name: max(1, round(d**power / r)) for name, power in BUDGETS.items()}
