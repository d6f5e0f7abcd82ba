"""The colours that pictures have."""

BLUE = "#0072B2"
VERMILION = "#D55E00"
GREEN = "#009E73"
PURPLE = "#CC79A7"
ORANGE = "#E69F00"
SKY_BLUE = "#56B4E9"
PALETTE = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY_BLUE)
"""Of Okabe and Ito, which colour-blind readers can tell apart."""

PALE_BLUE = "#EDF4F9"
INK = "#222222"
DARK_GRAY = "#666666"
MIDDLE_GRAY = "#ABABAB"
GRAY = "#C8C8C8"
PALE_GRAY = "#EFEBE3"
