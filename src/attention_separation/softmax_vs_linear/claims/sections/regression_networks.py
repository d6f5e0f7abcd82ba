"""Lemmas 5.1 to 5.4: the networks of the softmax-regression model on its two datasets."""

import math
from collections.abc import Callable
from functools import partial

from ...models.contest import network_name
from ...models.regression import REGRESSION
from .. import two_levels
from ..claim import Claim, Setting
from ..law import least_constant, none_positive, some_positive
from ..origins import origin
from ..two_levels import levels

KERNEL = {"exp": "softmax", "linear": "linear"}
WORST = "worst admissible data"


def regression_claim(
    name: str, place: str, statement: str, formula: str, quantity: str, **rest
) -> Claim:
    """A claim on the regression model, all of which the paper gives with its formula."""
    return Claim(name, place, statement, formula, *origin(name), REGRESSION.name, quantity, **rest)


def claims() -> list[Claim]:
    """Lemmas 5.1 to 5.4."""
    return [
        *_zero("5.1", "exp", 0),
        *_zero("5.1", "exp", 0, "m"),
        regression_claim(
            "5.2",
            "Lemma 5.2",
            "The softmax network is positive on every data of D1 with high probability.",
            "Pr[F_exp(A) > 0] ≥ 1 − (1/2)^m ≥ 1 − δ/n with m = C log(n/δ)",
            f"least C that makes m = C log(n/δ) enough on the {WORST}, exactly",
            relation="at most",
            cells=lambda setting: least_constant(_special_column(setting)),
            bound=lambda setting: 1 / math.log(2),
            constant="least",
        ),
        regression_claim(
            "5.2.m",
            "Lemma 5.2, with the experiments' m",
            "The softmax network is positive on every data of D1 with high probability, with as "
            "many columns as the experiments have.",
            "Pr[F_exp(A) = 0] ≤ δ/n with the m of Figure 3, panel a",
            f"Pr[F_exp(A) = 0], exactly, on the {WORST}",
            relation="at most",
            cells=lambda setting: none_positive(_special_column(setting), setting.m),
            bound=lambda setting: setting.rare,
        ),
        *_zero("5.3", "linear", 0),
        *_zero("5.3", "linear", 0, "m"),
        *_zero("5.4", "linear", 1),
        *_zero("5.4", "linear", 1, "m"),
    ]


def _special_column(setting: Setting) -> float:
    data = levels(setting.n, "exp", 1)
    # The others cannot turn the sign: at the upper end they come closest to it.
    lowest = 2 * data.smallest_special() - 1
    return 0.5 if lowest > setting.tau else two_levels.exceeds(data, data.others, setting.tau)


def _zero(name: str, kernel: str, dataset: int, part: str = "") -> list[Claim]:
    """A network is zero, with the fewest columns for which Lemma 5.2 holds, or the experiments'."""
    columns = {"": _fewest_columns, "m": _columns_of_the_experiments}[part]
    which, whose = {
        "": ("m = C log(n/δ) and the least C of Lemma 5.2", ""),
        "m": ("the m of Figure 3, panel a", ", with the experiments' m"),
    }[part]
    id_ = f"{name}.{part}" if part else name
    statement = f"The {KERNEL[kernel]} network is zero on every data of D{dataset} with high"
    formula = f"Pr[{network_name(kernel)}(A) > 0] ≤ δ/n with τ = 1/4, {which}"
    values = {"kernel": kernel, "dataset": dataset, "columns": columns}
    return [
        regression_claim(
            id_,
            f"Lemma {name}{whose}",
            f"{statement} probability.",
            formula,
            "Pr[F > 0], exactly, on data of about the largest variance: it refutes, and proves "
            "nothing of other data; where Hoeffding's bound suffices for all data, that bound",
            relation="at most",
            cells=partial(_positive, **values),
            bound=lambda setting: setting.rare,
        ),
        regression_claim(
            f"{id_}.every",
            f"Lemma {name}{whose}, what Hoeffding's bound proves",
            f"{statement} probability, by Hoeffding's bound on the {WORST}.",
            formula,
            "upper bound on Pr[F > 0] over all admissible data",
            relation="at most",
            cells=partial(_at_most_positive, **values),
            bound=lambda setting: setting.rare,
        ),
    ]


Columns = Callable[[Setting], int]


def _fewest_columns(setting: Setting) -> int:
    """m = C log(n/delta) with the least C for which F_exp is positive on D1 often enough."""
    return setting.columns(least_constant(_special_column(setting)))


def _columns_of_the_experiments(setting: Setting) -> int:
    return setting.m


def _at_most_positive(setting: Setting, kernel: str, dataset: int, columns: Columns) -> float:
    data = levels(setting.n, kernel, dataset)
    return some_positive(data.hoeffding(setting.tau), columns(setting))


def _positive(setting: Setting, kernel: str, dataset: int, columns: Columns) -> float:
    above = _at_most_positive(setting, kernel, dataset, columns)
    if above <= setting.rare:
        return above
    data = levels(setting.n, kernel, dataset)
    share = data.worst()
    # Tails are heaviest a little beyond the largest variance.
    counts = {math.floor(share), math.ceil(share), min(round(1.1 * share), data.others)}
    return max(
        some_positive(two_levels.exceeds(data, at_high, setting.tau), columns(setting))
        for at_high in counts
    )
