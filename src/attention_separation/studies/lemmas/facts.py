"""Facts of the first paper's lemmas and theorems, as the pages in docs/ read them: of their claims,
rows of the table of claims, and of the bounds that these have."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

from ...pages.rendering import one, whole
from ...results.tables import Row, chosen

PART_OF_PAPER = re.compile(r"A\.1|C\.\d|(?!3\.1)\d\.\d(\.P\d)?")
"""Ids of the first paper's own parts; Lemma 3.1 is Hoeffding's, a theorem of textbooks."""

WORDS_BY_VERDICT = {
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

BOUND_PRECISION = 1e-6
"""Relative difference of a value and a bound that are one number."""


class Lemmas:
    """The first paper's claims: `docs/gallery/`, or rows that are chosen as its tables' are."""

    def __init__(self, tables: Callable[..., list[dict[str, Any]]]):
        self._tables = tables

    @classmethod
    def of_claims(cls, rows: Iterable[Row]) -> Self:
        """The facts of a run's table of claims alone, from its rows, one for each claim and size: a
        claim has the same verdict in all of its rows."""
        row_by_id = {row["id"]: row for row in rows}
        return cls(lambda _, **wanted: chosen(row_by_id.values(), **wanted))

    @property
    def claims(self) -> list[dict[str, Any]]:
        """The row of each claim that is no identity: that does not hold by the definitions
        alone."""
        return self._tables("gallery/claims", identity=False)

    @staticmethod
    def word(verdict: str) -> str:
        """A claim's verdict in short, a mark and one word or a few, such as "✓ holds"."""
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
        for pattern, words in WORDS_BY_VERDICT.items():
            match = re.fullmatch(pattern, verdict)
            if match:
                numbers = {name: _with_commas(text) for name, text in match.groupdict().items()}
                return words.format_map(numbers)
        return verdict

    @staticmethod
    def sign(row: Mapping[str, Any]) -> str:
        """The sign between a claim's value and its bound, "<", "=" or ">", claimed or not."""
        if math.isclose(row["value"], row["bound"], rel_tol=BOUND_PRECISION):
            return "="
        return "<" if row["value"] < row["bound"] else ">"

    @property
    def stated(self) -> list[dict[str, Any]]:
        """The rows of the claims whose bounds the paper states."""
        given = [row for row in self.claims if row["source"] == "given"]
        return [row for row in given if PART_OF_PAPER.fullmatch(row["id"])]

    @property
    def bounds(self) -> Counter[str]:
        """How many of the bounds that the paper states hold at "all", "some" and "none" of the
        sizes tested."""
        return Counter(_extent(row["verdict"]) for row in self.stated)

    @property
    def bounds_in_words(self) -> str:
        """At how many sizes the bounds hold that the paper states, as the end of a sentence."""
        bounds = self.bounds
        return (
            f"{bounds['all']} hold at all sizes tested, {bounds['some']} at some or from an n on, "
            f"{bounds['none']} at none"
        )

    def fails(self, *names: str) -> bool:
        """Whether all claims of these ids fail at every n tested."""
        verdicts = [one(self.claims, id=name)["verdict"] for name in names]
        return all(verdict.endswith("at every n tested") for verdict in verdicts)


def bounds_in_words(claims: Iterable[dict[str, Any]]) -> str:
    """At how many sizes the bounds hold that the paper states, as the end of a sentence, from rows
    of the table of claims."""
    return Lemmas.of_claims(claims).bounds_in_words


def _with_commas(text: str) -> str:
    """A text, with its thousands set apart if it is a whole number in digits."""
    return whole(int(text)) if text.isdecimal() else text


def _extent(verdict: str) -> str:
    """At how many of the sizes tested a claim holds, by its verdict: "all", "some" or "none"."""
    words = re.sub(r"^with τ = \S+: ", "", verdict)
    if words.startswith(("holds at the sizes tested", "holds with ")):
        return "all"
    return "none" if words.startswith("fails") else "some"
