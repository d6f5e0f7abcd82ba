"""The built-in kernels, as a mapping that prints as a table."""

from collections.abc import Iterator, Mapping
from html import escape

from ..attention.kernel import Kernel
from ..attention.kernel_names import FAMILIES, UnknownKernelError, kernel_named
from ..attention.kernels import KERNELS
from ..messages.words import short_repr

COLUMNS = ("kernel", "formula", "divided by", "sees", "source")


class KernelList(Mapping[str, Kernel]):
    """Kernels by name; those of families, as power_5, can be asked for and are not listed."""

    def __getitem__(self, name: str) -> Kernel:
        """The kernel of a name; UnknownKernelError if there is none."""
        if not isinstance(name, str):
            raise UnknownKernelError(f"{short_repr(name)} is no kernel's name")
        return kernel_named(name)

    def __iter__(self) -> Iterator[str]:
        return iter(KERNELS)

    def __len__(self) -> int:
        return len(KERNELS)

    def __repr__(self) -> str:
        """The table of kernels as text, with the families below."""
        families = "; ".join(family.words for family in FAMILIES)
        return f"{as_text(COLUMNS, self.rows())}\nand families: {families}"

    def _repr_html_(self) -> str:
        """The table of kernels as HTML, for notebooks."""
        head = "".join(f"<th>{escape(name)}</th>" for name in COLUMNS)
        body = []
        for row in self.rows():
            cells = "".join(f"<td>{escape(cell)}</td>" for cell in row)
            body.append(f"<tr>{cells}</tr>")
        families = "; ".join(escape(family.words) for family in FAMILIES)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
        return f"{table}<p>and families: {families}</p>"

    def rows(self) -> list[tuple[str, ...]]:
        """The cells of each kernel, in the order of COLUMNS."""
        return [
            (kernel.name, kernel.symbol, kernel.normaliser, kernel.sees, kernel.source)
            for kernel in KERNELS.values()
        ]


kernels = KernelList()
"""All built-in kernels by name: print it."""


def as_text(head: tuple[str, ...], cells: list[tuple[str, ...]]) -> str:
    """A table as text with aligned columns."""
    widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    rule = tuple("-" * width for width in widths)
    lines = []
    for row in (head, rule, *cells):
        padded = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)
