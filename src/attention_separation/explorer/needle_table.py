"""The needle's lines where a slider can stand, as a table beside this module: a polynomial's
accuracy takes longer than a slider may. `make explorer-table` writes it anew, in some minutes.
"""

import csv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

TABLE = Path(__file__).with_name("needle_lines.csv")

KERNELS = ("none", "linear", "power_2", "power_3", "power_4", "exp", "bayes")
MUS = tuple(3 + k / 2 for k in range(11))
SIZES = tuple(2**k for k in range(3, 21))

DIGITS = 6
"""Of accuracies, after the point; and of critical n, in all."""


@dataclass(frozen=True)
class NeedleLine:
    """What one query of a kernel tells of a needle at a signal-to-noise ratio.

    Attributes
    ----------
    critical_n : where the accuracy is .75
    accuracies : at each of SIZES
    """

    critical_n: float
    accuracies: tuple[float, ...]


@lru_cache(maxsize=1)
def needle_lines() -> dict[tuple[str, float], NeedleLine]:
    """The table, by kernel and mu."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {
            (row["kernel"], float(row["mu"])): NeedleLine(
                float(row["critical_n"]), tuple(float(row[str(n)]) for n in SIZES)
            )
            for row in csv.DictReader(file)
        }


def written_row(kernel: str, mu: float) -> list[str]:
    """A row of the table, computed."""
    from attention_separation.needle import critical_n, limit

    accuracies = [f"{limit(kernel, mu, n):.{DIGITS}f}" for n in SIZES]
    return [kernel, f"{mu:g}", f"{critical_n(kernel, mu):.{DIGITS}g}", *accuracies]


def write_table() -> None:
    """Compute the table and write it."""
    rows = [written_row(kernel, mu) for kernel in KERNELS for mu in MUS]
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([["kernel", "mu", "critical_n", *map(str, SIZES)], *rows])
