"""A lemma on one network: what its parts have in common, and the parts as claims."""

from collections.abc import Callable
from dataclasses import dataclass

from ..models.cross_attention import CROSS_ATTENTION
from ..models.self_attention import SELF_ATTENTION
from .attended import Attended, Case
from .claim import Claim, Setting
from .origins import origin

SPECIAL, OTHERS = slice(0, 1), slice(1, None)
"""Rows of the special token and of all others; likewise the first column and the others."""

NAMES = {"linear": "linear attention", "exp": "softmax attention"}


@dataclass(frozen=True)
class Lemma:
    """A lemma or theorem: its number, the network it is about, and its name if it has no number."""

    id: str
    case: Case
    called: str = ""

    @property
    def a(self) -> str:
        """The special entry's name."""
        return "a₁" if self.case.dataset else "a₀"

    @property
    def network(self) -> str:
        """The network in words."""
        x = ""
        if self.case.model is SELF_ATTENTION:
            x = ", X " + {"ones": "all ones", "identity": "the identity"}[self.case.attention_x]
        return f"{NAMES[self.case.kernel]} on D{self.case.dataset}{x}"

    def size(self, setting: Setting) -> float:
        """a, the size of the special entry."""
        return setting.a(self.case.dataset)

    def ranges(self) -> tuple[tuple[tuple[str, float], ...], ...]:
        """Ends of the ranges that the datasets allow a and, in self-attention, b = 1 - c.

        a0 is in (0, 0.1), whose ends are limits; a1 starts at 0.7, in cross-attention at 1, and has
        no end: 3 is the largest that the experiments use.
        """
        cross = self.case.model is CROSS_ATTENTION
        name, ends = (
            ("a1", (self.case.model.least_a1, 3.0)) if self.case.dataset else ("a0", (0, 0.1))
        )
        changes_a = [(), *(((name, float(end)),) for end in ends)]
        changes_b = [()] if cross else [(), *((("b", b), ("c", 1 - b)) for b in (0.1, 0.9))]
        return tuple(a + b for a in changes_a for b in changes_b if a + b)

    def part(
        self,
        part: str,
        statement: str,
        formula: str,
        quantity: str,
        relation: str,
        cells: Callable[[Attended, Setting], list[float]],
        bound: Callable[[Setting], float],
        **rest,
    ) -> Claim:
        """A part whose cells are read from the attention of the lemma's network.

        `part` is empty for the lemma as a whole, or a name such as "P3a" or "P3a.value".
        """
        return self.claim(
            part,
            f"{statement} ({self.network}).",
            formula,
            quantity,
            relation,
            lambda setting: cells(self.case.attended(setting), setting),
            bound,
            **rest,
        )

    def claim(self, part, statement, formula, quantity, relation, cells, bound, **rest) -> Claim:
        """A part whose cells need more than its network's attention."""
        name = f"{self.id}.{part}" if part else self.id
        # Of a fixed dataset every equality is one of the definitions.
        identity = relation == "equal"
        return Claim(
            name,
            self.place(part),
            statement,
            formula,
            *origin(name, identity),
            self.case.model.name,
            quantity,
            relation,
            cells=cells,
            bound=bound,
            ranges=rest.pop("ranges", self.ranges()),
            identity=identity,
            **rest,
        )

    def place(self, part: str) -> str:
        """Where a part stands, such as "Lemma D.4, Part 1"."""
        theorem = self.id in THEOREMS
        name = self.called or f"{'Theorem' if theorem else 'Lemma'} {self.id}"
        first, _, detail = part.partition(".")
        if first.startswith("P"):
            name += f", Part {first[1:]}"
            detail = DETAILS.get(detail, "")
        else:
            detail = DETAILS.get(first, "")
        return f"{name}, {detail}" if detail else name


THEOREMS = {"D.5", "D.9", "D.13", "D.17", "E.4", "F.5", "F.9", "F.13", "F.17", "1.1", "1.2", "6.2"}

DETAILS = {
    "value": "its value",
    "one": "the one index",
    "rest": "the rest of the indices",
    "own": "the indices of its own class",
    "loose": "read with the looser bound",
    "from-0.7": "its condition, read as a₁ ≥ 0.7",
    "from-1": "its condition, read as a₁ ≥ 1",
    "at-0.7": "with the least a₁ of the dataset",
    "assumption": "its assumption on d",
    "hoeffding": "Hoeffding's step in its proof",
    "m": "with the experiments' m",
}
