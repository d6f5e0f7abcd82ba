"""All laws of which kernels separate, and their judgement at given data."""

from collections.abc import Collection

from attention_separation.attention.kernel import Kernel
from attention_separation.datasets.dataset import Data

from .another_x import ANOTHER_X
from .bounded import BOUNDED_LAWS
from .controls import FLOORS
from .margins import MARGIN_LAWS
from .parameters import PARAMETERS
from .rows import ROW_LAWS
from .sizes import SIZES, own_law
from .verdicts import Law

LAWS: tuple[Law, ...] = (
    *SIZES, *PARAMETERS, *FLOORS, *BOUNDED_LAWS, *ROW_LAWS, *MARGIN_LAWS, ANOTHER_X,
)  # fmt: skip


def laws_with(own: Collection[Kernel]) -> tuple[Law, ...]:
    """All laws, that of a user's own kernels the last one where there are such."""
    return (*LAWS, own_law(own)) if own else LAWS


def judge_laws(data: Data, own: Collection[Kernel] = ()) -> list[dict[str, str | float | None]]:
    """A row for each claim of each law.

    Columns: law, kind (`verdicts.KINDS`), kernel, model, attention_x, at (n, or None), quantity,
    predicted, measured (by exact values; NaN where not resolved), relative_difference, tolerance,
    tolerance_kind ("relative" or "absolute"), verdict, and the law's statement, condition and error
    term.
    A statement is 0 where it is false and 1 where it is true, or P where it says that two are the
    same.
    """
    return [row for law in laws_with(own) for row in law.rows(data)]
