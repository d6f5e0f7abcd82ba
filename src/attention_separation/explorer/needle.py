"""The needle's accuracy limits: how well one query finds it where every token is noisy.

A polynomial's limit takes longer than a slider may: they stand in a table beside this module, which
`make explorer-table` writes anew, in some minutes.
"""

from itertools import product
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from attention_separation.pages.house_style import MIDDLE_GRAY, kernel_line

from .pictures import finished, panel

TABLE = Path(__file__).with_name("needle_limits.csv")
KERNELS = ("bayes", "exp", "power_4", "power_3", "power_2", "linear", "uniform")
MUS = tuple(3 + k / 2 for k in range(11))
SIZES = tuple(2**k for k in range(3, 21))


def write_table() -> None:
    """Compute the table and write it, each number in six digits."""
    from attention_separation.needle import critical_n, limit

    rows = [["kernel", "mu", "critical_n", *map(str, SIZES)]]
    for kernel, mu in product(reversed(KERNELS), MUS):
        accuracies = [f"{limit(kernel, mu, n):.6f}" for n in SIZES]
        rows.append([kernel, f"{mu:g}", f"{critical_n(kernel, mu):.6g}", *accuracies])
    TABLE.write_text("".join(f"{','.join(row)}\n" for row in rows), encoding="utf-8")


def draw_needle(mu: float = 5.0, n: int = 512) -> Figure:
    """Accuracy limits against the number of tokens, a line for each kernel: dots are tabled, lines
    only join them; the legend has the limits at n.

    Parameters
    ----------
    mu : signal-to-noise ratio of the needle, 3, 3.5, ... 8
    n : number of tokens that is marked, a power of 2 from 8 to 2^20

    Raises
    ------
    ValueError
        If the table has no such mu or n.
    """
    if mu not in MUS or n not in SIZES:
        raise ValueError(
            f"mu={mu!r} and n={n!r} are not in the table; allowed: mu 3, 3.5, ... 8, n powers of 2 "
            "from 8 to 1,048,576; attention_separation.needle.limit has any other"
        )
    limits = pd.read_csv(TABLE, index_col=["mu", "kernel"]).loc[mu]
    axes = panel()
    for kernel in KERNELS:
        accuracies = limits.loc[kernel, [*map(str, SIZES)]]
        axes.plot(
            SIZES, accuracies, marker=".", label=f"{kernel}: {accuracies[str(n)]:.3f}",
            zorder=2 if kernel == "bayes" else 3, **kernel_line(kernel),
        )  # fmt: skip
    axes.axvline(n, color=MIDDLE_GRAY, linewidth=0.8, zorder=1)
    axes.axhline(0.75, color=MIDDLE_GRAY, linewidth=0.8, linestyle=":", zorder=1)
    axes.set_ylim(0.49, 1.01)
    critical = {kernel: f"{each:,.0f}" for kernel, each in limits["critical_n"].items()}
    words = (
        f"Every token is noisy. The legend has the best accuracy of one query among n = {n:,} "
        f"tokens, at a signal-to-noise ratio μ = {mu:g}. Softmax (exp) is read by its largest "
        "token, bayes is any detector, guessing has 0.5. The accuracy is 0.75 at n = {linear} for "
        "linear attention, {power_2} for x² and {exp} for softmax. Dots are tabled values; lines "
        "only join them."
    )
    along, words = f"tokens n, at μ = {mu:g}", words.format(**critical)
    return finished(axes, along, "accuracy limit", words, logarithmic=True)
