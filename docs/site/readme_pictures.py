"""Draws the picture of docs/head_rank.md, one panel, with type that a phone shows large enough.

`python docs/site/readme_pictures.py FOLDER` reads its numbers from docs/head_rank; `make gallery`
does it.
"""

import csv
import sys
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_separation.looks.colors import BLUE, DARK_GRAY, VERMILION
from attention_separation.pages.house_style import house_rc
from attention_separation.results.files import replacing

ROOT = Path(__file__).parents[2]
SIZE = (5.0, 3.0)
"""Inches: on a phone, 390 pixels wide, type of 11 points is about as large as the page's own."""
TYPE = {"font.size": 11, "axes.labelsize": 11, "xtick.labelsize": 10.5, "ytick.labelsize": 10.5}


def error_against_rank(ax: Axes) -> None:
    """The least error of one layer of 64/r heads of rank r, against r."""
    path = ROOT / "docs/head_rank/rank_bound.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["d"] == "64"]
    rows = [row for row in rows if int(row["rank"]) * int(row["heads"]) == 64]
    low = [row for row in rows if row["rank"] != "64"]
    ranks = [int(row["rank"]) for row in low]
    ax.plot(ranks, [float(row["bound_any_value"]) for row in low], "o-", color=VERMILION, lw=2.4)
    ax.text(1.1, 0.205, "64/r heads of rank r:\nno less than this", color=VERMILION, weight="bold")
    ax.plot([64], [0.0], "o", color=BLUE, markersize=9, clip_on=False)
    ax.text(
        52,
        0.008,
        "one head of full rank:\n0 as it gets sharper",
        color=BLUE,
        weight="bold",
        ha="right",
    )
    ax.axhline(0.5, color=DARK_GRAY, linestyle="--", linewidth=1.4)
    ax.text(1.1, 0.47, "uniform attention", color=DARK_GRAY, va="top")
    ax.set_xscale("log", base=2)
    ax.set_xticks([1, 2, 4, 8, 16, 32, 64], ["1", "2", "4", "8", "16", "32", "64"])
    ax.minorticks_off()
    ax.set(ylim=(0, 0.54), xlim=(0.95, 68), xlabel="rank r of a head, d = 64", ylabel="error")


PICTURES = {"error_against_rank": error_against_rank}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        with house_rc() as _:
            import matplotlib

            matplotlib.rcParams.update(TYPE)
            figure = Figure(figsize=SIZE, layout="constrained")
            draw(figure.add_subplot())
            with replacing(folder / f"{name}.svg") as part:
                figure.savefig(part, format="svg", metadata={"Date": None})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
