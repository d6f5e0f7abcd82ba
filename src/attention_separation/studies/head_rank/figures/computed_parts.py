"""What several figures of computed numbers have in common."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import cycle
from typing import Self, TypeVar

import numpy as np
from matplotlib.axes import Axes

from ....looks.colors import PALETTE
from ....pages.drawing import draw_estimates
from ....results.tables import Row
from ..training.runs import columns_of

Case = TypeVar("Case")


def colours_of(cases: Iterable[Case]) -> dict[Case, str]:
    """A colour for each distinct case, in their order."""
    return dict(zip(dict.fromkeys(cases), cycle(PALETTE), strict=False))


@dataclass(frozen=True)
class ErrorCurve:
    """Errors against something, (points,) each: exact, by the law of large c or of many heads, and
    sampled, from `low` to `high`."""

    x: np.ndarray
    exact: np.ndarray
    law: np.ndarray
    sampled: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def of(cls, rows: list[Row], name: str) -> Self:
        """Of the rows of a table, against one of its columns."""
        errors = ("error_exact", "error_law", "error", "ci_low", "ci_high")
        x, exact, law, sampled, low, high = columns_of(rows, name, *errors)
        return cls(x, exact, law, sampled, low, high)

    def draw_exact(self, ax: Axes, colour: str, linewidth: float = 0.9) -> None:
        """A line of the exact errors."""
        ax.plot(self.x, self.exact, color=colour, linewidth=linewidth)

    def draw_law(self, ax: Axes, colour: str, where: np.ndarray) -> None:
        """A dashed line of the law."""
        ax.plot(self.x[where], self.law[where], "--", color=colour, linewidth=0.9)

    def draw_sampled(self, ax: Axes, colour: str, marker: str = "o") -> None:
        """Marks with intervals."""
        draw_estimates(ax, self.x, self.sampled, self.low, self.high, colour, marker)
