"""Theorems 1.1, 1.2 and 6.2: softmax separates the datasets, linear attention does not."""

from ..attended import Case
from ..claim import Claim, Setting
from ..law import NEVER, least_constant, none_positive, some_positive
from ..lemma import Lemma
from ..origins import origin


def separates(name: str, place: str, cases: dict[tuple[str, int], Case]) -> list[Claim]:
    """Theorems 1.1, 1.2, 6.2: F_exp tells D1 from D0 and F_lin is zero on both."""
    special = cases["exp", 1]
    model = special.model.name

    def worst(setting: Setting, m: int) -> float:
        others = [case for key, case in cases.items() if key != ("exp", 1)]
        return max(some_positive(case.column(setting), m) for case in others)

    def with_free_m(setting: Setting) -> float:
        constant = least_constant(special.column(setting))
        return 1.0 if constant == NEVER else worst(setting, setting.columns(constant))

    def with_m(setting: Setting) -> float:
        missed = none_positive(special.column(setting), setting.m)
        return max(missed, worst(setting, setting.m))

    formula = "Pr[F_exp > 0] on D1, and Pr[F_exp = 0] on D0, Pr[F_lin = 0] on D1 and D0: ≥ 1 − δ/n"
    statement = "With high probability F_exp is positive on D1 alone and F_lin is zero on both"
    ends = Lemma(name, special).ranges()
    printed = []
    if name == "6.2":
        printed = [_printed(special)]
    source, bound_from = origin(name)
    common = {"model": model, "relation": "at most", "ranges": ends}
    common |= {"source": source, "bound_from": bound_from}
    return [
        Claim(
            id=name,
            place=place,
            statement=f"{statement}, for some m of the order of log(n/δ).",
            formula=formula,
            quantity="largest of the three probabilities that a network is positive that should be "
            "zero, with the fewest columns for which F_exp is positive on D1 often enough",
            cells=with_free_m,
            bound=lambda setting: setting.rare,
            **common,
        ),
        *printed,
        Claim(
            id=f"{name}.m",
            place=f"{place}, with the experiments' m",
            statement=f"{statement}, with as many columns as the experiments have.",
            formula=formula,
            quantity="largest of the four failure probabilities, exactly",
            cells=with_m,
            bound=lambda setting: setting.rare,
            **common,
        ),
    ]


def _printed(special: Case) -> Claim:
    """Theorem 6.2 as it stands: F_exp is to be positive and zero on the same data."""

    def not_both(setting: Setting) -> float:
        p = special.column(setting)
        return none_positive(p, setting.m) + some_positive(p, setting.m)

    source, bound_from = origin("6.2.printed")
    return Claim(
        id="6.2.printed",
        place="Theorem 6.2, as printed",
        statement="With high probability F_exp is both positive and zero on D1.",
        formula="F_exp(A₁) > 0, F_exp(A₁) = 0 for A₁ from D₁",
        source=source,
        bound_from=bound_from,
        model=special.model.name,
        quantity="Pr[not both], exactly",
        relation="at most",
        cells=not_both,
        bound=lambda setting: setting.rare,
    )
