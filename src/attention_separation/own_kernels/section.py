"""A user's own kernels in the configuration: a formula of scores, a map of features, or Python."""

import difflib
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag, WrapValidator
from pydantic_core import PydanticCustomError

from attention_separation.attention.kernel_names import is_kernel
from attention_separation.settings.closed import Closed
from attention_separation.settings.faults import NAME, NO_NAME

from .formula import FormulaError, parse_formula

MOST_CHARACTERS = 300
"""Of a formula, or of the path of a function."""

MOST_KERNELS = 50


def _formula(text: str) -> str:
    try:
        parse_formula(text)
    except FormulaError as error:
        raise PydanticCustomError("formula", "{why}", {"why": str(error)}) from error
    return text


def _dotted_path(text: str) -> str:
    parts = text.split(".")
    if len(parts) < 2 or not all(part.isascii() and part.isidentifier() for part in parts):
        raise PydanticCustomError("function", "allowed: module.function or package.module.function")
    return text


FormulaText = Annotated[str, Field(max_length=MOST_CHARACTERS), AfterValidator(_formula)]
FunctionPath = Annotated[str, Field(max_length=MOST_CHARACTERS), AfterValidator(_dotted_path)]
Normalised = Annotated[bool, Field(description="whether each row is divided by its sum")]


class ScoreKernel(Closed):
    """A weight as a function of the score."""

    TAG: ClassVar = "<score>"

    score: FormulaText = Field(
        description="weight of a token with score x = q·k, a formula such as `1 + x + x**2/2`"
    )
    normalised: Normalised = True


class FeatureKernel(Closed):
    """A weight phi(q) . phi(k), phi element-wise."""

    TAG: ClassVar = "<feature_map>"

    feature_map: FormulaText = Field(
        description="φ of each coordinate x of queries and keys, a formula such as "
        "`where(x > 0, x + 1, exp(x))`; the weight is φ(q)·φ(k)"
    )
    normalised: Normalised = True


class PythonKernel(Closed):
    """A weight that a user's Python function gives."""

    TAG: ClassVar = "<python>"

    python: FunctionPath = Field(
        description="module.function, in a file of the folder that Snakemake runs in, or "
        "installed; a change of the function's own module reruns what depends on it, one of what "
        "it imports does not"
    )
    of: Literal["score", "features"] = Field(
        default="score",
        description="whether it takes an array of scores to their weights, or φ: an array (..., d) "
        "of vectors to (..., features), the weight being φ(q)·φ(k)",
    )
    normalised: Normalised = True


FORMS = {"score": ScoreKernel, "feature_map": FeatureKernel, "python": PythonKernel}
"""By the setting that one of them alone has."""


def _form(value: Any) -> str:
    """The tag of a kernel's form; one without any of their keys is of that with the nearest."""
    for key, form in FORMS.items():
        if isinstance(value, form) or (isinstance(value, dict) and key in value):
            return form.TAG
    near = _nearest(value) if isinstance(value, dict) else None
    return FORMS[near or "score"].TAG


def _nearest(value: dict) -> str | None:
    near = (difflib.get_close_matches(str(key), FORMS, n=1) for key in value)
    return next((found[0] for found in near if found), None)


def _one_form(value: Any, handler: Any) -> Any:
    if isinstance(value, dict):
        given = [key for key in FORMS if key in value]
        if len(given) > 1 or not (given or _nearest(value)):
            what = f"has {' and '.join(given)}" if given else "has no weights"
            raise PydanticCustomError(
                "form", "{what}; allowed: one of {forms}",
                {"what": what, "forms": ", ".join(FORMS)},
            )  # fmt: skip
    return handler(value)


OwnKernel = Annotated[
    Annotated[ScoreKernel, Tag(ScoreKernel.TAG)]
    | Annotated[FeatureKernel, Tag(FeatureKernel.TAG)]
    | Annotated[PythonKernel, Tag(PythonKernel.TAG)],
    Discriminator(_form),
    WrapValidator(_one_form),
]

OwnKernels = Annotated[dict[str, OwnKernel], Field(max_length=MOST_KERNELS)]


def kernel_name_faults(section: Any) -> list[tuple[tuple, str]]:
    """Faults of the names of own kernels in the section, if it has any."""
    kernels = section.get("kernels") if isinstance(section, dict) else None
    if not isinstance(kernels, Mapping):
        return []
    found = []
    for name in kernels:
        if not NAME.fullmatch(name):
            found.append((("kernels", name), NO_NAME))
        elif is_kernel(name):
            text = "is the name of a built-in kernel; choose another"
            found.append((("kernels", name), text))
    return found
