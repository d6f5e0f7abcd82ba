"""All laws of which kernels separate, and their judgement at given data."""

from attention_separation.any_attention.laws.another_x import ANOTHER_X
from attention_separation.any_attention.laws.bounded import BOUNDED_LAWS
from attention_separation.any_attention.laws.controls import FLOORS
from attention_separation.any_attention.laws.margins import MARGIN_LAWS
from attention_separation.any_attention.laws.parameters import PARAMETERS
from attention_separation.any_attention.laws.sizes import SIZES
from attention_separation.any_attention.laws.verdicts import Law
from attention_separation.datasets.data import Data

LAWS: tuple[Law, ...] = (*SIZES, *PARAMETERS, *FLOORS, *BOUNDED_LAWS, *MARGIN_LAWS, ANOTHER_X)


def judge_laws(data: Data) -> list[dict[str, str | float | None]]:
    """A row for each claim of each law.

    Columns: law, kernel, model, attention_x, at (n, or None), quantity, predicted, measured (by
    exact values; NaN where not resolved), relative_difference, tolerance, verdict. A statement is
    0 where it is false and 1 where it is true; a largest n is 0 where there is none.
    """
    return [row for law in LAWS for row in law.rows(data)]
