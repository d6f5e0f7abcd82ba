"""One style for all pictures: colours, and matplotlib's settings; needs nothing."""

BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
PALETTE = (BLUE, VERMILION, GREEN, PURPLE, "#E69F00", "#56B4E9")
"""Of Okabe and Ito, which colour-blind readers can tell apart."""

PALE_BLUE, PALE_VERMILION = "#EDF4F9", "#FCF1EA"
INK = "#222222"
DARK_GRAY, MIDDLE_GRAY, GRAY, LIGHT_GRAY = "#666666", "#ABABAB", "#C8C8C8", "#EEEEEE"

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
