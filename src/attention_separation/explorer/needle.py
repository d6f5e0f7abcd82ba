"""The lines of the needle: how well one query detects it when tokens are noisy.

They stand where a slider can, as a table beside this module: a polynomial's accuracy takes longer
than a slider may. `make explorer-table` writes it anew, in some minutes.
"""

import csv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from matplotlib.figure import Figure

from attention_separation.pages.house_style import MIDDLE_GRAY, kernel_line

from .pictures import legend_above, logarithmic, new_panel

TABLE = Path(__file__).with_name("needle_lines.csv")

KERNELS = ("uniform", "linear", "power_2", "power_3", "power_4", "exp", "bayes")
MUS = tuple(3 + k / 2 for k in range(11))
SIZES = tuple(2**k for k in range(3, 21))

DIGITS = 6
"""Of accuracies, after the point; and of critical n, in all."""


@dataclass(frozen=True)
class NeedleLine:
    """How well one query of a kernel detects a needle at a signal-to-noise ratio.

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


LABELS = {
    "exp": "exp, by its largest token",
    "bayes": "best possible",
}


def draw_needle(mu: float = 5.0, n: int = 512) -> Figure:
    """Accuracy against the number of tokens, a line for each kernel, as tabled: dots are computed,
    lines only join them.

    Parameters
    ----------
    mu : signal-to-noise ratio of the needle, 3, 3.5, ... 8
    n : number of tokens that is marked, a power of 2 from 8 to 2^20

    Raises
    ------
    ValueError
        If the table has no such mu or n.
    """
    _require(mu, n)
    figure, axes = new_panel()
    for kernel in KERNELS:
        axes.plot(
            SIZES, needle_lines()[kernel, mu].accuracies, marker=".",
            label=LABELS.get(kernel, kernel), zorder=2 if kernel == "bayes" else 3,
            **kernel_line(kernel),
        )  # fmt: skip
    axes.axvline(n, color=MIDDLE_GRAY, linewidth=0.8, zorder=1)
    axes.axhline(0.75, color=MIDDLE_GRAY, linewidth=0.8, linestyle=":", zorder=1)
    logarithmic(axes.xaxis)
    axes.set_ylim(0.49, 1.01)
    axes.set_xlabel(f"tokens n, at μ = {mu:g}")
    axes.set_ylabel("accuracy at best")
    legend_above(figure, axes)
    return figure


def say_needle(mu: float, n: int) -> str:
    """The same at one n, in a sentence."""
    _require(mu, n)
    at = {k: needle_lines()[k, mu].accuracies[SIZES.index(n)] for k in KERNELS}
    critical = {k: f"{needle_lines()[k, mu].critical_n:,.0f}" for k in KERNELS}
    return (
        "Apart from the number above, with noise on every token: a needle of signal-to-noise ratio "
        f"μ = {mu:g} among n = {n:,} tokens is detected by one query at best with an accuracy of "
        f"{at['uniform']:.3f} by uniform weights, {at['linear']:.3f} by linear attention, "
        f"{at['power_2']:.3f} by x², {at['exp']:.3f} by softmax (read by its largest token), and "
        f"{at['bayes']:.3f} by anything at all. Guessing has 0.5. It is 0.75 at n = "
        f"{critical['linear']} for linear attention, at {critical['power_2']} for x² and at "
        f"{critical['exp']} for softmax. Dots are computed before, for these μ and n; lines only "
        "join them."
    )


def _require(mu: float, n: int) -> None:
    if mu not in MUS or n not in SIZES:
        raise ValueError(
            f"mu={mu!r} and n={n!r} are not in the table; allowed: mu {MUS[0]:g}, "
            f"{MUS[1]:g}, ... {MUS[-1]:g}, n powers of 2 from {SIZES[0]} to {SIZES[-1]:,}; "
            "attention_separation.needle.limit has any other"
        )
