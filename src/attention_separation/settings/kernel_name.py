"""Names of kernels in configurations."""

from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema

from ..attention.kernel_names import ALIASES, FAMILIES, kernel_named
from ..attention.kernels import KERNELS
from .faults import fault

IN_FAMILIES = [
    {
        "type": "string",
        "pattern": f"^{family.pattern}$",
        "title": f"{family.prefix}_P{family.suffix}",
    }
    for family in FAMILIES
]


def _written(name: str) -> str:
    """The kernel's name as results have it, for a name or an alias; a fault if there is none."""
    try:
        return kernel_named(name).name
    except ValueError as error:
        raise fault(str(error)) from error


KERNEL_NAMES = [{"enum": [*KERNELS, *ALIASES]}, *IN_FAMILIES]
"""For the schema: what the name of a kernel may be."""

KernelName = Annotated[
    str,
    AfterValidator(_written),
    WithJsonSchema({"anyOf": KERNEL_NAMES}),
]
"""The name of a kernel, built-in or of a family; an alias becomes the name."""
