"""The first paper's facts: of the points of its panels, as the pages in docs/ read them.

A point is a row of a table: parameters, simulated rate and `p_exact`, the exact or reference
probability of success. A figure is named as its table is, such as "fig4".
"""

from collections.abc import Callable, Mapping
from statistics import mean, median
from typing import Any

from .models.attention import CROSS_ATTENTION_MODEL, SELF_ATTENTION_MODEL

EQUAL_PROBABILITIES = 1e-8
"""Probabilities that differ by less are equal: tables are kept to eight digits."""


class First:
    """The first paper: `docs/gallery/`, or rows that are chosen as its tables' are."""

    def __init__(self, tables: Callable[..., list[dict[str, Any]]]):
        self._tables = tables

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The points of all panels."""
        return [*self.of("fig3"), *self.of("fig4"), *self.of("fig5"), *self.of("fig7")]

    def inside(self, figure: str) -> list[dict[str, Any]]:
        """The points of a figure that the definition of the datasets allows."""
        return [row for row in self.of(figure) if _is_inside(row)]

    def outside(self, figure: str) -> list[dict[str, Any]]:
        """The points of a figure that the definition of the datasets does not allow."""
        return [row for row in self.of(figure) if not _is_inside(row)]

    def contest(self, figure: str) -> float:
        """The mean exact success rate over the points of a figure with other kernels."""
        rows = self._tables("contests/verdicts")
        panels = [row for row in rows if row["panel"].startswith(figure)]
        points = sum(row["points"] for row in panels)
        return sum(row["mean_p_exact"] * row["points"] for row in panels) / points

    @property
    def medians(self) -> tuple[float, float]:
        """The median probability of success at the panels' threshold, and at the best threshold
        that both networks can share, over the points of attention."""
        at_panels_threshold = self._tables("gallery/theta", kind="paper")
        at_best_threshold = self._tables("gallery/theta", kind="best")
        return (
            median(row["p_exact"] for row in at_panels_threshold),
            median(row["p_exact"] for row in at_best_threshold),
        )

    @property
    def ahead(self) -> tuple[int, int]:
        """The number of points at which softmax alone separates the datasets with more probability
        than linear attention alone, each at its own best threshold, and the number with less."""
        exp_rows = self._tables("gallery/threshold", network="exp")
        linear_rows = self._tables("gallery/threshold", network="linear")
        leads = [
            exp["p_best"] - linear["p_best"]
            for exp, linear in zip(exp_rows, linear_rows, strict=True)
        ]
        softmax_ahead = sum(lead > EQUAL_PROBABILITIES for lead in leads)
        linear_ahead = sum(lead < -EQUAL_PROBABILITIES for lead in leads)
        return softmax_ahead, linear_ahead

    def of(self, figure: str) -> list[dict[str, Any]]:
        """The points of a figure."""
        return self._tables(f"gallery/{figure}")

    def at_least(self, p: float, figure: str = "") -> int:
        """The number of points, of a figure or of all, at which success has at least probability
        p."""
        rows = self.of(figure) if figure else self.rows
        return sum(row["p_exact"] >= p for row in rows)

    def above(self, p: float, figure: str = "") -> int:
        """The number of points, of a figure or of all, at which success has more than probability
        p."""
        rows = self.of(figure) if figure else self.rows
        return sum(row["p_exact"] > p for row in rows)

    def mean(self, figure: str) -> float:
        """The mean exact success rate over the points of a figure."""
        return mean(row["p_exact"] for row in self.of(figure))


def _is_inside(row: Mapping[str, Any]) -> bool:
    """Whether the definition of the datasets allows a point; softmax regression has no parameter
    that leaves it."""
    if row["a1"] is None:
        return True
    model = SELF_ATTENTION_MODEL if row["b"] is not None else CROSS_ATTENTION_MODEL
    return model.allows(row["a0"], row["a1"], row["b"], row["c"])
