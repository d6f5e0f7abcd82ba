"""A user's own kernels in the configuration: a formula of scores, a map of features, or Python."""

import difflib
import hashlib
import importlib
import sys
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag

from ..attention.kernel_names import is_kernel
from ..settings.strict_model import DIGEST_LENGTH, UNTAGGED, StrictModel, name_but
from .formula import parse_formula

MOST_CHARACTERS = 300
"""Of a formula, or of the path of a function."""


def _formula(text: str) -> str:
    parse_formula(text)
    return text


def _dotted_path(text: str) -> str:
    parts = text.split(".")
    if len(parts) < 2 or not all(part.isascii() and part.isidentifier() for part in parts):
        raise ValueError("allowed: module.function or package.module.function")
    return text


FormulaText = Annotated[str, Field(max_length=MOST_CHARACTERS), AfterValidator(_formula)]
FunctionPath = Annotated[str, Field(max_length=MOST_CHARACTERS), AfterValidator(_dotted_path)]
Normalised = Annotated[bool, Field(description="whether each row is divided by its sum")]


class ScoreKernel(StrictModel):
    """A weight as a function of the score."""

    score: FormulaText = Field(
        description="weight of a token with score x = q·k, a formula such as `1 + x + x**2/2`"
    )
    normalised: Normalised = True


class FeatureKernel(StrictModel):
    """A weight phi(q) . phi(k), phi element-wise."""

    feature_map: FormulaText = Field(
        description="φ of each coordinate x of queries and keys, a formula such as "
        "`where(x > 0, x + 1, exp(x))`; the weight is φ(q)·φ(k)"
    )
    normalised: Normalised = True


class PythonKernel(StrictModel):
    """A weight that a user's Python function gives."""

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


def _nearest(value: Any) -> str | None:
    keys = value if isinstance(value, dict) else ()
    near = (difflib.get_close_matches(str(key), FORMS, n=1) for key in keys)
    return next((found[0] for found in near if found), None)


def _form(value: Any) -> str:
    """The key of a kernel's form; one without any of them is of that with the nearest."""
    for key, form in FORMS.items():
        if isinstance(value, form) or (isinstance(value, dict) and key in value):
            return key
    return _nearest(value) or "score"


def _has_one_form(value: Any) -> Any:
    if isinstance(value, dict):
        given = [key for key in FORMS if key in value]
        if len(given) > 1 or not (given or _nearest(value)):
            what = f"has {' and '.join(given)}" if given else "has no weights"
            raise ValueError(f"{what}; allowed: one of {', '.join(FORMS)}")
    return value


OwnKernel = Annotated[
    Annotated[ScoreKernel, Tag("score")]
    | Annotated[FeatureKernel, Tag("feature_map")]
    | Annotated[PythonKernel, Tag("python")],
    Discriminator(_form),
    UNTAGGED,
    BeforeValidator(_has_one_form),
]
OwnName = Annotated[str, name_but(is_kernel, "a built-in kernel")]
OwnKernels = Annotated[dict[OwnName, OwnKernel], Field(max_length=50)]

NOT_A_FILE = "no file"


def module_digest(function: str) -> str:
    """Digest of the file of the module that a function `package.module.name` is in, found without
    importing it."""
    spec = _module_spec(function.rpartition(".")[0])
    try:
        content = Path(spec.origin or "").read_bytes() if spec else b""
    except OSError:  # it is built into Python, say
        return NOT_A_FILE
    return hashlib.sha256(content).hexdigest()[:DIGEST_LENGTH] if content else NOT_A_FILE


def _module_spec(module: str) -> ModuleSpec | None:
    """Of each package on the way to a module, then of it; of one in no package first in this
    folder, as jobs import it."""
    importlib.invalidate_caches()
    name, folders, spec = "", None, None
    for part in module.split("."):
        name = f"{name}.{part}".strip(".")
        own = PathFinder.find_spec(name, [str(Path.cwd())]) if folders is None else None
        found = (finder.find_spec(name, folders) for finder in sys.meta_path)
        spec = own or next(filter(None, found), None)
        if spec is None:
            return None
        folders = spec.submodule_search_locations or []
    return spec
