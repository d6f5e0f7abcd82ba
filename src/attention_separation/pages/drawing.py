"""One style for all figures, and how they are saved."""

from pathlib import Path

import matplotlib
import pyarrow as pa
from matplotlib.figure import Figure

from attention_separation.results.files import replacing
from attention_separation.results.tables import write_csv, write_parquet

matplotlib.use("agg")

BLUE = "#0072B2"
VERMILION = "#D55E00"
"""Of the palette of Okabe and Ito, which colour-blind readers can tell apart."""

PALETTE = (BLUE, VERMILION, "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
INK = "#222222"
GRAY = "#C8C8C8"
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
