"""A lemma or theorem on one network: what its claims have in common."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..models.cross_attention import CROSS_ATTENTION
from ..models.self_attention import SELF_ATTENTION
from .attended import Case
from .claim import PaperClaim, Setting

NAMES = {"linear": "linear attention", "exp": "softmax attention"}
X = {"ones": "all ones", "identity": "the identity"}


@dataclass(frozen=True)
class Lemma:
    """A lemma or theorem: its number, and the network it is about, or the model alone."""

    id: str
    case: Case
    on_network: bool = True

    @property
    def about(self) -> str:
        """The network or the model in words."""
        case = self.case
        of = f"{NAMES[case.kernel]} on D{case.dataset}" if self.on_network else case.model.words
        return f"{of}, X {X[case.attention_x]}" if case.model is SELF_ATTENTION else of

    def ranges(self) -> tuple[tuple[tuple[str, float], ...], ...]:
        """Ends of the ranges that the datasets allow a and, in self-attention, b = 1 - c.

        a0 is in (0, 0.1), whose ends are limits; a1 starts at 0.7, in cross-attention at 1, and has
        no end: 3 is the largest that the experiments use.
        """
        model = self.case.model
        name, ends = ("a1", (model.least_a1, 3.0)) if self.case.dataset else ("a0", (0, 0.1))
        changes_a = [(), *(((name, float(end)),) for end in ends)]
        ends_b = () if model is CROSS_ATTENTION else (0.1, 0.9)
        changes_b = [(), *((("b", b), ("c", 1 - b)) for b in ends_b)]
        return tuple(a + b for a in changes_a for b in changes_b if a + b)

    def claim(
        self, part: str, statement: str, left: str, claimed: str,
        cells: Callable[[Setting], float | Iterable[float]] | None = None, **rest,
    ) -> PaperClaim:  # fmt: skip
        """A claim of it; `part` is empty for the lemma as a whole, or such as "P3a.value"."""
        return PaperClaim(
            f"{self.id}.{part}" if part else self.id,
            self.case.model.name,
            f"{statement} ({self.about}).",
            left,
            claimed,
            cells,
            **{"ranges": self.ranges(), **rest},
        )
