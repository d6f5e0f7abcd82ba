"""Names of kernels in configurations."""

from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from attention_separation.attention.kernel_names import FAMILIES, UnknownKernelError, kernel_named
from attention_separation.attention.kernels import KERNELS

IN_FAMILIES = [
    {"type": "string", "pattern": f"^{family.prefix}_[0-9.]+$", "title": f"{family.prefix}_P"}
    for family in FAMILIES
]


def _known(name: str) -> str:
    try:
        kernel_named(name)
    except UnknownKernelError as error:
        raise PydanticCustomError("kernel", "{why}", {"why": str(error)}) from error
    return name


KernelName = Annotated[
    str, AfterValidator(_known), WithJsonSchema({"anyOf": [{"enum": [*KERNELS]}, *IN_FAMILIES]})
]
"""The name of a kernel, built-in or of a family."""
