"""The first paper's facts: of claims, bounds and panels."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from statistics import mean, median
from typing import Any, Self

from ...pages.rendering import one, whole
from ...results.tables import Row, chosen
from .models.attention import CROSS_ATTENTION, SELF_ATTENTION

PART = re.compile(r"A\.1|C\.\d|(?!3\.1)\d\.\d(\.P\d)?")
"""Ids of the first paper's own parts; Lemma 3.1 is Hoeffding's, a theorem of textbooks."""

SIZES = {
    "holds at the sizes tested": "all tested",
    r"holds with (least )?C = (?P<constant>[\d.]+) .*": "all tested, with C = {constant}",
    r"fails: the least C grows like (?P<law>\S+),.*": "none: C would grow like {law}",
    r"with τ = (?P<tau>\S+): refuted below n = (?P<refuted>\d+), proved from n = (?P<proved>\d+)": (
        "from {proved}, not below {refuted}, with τ = {tau}"
    ),
    r"(?:.* )?holds only from n >= (?P<least>\d+), with (?P<law>d − \d = \S+); "
    r"not yet at n = 10\^9 with (?P<slow>d − \d = [^;]+)": (
        "from {least} if {law}; not by n = 10⁹ if {slow}"
    ),
    r"(?:.* )?holds only from n >= (?P<least>\d+), with (?P<law>d − \d = \S+); "
    r"not yet at n = 10\^9 with (?P<slow>d − \d = [^;]+); at n = 10\^9 it fails at (?P<where>.*) "
    r"of the dataset's range": ("from {least} if {law}; not by n = 10⁹ if {slow}, nor at {where}"),
    r"(?:.* )?fails at every n tested": "none tested",
}
"""By the pattern of a verdict, whole: for which n the claim holds."""

ROUNDING = 1e-6
"""Relative difference of a value and a bound that are one number."""

EQUAL = 1e-8
"""Probabilities that differ by less are equal: tables are kept to eight digits."""


class First:
    """The first paper: `docs/gallery/`, or rows that are chosen as its tables' are."""

    def __init__(self, tables: Callable[..., list[dict[str, Any]]]):
        self._tables = tables

    @classmethod
    def of_claims(cls, rows: Iterable[Row]) -> Self:
        """Of the rows of a run's table of claims alone, one for each claim and size: a claim has
        the same verdict in all of its rows."""
        row_by_id = {row["id"]: row for row in rows}
        return cls(lambda _, **wanted: chosen(row_by_id.values(), **wanted))

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The points of all panels."""
        return [*self.of("fig3"), *self.of("fig4"), *self.of("fig5"), *self.of("fig7")]

    def inside(self, figure: str) -> list[dict[str, Any]]:
        """The points of a figure that the definition of the datasets allows."""
        return [row for row in self.of(figure) if _is_inside(row)]

    def outside(self, figure: str) -> list[dict[str, Any]]:
        """The points of a figure that it does not allow."""
        return [row for row in self.of(figure) if not _is_inside(row)]

    @property
    def claims(self) -> list[dict[str, Any]]:
        """Every claim that is no identity."""
        return self._tables("gallery/claims", identity=False)

    @staticmethod
    def word(verdict: str) -> str:
        """A claim's verdict as a word with its mark."""
        words = (
            ("not judged", "· not judged"),
            ("fails at every n", "✗ fails"),
            ("fails: ", "✗ fails"),
            ("fails at", "✗ fails somewhere"),
            ("only from n", "✓ from an n on"),
            ("proved from n", "✓ from an n on"),
            ("holds", "✓ holds"),
        )
        return next(word for part, word in words if part in verdict)

    @staticmethod
    def sizes(verdict: str) -> str:
        """For which n a claim holds, by its verdict, in a dozen words or fewer."""
        for pattern, words in SIZES.items():
            match = re.fullmatch(pattern, verdict)
            if match:
                numbers = {name: _with_commas(text) for name, text in match.groupdict().items()}
                return words.format_map(numbers)
        return verdict

    @staticmethod
    def sign(row: Mapping[str, Any]) -> str:
        """How the value of a claim is to its bound, whether that is as claimed or not."""
        if math.isclose(row["value"], row["bound"], rel_tol=ROUNDING):
            return "="
        return "<" if row["value"] < row["bound"] else ">"

    @property
    def stated(self) -> list[dict[str, Any]]:
        """The claims whose bounds the paper states."""
        given = [row for row in self.claims if row["source"] == "given"]
        return [row for row in given if PART.fullmatch(row["id"])]

    @property
    def bounds(self) -> Counter[str]:
        """At how many sizes tested the bounds hold that the paper states: "all", "some", "none"."""
        return Counter(_extent(row["verdict"]) for row in self.stated)

    @property
    def bounds_in_words(self) -> str:
        """The same as a sentence's end."""
        bounds = self.bounds
        return (
            f"{bounds['all']} hold at all sizes tested, {bounds['some']} at some or from an n on, "
            f"{bounds['none']} at none"
        )

    def fails(self, *names: str) -> bool:
        """Whether these claims fail at every n tested."""
        verdicts = [one(self.claims, id=name)["verdict"] for name in names]
        return all(verdict.endswith("at every n tested") for verdict in verdicts)

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
        """At how many points softmax alone separates with more probability than linear attention
        alone, each at its own best threshold, and at how many with less."""
        exp_rows = self._tables("gallery/threshold", network="exp")
        linear_rows = self._tables("gallery/threshold", network="linear")
        leads = [
            exp["p_best"] - linear["p_best"]
            for exp, linear in zip(exp_rows, linear_rows, strict=True)
        ]
        return sum(lead > EQUAL for lead in leads), sum(lead < -EQUAL for lead in leads)

    def of(self, figure: str) -> list[dict[str, Any]]:
        """The points of a figure."""
        return self._tables(f"gallery/{figure}")

    def at_least(self, p: float, figure: str = "") -> int:
        """Points of a figure, or of all, at which success has at least this probability."""
        rows = self.of(figure) if figure else self.rows
        return sum(row["p_exact"] >= p for row in rows)

    def above(self, p: float, figure: str = "") -> int:
        """Points of a figure, or of all, at which success is more probable than this."""
        return sum(row["p_exact"] > p for row in (self.of(figure) if figure else self.rows))

    def mean(self, figure: str) -> float:
        """The mean exact success rate over the points of a figure."""
        return mean(row["p_exact"] for row in self.of(figure))


def bounds_in_words(claims: Iterable[dict[str, Any]]) -> str:
    """At how many sizes the bounds hold that the paper states, of rows of the table of claims."""
    return First.of_claims(claims).bounds_in_words


def _is_inside(row: Mapping[str, Any]) -> bool:
    """Whether the definition of the datasets allows a point; softmax regression has no parameter
    that leaves it."""
    if row["a1"] is None:
        return True
    model = SELF_ATTENTION if row["b"] is not None else CROSS_ATTENTION
    return model.allows(row["a0"], row["a1"], row["b"], row["c"])


def _with_commas(text: str) -> str:
    """A whole number in digits with its thousands apart, any other text as it is."""
    return whole(int(text)) if text.isdecimal() else text


def _extent(verdict: str) -> str:
    """At how many of the sizes tested a claim holds, by its verdict."""
    words = re.sub(r"^with τ = \S+: ", "", verdict)
    if words.startswith(("holds at the sizes tested", "holds with ")):
        return "all"
    return "none" if words.startswith("fails") else "some"
