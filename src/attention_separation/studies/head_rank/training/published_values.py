"""What the paper's figures show, read off their markers by eye; with what sets they were trained.

These are training losses on batches that come back at every epoch, the smallest over epochs and
over five runs; reading errs by about READING_1 in Figure 1, 1.2 % in Figure 3 and 0.0012 in
Figure 4.
"""

from typing import NamedTuple

READING_1 = 0.007
"""Share of a value of Figure 1 that its reading may be off."""

SIZE_1 = {"d": 64, "n": 16, "feed_forward": 2048}
"""Of the runs of Figures 1 to 3."""

WIDTH_3 = 8
"""Of the runs of Figure 3."""

SIZE_4 = {"d": 64, "layers": 2, "feed_forward": 2048}
"""Of the runs of Figure 4."""

WIDTH_4 = 64
"""Of the runs of Figure 4."""

BATCH = 256
"""Sets of a batch."""

STEPS = {"rank_fig1": 100_000, "rank_fig2": 100_000, "rank_fig3": 200_000, "rank_fig4": 200_000}
"""Batches that the runs of each figure were trained on: by the published configurations the same
100 in every epoch. Runs of Figure 3 without an encoding are Figure 1's."""

HARD = (5, 1)
"""(Layers, width) that the paper sets apart as hard to train."""

RANKS = (1, 2, 4, 8, 16, 32, 64)

FIGURE_1 = {
    (1, 1): (0.865, 0.860, 0.854, 0.839, 0.801, 0.695, 0.0153),
    (1, 8): (0.830, 0.817, 0.786, 0.730, 0.619, 0.432, 0.00686),
    (1, 64): (0.652, 0.615, 0.588, 0.573, 0.461, 0.307, 0.00192),
    (3, 1): (0.801, 0.796, 0.410, 0.217, 0.126, 0.0509, 0.00317),
    (3, 8): (0.586, 0.390, 0.223, 0.108, 0.0680, 0.0356, 0.00695),
    # Ranks 16 and 32: the best of eight runs, some of twice the steps and a quarter of the batch.
    (3, 64): (0.521, 0.382, 0.0548, 0.0421, 0.0531, 0.0555, 0.000751),
    (5, 1): (0.899, 0.876, 0.854, 0.781, 0.911, 0.691, 0.600),
    (5, 8): (0.401, 0.140, 0.0635, 0.0615, 0.0449, 0.0192, 0.00652),
    (5, 64): (0.424, 0.116, 0.0611, 0.0260, 0.0218, 0.0141, 0.00204),
}
"""Error at each of RANKS, by (layers, width): d = 64, N = 16."""

FIGURE_2 = {1: (179.6, 2400.0), 8: (176.3, 1533.0), 64: (168.5, 1478.0)}
"""Medians over heads and runs, by width: angle of K Q^T to the identity in degrees, and its
Frobenius norm over sqrt(d)."""

QUARTILES_2 = {8: ((174.8, 176.55), (1426.0, 1619.0)), 64: ((168.0, 169.4), (1306.0, 1556.0))}
"""The same of the boxes' ends, the first and the third quartile; of one head they cannot be told
from the median. As coarse as a box of a printed figure can be read."""

FIGURE_3 = {
    (1, "additive"): (0.831, 0.824, 0.797, 0.703, 0.593, 0.407, 0.0151),
    (1, "concatenated"): (0.748, 0.723, 0.683, 0.617, 0.497, 0.319, 0.000368),
    (3, "additive"): (0.480, 0.357, 0.219, 0.0945, 0.0649, 0.0606, 0.00858),
    (3, "concatenated"): (0.130, 0.0695, 0.00491, 0.00217, 0.00106, 0.000119, 0.000109),
}
"""Error at each of RANKS, by (layers, encoding): width 8. Without an encoding: FIGURE_1."""

FIGURE_4_RANKS = (1, 8, 16, 32, 64)
FIGURE_4 = {
    256: (1.165, 0.808, 0.721, 0.543, 0.040),
    64: (0.808, 0.694, 0.598, 0.433, 0.008),
    16: (0.629, 0.415, 0.329, 0.231, 0.000),
    4: (0.023, 0.013, 0.004, 0.006, 0.006),
}
"""Error at each of FIGURE_4_RANKS, by N: two layers, width 64."""

LARGEST_ERRORS = {
    (3, 1, "additive", 16): {64: 0.025},
    (3, 3, "additive", 16): {64: 0.0195},
    (3, 3, "concatenated", 16): {
        1: 0.2, 2: 0.095, 4: 0.0087, 8: 0.0029, 32: 0.00024, 64: 0.00029,
    },
    (4, 2, "none", 4): {1: 0.045},
    (4, 2, "none", 16): {1: 0.757},
    (4, 2, "none", 64): {1: 0.822},
    (4, 2, "none", 256): {1: 1.258},
}  # fmt: skip
"""The largest of the five runs by rank, by figure, layers, encoding and N, where the bands of
Figures 3 and 4 are wide enough to be read: within 5 % of it in Figure 3, .006 in Figure 4."""


class PublishedLine(NamedTuple):
    """What networks a line of a figure is of, which differ in their rank alone."""

    figure: int
    layers: int
    width: int
    encoding: str
    n: int


def _errors_of_lines() -> dict[PublishedLine, dict[int, float]]:
    """The published errors by rank of every line of Figures 1, 3 and 4."""
    lines = {}
    errors: tuple[float, ...]
    for (layers, width), errors in FIGURE_1.items():
        key = PublishedLine(figure=1, layers=layers, width=width, encoding="none", n=SIZE_1["n"])
        lines[key] = dict(zip(RANKS, errors, strict=True))
    for (layers, encoding), errors in FIGURE_3.items():
        key = PublishedLine(
            figure=3, layers=layers, width=WIDTH_3, encoding=encoding, n=SIZE_1["n"]
        )
        lines[key] = dict(zip(RANKS, errors, strict=True))
    for n, errors in FIGURE_4.items():
        key = PublishedLine(figure=4, layers=SIZE_4["layers"], width=WIDTH_4, encoding="none", n=n)
        lines[key] = dict(zip(FIGURE_4_RANKS, errors, strict=True))
    return lines


ERRORS_BY_LINE = _errors_of_lines()
"""Error by rank of every line."""


def errors_by_rank(
    figure: int,
    layers: int,
    width: int | None = None,
    encoding: str = "none",
    n: int = SIZE_1["n"],
) -> dict[int, float]:
    """Error by rank in a figure, by default of its own width; empty where it has no such line.
    Without an encoding the lines of Figure 3 are Figure 1's."""
    if width is None:
        width = WIDTH_4 if figure == 4 else WIDTH_3
    if figure == 3 and encoding == "none":
        figure = 1
    return ERRORS_BY_LINE.get(PublishedLine(figure, layers, width, encoding, n), {})


def largest_error(line: PublishedLine, rank: int) -> float | None:
    """The largest of five runs of a line; None where it cannot be read."""
    largest_by_rank = LARGEST_ERRORS.get((line.figure, line.layers, line.encoding, line.n), {})
    return largest_by_rank.get(rank)
