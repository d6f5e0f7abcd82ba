"""How figures are framed and saved, in the one style of all."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib
import pyarrow as pa
from matplotlib.figure import Figure
from PIL import Image

from attention_separation.results.files import replacing
from attention_separation.results.tables import write_csv, write_parquet

from .house_style import (
    BLUE,
    DARK_GRAY,
    GRAY,
    GREEN,
    INK,
    LIGHT_GRAY,
    MIDDLE_GRAY,
    PALE_BLUE,
    PALETTE,
    PURPLE,
    RC,
    VERMILION,
)

__all__ = [
    "BLUE", "DARK_GRAY", "FORMATS", "GRAY", "GREEN", "INK", "LIGHT_GRAY", "MIDDLE_GRAY",
    "PALETTE", "PALE_BLUE", "PURPLE", "RC", "VERMILION", "frame", "save",
    "save_with_numbers",
]  # fmt: skip

matplotlib.use("agg")

FORMATS = ("svg", "png", "pdf")
COLOURS = 255


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


def save(figure: Figure, stem: Path, formats: Sequence[str] = FORMATS) -> None:
    """Write STEM.svg, STEM.png and STEM.pdf; the same figure gives the same bytes."""
    dates = {"svg": {"Date": None}, "png": {}, "pdf": {"CreationDate": None}}
    with matplotlib.rc_context(RC):
        # Laid out once: otherwise every format would lay the figure out again, and with "none" for
        # an engine draw it twice.
        engine = figure.get_layout_engine()
        if engine is not None:
            engine.execute(figure)
            figure.set_layout_engine(None)
        for extension in formats:
            with replacing(stem.with_name(f"{stem.name}.{extension}")) as part:
                figure.savefig(part, format=extension, metadata=dates[extension])
                if extension == "png":
                    _reduce_colours(part)


def _reduce_colours(path: Path) -> None:
    """Give a png a palette: a third of the bytes, which a report of all figures needs."""
    with Image.open(path) as picture:
        reduced = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    reduced.save(path, format="png", optimize=True)


def save_with_numbers(
    figure: Figure, stem: Path, numbers: pa.Table, provenance: dict[str, str]
) -> None:
    """Write a figure, and what it shows as STEM.parquet and STEM.csv."""
    write_parquet(numbers, stem.with_name(f"{stem.name}.parquet"), provenance)
    write_csv(numbers, stem.with_name(f"{stem.name}.csv"))
    save(figure, stem)
