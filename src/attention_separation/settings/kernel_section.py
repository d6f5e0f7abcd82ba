"""A user's own kernels in the configuration: a formula of scores, a map of features, or Python."""

import difflib
import hashlib
import importlib
import sys
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag

from ..attention.kernel_names import is_kernel
from ..own_kernels.formula import parse_formula
from .strict_model import DIGEST_LENGTH, UNTAGGED, StrictModel, name_but

MOST_CHARACTERS = 300
"""Of a formula, or of the path of a function."""


def _formula(text: str) -> str:
    parse_formula(text)
    return text


def _dotted_path(text: str) -> str:
    """A text, checked to be module.function, or package.module.function."""
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
        "installed: its code runs, so read settings of others first; a change of the function's "
        "own module reruns what depends on it, one of what it imports does not"
    )
    of: Literal["score", "features"] = Field(
        default="score",
        description="whether it takes an array of scores to their weights, or φ: an array (..., d) "
        "of vectors to (..., features), the weight being φ(q)·φ(k)",
    )
    normalised: Normalised = True


KERNEL_FORMS = {"score": ScoreKernel, "feature_map": FeatureKernel, "python": PythonKernel}
"""By the setting that one of them alone has."""


def _nearest_form(keys: Iterable[Any]) -> str | None:
    """The form of a kernel whose key is nearest to one of these; None if none is near."""
    for key in keys:
        for form in difflib.get_close_matches(str(key), KERNEL_FORMS, n=1):
            return form
    return None


def _form(value: Any) -> str:
    """The key of a kernel's form, such as "score", by which its settings are checked; of a kernel
    without one, the nearest form's."""
    for key, form in KERNEL_FORMS.items():
        if isinstance(value, form) or (isinstance(value, dict) and key in value):
            return key
    keys = value if isinstance(value, dict) else ()
    return _nearest_form(keys) or "score"


def _require_one_form(value: Any) -> Any:
    """The value, checked: ValueError if it is a mapping with keys of several forms, or of none."""
    if not isinstance(value, dict):
        return value
    forms = [key for key in KERNEL_FORMS if key in value]
    allowed = f"allowed: one of {', '.join(KERNEL_FORMS)}"
    if len(forms) > 1:
        raise ValueError(f"has {' and '.join(forms)}; {allowed}")
    if not forms and _nearest_form(value) is None:
        raise ValueError(f"has no weights; {allowed}")
    return value


OwnKernel = Annotated[
    Annotated[ScoreKernel, Tag("score")]
    | Annotated[FeatureKernel, Tag("feature_map")]
    | Annotated[PythonKernel, Tag("python")],
    Discriminator(_form),
    UNTAGGED,
    BeforeValidator(_require_one_form),
]
OwnName = Annotated[str, name_but(is_kernel, "a built-in kernel")]
OwnKernels = Annotated[dict[OwnName, OwnKernel], Field(max_length=50)]

NOT_A_FILE = "no file"


def module_digest(function: str) -> str:
    """Digest of the file of the module that a function `package.module.name` is in, found without
    importing it."""
    spec = _module_spec(function.rpartition(".")[0])
    if spec is None:
        return NOT_A_FILE
    try:
        content = Path(spec.origin or "").read_bytes()
    except OSError:  # it is built into Python, say
        return NOT_A_FILE
    if not content:
        return NOT_A_FILE
    return hashlib.sha256(content).hexdigest()[:DIGEST_LENGTH]


def _module_spec(module: str) -> ModuleSpec | None:
    """Where Python finds a module: in this folder first, as in jobs, if it is in no package. The
    specs of its packages are found on the way, and none of them is imported."""
    importlib.invalidate_caches()
    parts = module.split(".")
    spec = PathFinder.find_spec(parts[0], [str(Path.cwd())]) or _spec_by_finders(parts[0], None)
    for k in range(1, len(parts)):
        if spec is None:
            return None
        name = ".".join(parts[: k + 1])
        spec = _spec_by_finders(name, spec.submodule_search_locations or [])
    return spec


def _spec_by_finders(name: str, folders: Sequence[str] | None) -> ModuleSpec | None:
    """The spec of a module from the first of Python's finders that has it; `folders` are those of
    its package, None if it is in none."""
    for finder in sys.meta_path:
        spec = finder.find_spec(name, folders)
        if spec is not None:
            return spec
    return None
