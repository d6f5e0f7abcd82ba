"""One style for all pictures: Matplotlib's settings."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..looks.colors import INK

RC: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.grid": True,
    "axes.labelsize": 9,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 8.5,
    "axes.titlelocation": "left",
    "axes.titlepad": 8,
    # A given y spares Matplotlib the search for one, at every draw.
    "axes.titley": 1.0,
    "figure.dpi": 72,
    "figure.labelsize": 7.5,
    "figure.titlesize": 11,
    "figure.titleweight": "bold",
    # Sans has no italic mathematical letters: those come from Serif, which lacks N; so that is $N$.
    "font.family": ["DejaVu Sans", "DejaVu Serif"],
    "mathtext.fontset": "dejavuserif",
    "font.size": 9,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.6,
    "image.cmap": "cividis",
    "legend.fontsize": 8,
    "legend.frameon": False,
    "legend.title_fontsize": 8,
    # Fonts as they are: Type 3, the default, is refused by venues.
    "pdf.fonttype": 42,
    "savefig.dpi": 160,
    "svg.hashsalt": "attention-separation",
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}


@contextmanager
def house_rc() -> Iterator[None]:
    """Matplotlib's own settings with those of RC, whatever the reader's are."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(RC)
        yield
