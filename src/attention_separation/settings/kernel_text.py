"""A kernel where a configuration names one: by name, by formula, or as one of the reader's own."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
)

from ..attention.kernel import Kernel
from ..attention.kernel_names import kernel_named
from ..own_kernels.formula import FormulaError, parse_formula
from .faults import fault
from .kernel_name import KERNEL_NAMES
from .kernel_section import MOST_CHARACTERS, OwnKernel, PythonKernel, ScoreKernel, module_digest
from .strict_model import StrictModel

PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
"""What is no formula, but for a single quantity."""

FORMULA_QUANTITIES = ("x", "n", "d", "log_n")


class NamedKernel(StrictModel):
    """A kernel of `any_attention.kernels` that something else names; `module` is the digest of the
    module of a Python function."""

    name: str
    setting: OwnKernel
    module: str | None = None


Named = Annotated[
    tuple[NamedKernel, ...],
    BeforeValidator(lambda kernels: tuple(kernels) if isinstance(kernels, list) else kernels),
]

OWN_KERNEL: TypeAdapter[Any] = TypeAdapter(OwnKernel)


def named_kernels(names: Iterable[Any], kernels: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The kernels of the configuration's section that are among these names, each as a mapping of
    its name and settings. It is not validated yet: a kernel with a fault is left out, and the fault
    is reported where it stands."""
    named = []
    for name in dict.fromkeys(name for name in names if isinstance(name, str)):
        try:
            setting = OWN_KERNEL.validate_python(kernels[name])
        except (KeyError, ValidationError):
            continue
        entry = {"name": name, "setting": kernels[name]}
        if isinstance(setting, PythonKernel):
            entry["module"] = module_digest(setting.python)
        named.append(entry)
    return named


def is_formula(text: str) -> bool:
    """Whether a text is read as a formula, not as a name."""
    return text in FORMULA_QUANTITIES or not PLAIN_NAME.fullmatch(text)


def _written(text: str, info: ValidationInfo) -> str:
    """The text as it is written everywhere, where an alias has become the name. A fault if the text
    is no kernel: neither built in, nor a formula, nor one of the field `own`."""
    text = text.strip()
    own: Named = info.data.get("own") or ()
    if any(text == kernel.name for kernel in own):
        return text
    if len(text) > MOST_CHARACTERS:
        raise fault(f"has {len(text)} characters; allowed: at most {MOST_CHARACTERS}")
    try:
        if is_formula(text):
            parse_formula(text)
            return text
        return kernel_named(text).name
    except FormulaError as error:
        raise fault(f"{text!r} is no kernel and no formula: {error}") from error
    except ValueError as error:
        raise fault(f"{error}, a formula in x, or one of any_attention.kernels") from error


FORMULA = {"type": "string", "format": "formula in x, the name of one of `any_attention.kernels`"}

KernelText = Annotated[
    str,
    AfterValidator(_written),
    WithJsonSchema({"anyOf": [*KERNEL_NAMES, FORMULA]}),
]
"""A kernel by name, by formula, or one of the field `own` of the same settings."""


@cache
def kernel_of_text(text: str, own: Named = ()) -> Kernel:
    """The kernel that a text stands for; ValueError if a Python function cannot be loaded."""
    # What evaluates formulas takes its time to load.
    from .kernel_values import own_kernel

    for kernel in own:
        if kernel.name == text:
            return own_kernel(text, kernel.setting)
    if is_formula(text):
        return own_kernel(text, ScoreKernel(score=text))
    return kernel_named(text)
