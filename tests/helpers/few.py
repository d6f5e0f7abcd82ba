"""Grids of cases, of which `make test` has some and `make test-slow` has the others."""

from collections.abc import Iterable
from typing import Any

import pytest

PARAMETER_SET: Any = type(pytest.param(None))


def few(
    quick: int | set[int], names: str | tuple[str, ...], cases: Iterable[Any], **options: Any
) -> pytest.MarkDecorator:
    """`pytest.mark.parametrize` with most of its cases exhaustive.

    The quick ones are as many as is said, the first, the last and others evenly between, or those
    at these places. Of two such decorators a case is quick that is so by both. Cases stay in their
    order, and their ids are those of `parametrize`.
    """
    sets = [parameter_set(names, case) for case in cases]
    places = evenly(quick, len(sets)) if isinstance(quick, int) else quick
    if not places < {*range(len(sets))}:
        raise ValueError(f"{sorted(places)} of {len(sets)} cases; allowed: some, and not all")
    for place in {*range(len(sets))} - places:
        values, marks, name = sets[place]
        marks = [*marks, pytest.mark.exhaustive]
        sets[place] = pytest.param(*values, marks=marks, id=name)
    return pytest.mark.parametrize(names, sets, **options)


def parameter_set(names: str | tuple[str, ...], case: Any) -> Any:
    if isinstance(case, PARAMETER_SET):
        return case
    return pytest.param(case) if isinstance(names, str) else pytest.param(*case)


def evenly(count: int, total: int) -> set[int]:
    """Places of some cases, the first and the last among them if they are two or more."""
    step = (total - 1) / max(count - 1, 1)
    return {round(k * step) for k in range(count)}
