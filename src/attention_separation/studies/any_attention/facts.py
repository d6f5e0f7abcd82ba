"""Facts of any attention kernel.

A *cell* is a kernel in a model with an X: a row of the table of kernels.
"""

import math
import warnings
from collections import Counter
from functools import cache
from typing import Any, NamedTuple

from ...any_attention.layers import LAYERS
from ...api import reaching
from ...pages.rendering import Tables, one, whole
from ...statistics.claims import NOT_APPLICABLE, VERDICTS


class Kernels:
    """Any attention: `docs/kernels/`."""

    def __init__(self, tables: Tables):
        self._tables = tables

    def row(self, kernel: str, layer: int, table: str = "kernels", **wanted: object) -> Any:
        """A kernel's row of a table in one of LAYERS, which `layer` numbers."""
        rows = self._tables(f"kernels/{table}")
        return one(rows, kernel=kernel, **LAYERS[layer].columns, **wanted)

    def last(self, kernel: str, layer: int) -> float:
        """The largest n computed at which a kernel separates; 0 for none."""
        return self.row(kernel, layer)["last_n"] or 0

    def reach(self, kernel: str, layer: int) -> str:
        """The largest n at which a kernel separates, in words, and the n below it at which it does
        not."""
        row = self.row(kernel, layer)
        words = _words_of(self.last(kernel, layer))
        if row["first_hole"]:
            words += f", not at some n in {row['first_hole']:,.0f} to {row['last_hole']:,.0f}"
        if row["undecided_from"]:
            words += f", P unknown from {whole(row['undecided_from'])}"
        return words

    @staticmethod
    def reach_at(kernel: str, a1: float) -> str:
        """The largest n at which a kernel separates in self-attention with X = I, at another size
        of the special entry, in words."""
        return _words_of(_largest_n(kernel, a1))

    def p(self, kernel: str, layer: int, n: int = 2000) -> float:
        """The probability that a kernel separates at n, at its own best threshold."""
        return self.row(kernel, layer, "kernel_values", n=n)["p_best"]

    @property
    def names(self) -> list[str]:
        """The names of all kernels, in the order of the table."""
        return list(dict.fromkeys(row["kernel"] for row in self._tables("kernels/kernels")))

    def separate_everywhere(self, *kernels: str) -> bool:
        """Whether all of these kernels separate at the largest n computed, in all three models."""
        reaches = [self.last(kernel, layer) for kernel in kernels for layer in range(len(LAYERS))]
        return all(map(math.isinf, reaches))

    def reach_and_end(self, kernel: str, layer: int) -> str:
        """The largest n at which a kernel separates, in words, and in brackets the n from which on
        it equals uniform attention."""
        words = self.reach(kernel, layer)
        end = self.row(kernel, layer)["n_equal_to_uniform"]
        if end and self.last(kernel, layer) < end < math.inf:
            words += f" ({whole(end)})"
        return words

    @property
    def laws(self) -> list[dict[str, Any]]:
        """Every law of the default data, with how many of its claims have each verdict."""
        laws: dict[str, dict[str, Any]] = {}
        for row in self._tables("kernels/kernel_laws"):
            law = laws.setdefault(row["law"], {**row, "verdicts": Counter()})
            law["verdicts"][row["verdict"]] += 1
        return list(laws.values())

    @property
    def laws_elsewhere(self) -> list[dict[str, Any]]:
        """How many claims of all laws have each verdict, for each of the other data."""
        counts_by_data: dict[str, Counter[str]] = {}
        for row in self._tables("kernels/laws_elsewhere"):
            counts = counts_by_data.setdefault(row["data"], Counter())
            counts.update({verdict: row[verdict] for verdict in (*VERDICTS, NOT_APPLICABLE)})
        return [{"data": data, **counts} for data, counts in counts_by_data.items()]

    @property
    def finite(self) -> "list[Cell]":
        """The cells of the table of kernels whose largest n is finite."""
        rows = self._tables("kernels/kernels")
        return [_cell_of(row) for row in rows if row["last_n"] and math.isfinite(row["last_n"])]

    @property
    def predicted(self) -> "list[Cell]":
        """Those cells of `finite` whose number a law predicts, within its error term."""
        laws = self._tables("kernels/kernel_laws", quantity="last n", verdict="agrees")
        cells = {_cell_of(row) for row in laws}
        return [cell for cell in self.finite if cell in cells]

    @property
    def least_with_biases(self) -> float:
        """The least probability that any kernel has with a bias for each neuron, chosen after the
        signs, at n = 2,000 in self-attention."""
        rows = self._tables("kernels/kernel_values", model="self_attention", n=2000)
        return min(row["p_each_bias"] for row in rows if row["p_each_bias"] is not None)


class Cell(NamedTuple):
    """A kernel in a model with an X."""

    kernel: str
    model: str
    attention_x: str


@cache
def _largest_n(kernel: str, a1: float) -> float:
    """The largest n at which a kernel separates, as the API computes it; 0 for none."""
    with warnings.catch_warnings():
        # Where softmax itself stops, the page says.
        warnings.simplefilter("ignore")
        return reaching.largest_n(kernel, a1=a1) or 0


def _words_of(last: float) -> str:
    """A largest n in words: "≥ 10¹²" for infinity, "none" for 0."""
    if math.isinf(last):
        return "≥ 10¹²"
    return whole(last) if last else "none"


def _cell_of(row: dict[str, Any]) -> Cell:
    """The cell of a row of a table."""
    return Cell(row["kernel"], row["model"], row["attention_x"])
