"""Which modules serve some of the models alone.

Others may import what is in them, but no result of another model depends on what they do, and a
change of them leaves it as it is. Tests run every verb and hold this table against what was called.
"""

from collections.abc import Iterable

PACKAGE = __name__.partition(".")[0]
PAPER = __name__.rpartition(".settings.")[0]

OF_ATTENTION = (
    *(
        f"{PACKAGE}.attention.{name}"
        for name in (
            "columns", "dense", "features", "kernels",
            "row_functions", "rows", "seen", "token_types",
        )
    ),
    f"{PACKAGE}.datasets",
    f"{PACKAGE}.datasets.dataset",
    f"{PAPER}.models.attention_model",
    f"{PAPER}.simulation.attention_trials",
    f"{PAPER}.exact.attention_probabilities",
)  # fmt: skip

SERVING = {
    "regression": (
        f"{PAPER}.models.regression",
        f"{PAPER}.simulation.regression_trials",
        f"{PAPER}.exact.regression_columns",
        f"{PAPER}.exact.regression_curves",
        f"{PAPER}.exact.regression_probabilities",
        f"{PAPER}.exact.regression_fourier",
        f"{PAPER}.exact.regression_moments",
    ),
    **{
        model: (f"{PACKAGE}.datasets.{model}", f"{PAPER}.models.{model}", *OF_ATTENTION)
        for model in ("self_attention", "cross_attention")
    },
}
"""By model, the modules that serve it and not every model."""


def modules_of_others(names: Iterable[str]) -> frozenset[str]:
    """Modules that serve other models alone: nothing that is made of these depends on them."""
    needed = {module for name in names for module in SERVING[name]}
    return frozenset(module for modules in SERVING.values() for module in modules) - needed
