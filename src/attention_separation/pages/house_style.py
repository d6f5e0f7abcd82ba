"""One style for all pictures: colours, and Matplotlib's settings."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

BLUE = "#0072B2"
VERMILION = "#D55E00"
GREEN = "#009E73"
PURPLE = "#CC79A7"
PALETTE = (BLUE, VERMILION, GREEN, PURPLE, "#E69F00", "#56B4E9")
"""Of Okabe and Ito, which colour-blind readers can tell apart."""

PALE_BLUE = "#EDF4F9"
INK = "#222222"
DARK_GRAY = "#666666"
MIDDLE_GRAY = "#ABABAB"
GRAY = "#C8C8C8"

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


KERNELS = {
    "bayes": (MIDDLE_GRAY, "-", 4.0),
    "exp": (BLUE, "-", 1.6),
    "exp_half": (BLUE, "--", 1.6),
    "exp_sqrt_d": (BLUE, ":", 1.6),
    "power_8": (GREEN, "-", 1.6),
    "power_4": (PURPLE, "-", 1.6),
    "power_3": (GREEN, (0, (6, 1.5)), 1.6),
    "power_2": (PALETTE[4], "-", 1.6),
    "linear": (VERMILION, (0, (4, 2)), 1.8),
    "linear_unnormalised": (VERMILION, "-", 1.2),
    "elu_plus_one": (PALETTE[5], "-", 1.6),
    "exp_features": (PALETTE[5], "--", 1.6),
    "hedgehog": (PALETTE[5], ":", 1.6),
    "sparsemax": (DARK_GRAY, (0, (4, 4)), 1.6),
    "rbf": (DARK_GRAY, "-", 1.6),
    "uniform": (INK, (0, (1, 1.5)), 1.8),
}
"""Colour, dashes and width of a kernel's line; `bayes` is the best that anything can do."""


def kernel_line(kernel: str) -> dict[str, Any]:
    """How a kernel's line is drawn, as Matplotlib takes it; all without a place of their own
    alike."""
    color, dashes, width = KERNELS.get(kernel, (MIDDLE_GRAY, "-", 1.6))
    return {"color": color, "linestyle": dashes, "linewidth": width}
