"""One style for all figures, and how they are saved."""

from pathlib import Path

import matplotlib
import pyarrow as pa
from matplotlib.figure import Figure

from attention_separation.results.files import replacing
from attention_separation.results.tables import write_csv, write_parquet

matplotlib.use("agg")

BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
PALETTE = (BLUE, VERMILION, GREEN, PURPLE, "#E69F00", "#56B4E9")
"""Of Okabe and Ito, which colour-blind readers can tell apart."""

PALE_BLUE, PALE_VERMILION = "#EDF4F9", "#FCF1EA"
INK = "#222222"
DARK_GRAY, MIDDLE_GRAY, GRAY, LIGHT_GRAY = "#666666", "#ABABAB", "#C8C8C8", "#EEEEEE"
FORMATS = ("svg", "png", "pdf")

RC = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.grid": True,
    "axes.labelsize": 9,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 8.5,
    "axes.titlelocation": "left",
    "figure.dpi": 72,
    # Sans has no italic mathematical letters: those come from Serif, which lacks N; so that is $N$.
    "font.family": ["DejaVu Sans", "DejaVu Serif"],
    "mathtext.fontset": "dejavuserif",
    "font.size": 9,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.6,
    "image.cmap": "cividis",
    "legend.frameon": False,
    "savefig.dpi": 160,
    "svg.hashsalt": "attention-separation",
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}


def frame(
    figure: Figure, title: str, note: str, h_pad: float | None = 0.08, w_pad: float | None = 0.08,
    parse_math: bool = True,
) -> None:  # fmt: skip
    """Set a figure's title above it, its note below, and the space between its panels in inches.

    Without `parse_math` a dollar sign in the title is one.
    """
    figure.suptitle(title, fontsize=11, x=0.01, ha="left", fontweight="bold", parse_math=parse_math)
    figure.supxlabel(note, x=0.01, ha="left", fontsize=7.5, color=INK)
    figure.get_layout_engine().set(h_pad=h_pad, w_pad=w_pad)


def save(figure: Figure, stem: Path) -> None:
    """Write STEM.svg, STEM.png and STEM.pdf; the same figure gives the same bytes."""
    dates = {"svg": {"Date": None}, "png": {}, "pdf": {"CreationDate": None}}
    with matplotlib.rc_context(RC):
        # Laid out once: otherwise every format would lay the figure out again, and with "none" for
        # an engine draw it twice.
        engine = figure.get_layout_engine()
        if engine is not None:
            engine.execute(figure)
            figure.set_layout_engine(None)
        for extension in FORMATS:
            with replacing(stem.with_name(f"{stem.name}.{extension}")) as part:
                figure.savefig(part, format=extension, metadata=dates[extension])


def save_with_numbers(
    figure: Figure, stem: Path, numbers: pa.Table, provenance: dict[str, str]
) -> None:
    """Write a figure, and what it shows as STEM.parquet and STEM.csv."""
    write_parquet(numbers, stem.with_name(f"{stem.name}.parquet"), provenance)
    write_csv(numbers, stem.with_name(f"{stem.name}.csv"))
    save(figure, stem)
