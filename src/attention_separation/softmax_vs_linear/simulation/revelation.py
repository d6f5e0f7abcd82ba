"""What is drawn of trials of softmax regression: first a few numbers, and the rest where it is asked.

Their joint law is that of drawing everything. Coordinates are exchangeable, so let coordinate 0 be
the special one of D1, and order the n - 1 others by their entries in D0, drawn from uniforms. Bins
are of ranks. Spacings of uniforms are exponentials over their sum, so that of k ranks is a gamma
variable over it. Signs, and the entries of D1, are independent of ranks: a column has Binomial(k,
1/2) pluses in a bin of k, independently. Given a bin, those below its highest entry are uniform:
the h-th of k lies at a share Beta(h, k - h). Half of the entries of D1 in an interval, each with
probability 1/2, lie in its lower half. Given the pluses in a set, those in a part that was chosen
without looking at signs are hypergeometric, independently over columns. What is left once nothing
more is asked has the law that it began with: uniforms, and random places of the pluses in a cell.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...statistics.seeding import BlockStreams
from ..models import regression
from ..models.contest import PAPERS
from ..models.model import Point
from .signs import unpack

MOST_BITS = 4096
"""Signs of a column that are drawn as bits; of more, pluses are counted without drawing them."""

CHUNK_TRIALS = 1000
CHUNK_NUMBERS = 400_000
"""Trials drawn at once: so many, or so few that they take about so many numbers."""

MOST_BINS = 64
MOST_CELLS = 4096
"""Of a trial, at first and in the end."""

MOST_COMPLETED = 10**7
"""Entries of Ax in memory."""


@dataclass(frozen=True)
class Cells:
    """What is known of t trials that M columns of signs read: B bins of ranks in D0, each cut by
    entries of D1 into D intervals of equal width.

    rows : (t,) which trials of their chunk
    edges : (B + 1, t) uniforms of D0: 0, and the highest in each bin
    counts : (B, D, t) coordinates in a cell; the same in all trials while D = 1
    pluses : (B, D, t, M) those with sign +1, column by column
    """

    rows: np.ndarray
    edges: np.ndarray
    counts: np.ndarray
    pluses: np.ndarray

    def of(self, chosen: np.ndarray) -> "Cells":
        """The cells of the trials at these places, each once and in order."""
        if len(chosen) == len(self.rows):
            return self
        return Cells(
            self.rows[chosen], self.edges[:, chosen], self.counts[..., chosen],
            self.pluses[:, :, chosen],
        )  # fmt: skip

    @property
    def can_be_halved(self) -> bool:
        """Whether every bin has two ranks, and there is room for twice as many."""
        bins, parts = self.counts.shape[:2]
        return parts == 1 and 2 * bins <= MOST_CELLS and self.counts.min() > 1

    @property
    def can_be_split(self) -> bool:
        """Whether there is room for twice as many intervals."""
        return 2 * self.counts[..., 0].size <= MOST_CELLS

    def halved(self, rng: np.random.Generator) -> "Cells":
        """Each bin in two of half its ranks."""
        low, high, count = self.edges[:-1], self.edges[1:], self.counts[:, 0]
        half = count // 2
        middle = low + (high - low) * rng.beta(half, count - half)
        edges = np.concatenate([self.edges[:1], _alternating(middle, high, axis=0)])
        return self._divided(rng, half[:, None], edges, axis=0)

    def split(self, rng: np.random.Generator) -> "Cells":
        """Each interval of D1 in two."""
        return self._divided(rng, rng.binomial(self.counts, 0.5), self.edges, axis=1)

    def _divided(self, rng, first: np.ndarray, edges: np.ndarray, axis: int) -> "Cells":
        minuses = self.counts[..., None] - self.pluses
        pluses = rng.hypergeometric(self.pluses, minuses, first[..., None])
        return Cells(
            self.rows,
            edges,
            _alternating(first, self.counts - first, axis),
            _alternating(pluses, self.pluses - pluses, axis),
        )


def _alternating(first: np.ndarray, second: np.ndarray, axis: int) -> np.ndarray:
    """Both arrays in one, alternating along an axis."""
    both = np.stack([first, second], axis=axis + 1)
    shape = list(first.shape)
    shape[axis] *= 2
    return both.reshape(shape)


@dataclass(frozen=True)
class Revealed:
    """Trials of one chunk: what is drawn of all of them, and how to draw the rest of each.

    start : their first one's number in the block
    entry : (T,) uniforms of D0 at coordinate 0
    plus : (T, M) whether the sign at coordinate 0 is +1
    words : (words of a column, T, M) the signs as bits, coordinate 0 first; None if not drawn
    cells : of all trials
    """

    start: int
    entry: np.ndarray
    plus: np.ndarray
    words: np.ndarray | None
    cells: Cells


def columns(point: Point) -> int:
    """M, how many columns of signs a trial has: m, or m of each network."""
    return point.m * (1 if point.signs == "shared" else len(PAPERS.networks))


def log_ratio(point: Point) -> float:
    """Log of the largest weight over the smallest that an entry of the law has under exp."""
    low, high = regression.entries(np.array([0.0, 1 - 2**-53]), point.law)
    return (high - low) * math.log(point.n)


def word_bits(n: int) -> int:
    """Signs in a word: few where there are few signs, so that bins of whole words are narrow."""
    return 8 if n <= 512 else 64


def first_ranks(point: Point) -> np.ndarray:
    """How many ranks lie below each bin's end, (B + 1,) from 0 to n - 1.

    Bounds on F_exp's score over D0 differ least for their number where n^(u/2) grows alike from
    bin to bin: by about 2 tanh(L/4) / B, with L = `log_ratio`. Signs drawn as bits end bins at words.
    """
    n, ratio = point.n, log_ratio(point)
    if not ratio:
        return np.array([0, n - 1])
    deviation = math.sqrt(ratio / 2 / math.tanh(ratio / 2) / n)
    width = max(point.tau - 3 * deviation, deviation / 2)
    bins = min(math.ceil(2 * math.tanh(ratio / 4) / width), MOST_BINS)
    share = np.log1p(np.expm1(ratio / 2) * np.arange(bins + 1) / bins) * 2 / ratio
    if n > MOST_BITS:
        return np.unique(np.rint(share * (n - 1)).astype(np.int64))
    bits = word_bits(n)
    ends = bits * np.rint(share * n / bits).astype(np.int64) - 1
    return np.unique(np.concatenate([[0], ends[(ends > 0) & (ends < n - 1)], [n - 1]]))


def chunk_trials(point: Point) -> int:
    """Trials that are always drawn together, so that a shorter run is the prefix of a longer."""
    numbers = columns(point) * (-(-point.n // 64) if point.n <= MOST_BITS else MOST_BINS)
    return max(min(CHUNK_NUMBERS // numbers, CHUNK_TRIALS), 1)


def reveal(point: Point, rng: np.random.Generator, start: int) -> Revealed:
    """What is drawn of the next chunk's trials before anything is asked."""
    trials, width, n = chunk_trials(point), columns(point), point.n
    ranks = first_ranks(point)
    sizes = np.diff(ranks)
    spacings = rng.standard_gamma(np.append(sizes, 1.0), size=(trials, len(sizes) + 1)).T
    edges = np.zeros((len(sizes) + 1, trials))
    np.cumsum(spacings[:-1], axis=0, out=edges[1:])
    edges /= edges[-1] + spacings[-1]
    if n <= MOST_BITS:
        words = _draw_words(rng, n, (trials, width))
        ends = np.append((ranks[:-1] + 1) // word_bits(n), len(words))
        found = np.bitwise_count(words)
        plus = (words[0] & words.dtype.type(1)).astype(bool)
        parts = [found[a:b].sum(axis=0, dtype=np.uint16) for a, b in pairwise(ends)]
        parts[0] -= plus
    else:
        words = None
        plus = rng.integers(0, 2, size=(trials, width), dtype=np.int8).astype(bool)
        parts = [rng.binomial(size, 0.5, size=(trials, width)) for size in sizes]
    counts = np.broadcast_to(sizes[:, None, None], (len(sizes), 1, trials))
    cells = Cells(np.arange(trials), edges, counts, np.stack(parts)[:, None])
    return Revealed(start, rng.random(trials), plus, words, cells)


def _draw_words(rng: np.random.Generator, n: int, shape: tuple[int, int]) -> np.ndarray:
    """n fair bits for each element, in words of 64 along a first axis."""
    bits = word_bits(n)
    size = (-(-n // bits), *shape)
    count = -(-math.prod(size) * bits // 64)
    drawn = rng.integers(0, 2**64 - 1, size=count, dtype=np.uint64, endpoint=True)
    # Little-endian on every machine: the words are part of the stream's definition.
    words = drawn.astype("<u8", copy=False).view(f"<u{bits // 8}")[: math.prod(size)].reshape(size)
    words[-1] >>= words.dtype.type(-n % bits)
    return words


class Completion:
    """The rest of any trial of a block: each has a place of its own in one stream, so that it does
    not depend on which others are completed."""

    def __init__(self, point: Point, streams: BlockStreams):
        self._point = point
        self._bits = np.random.PCG64(streams.generator("completion").integers(2**63))
        self._rng = np.random.Generator(self._bits)
        self._place = 0

    def _random(self, trial: int, part: int, out: np.ndarray) -> np.ndarray:
        """Fill with uniforms, from the place of a part of a trial: 2^64 of them before the next."""
        place = trial * (2 + columns(self._point)) + part << 64
        self._bits.advance((place - self._place) % 2**128)
        self._place = place + len(out)
        return self._rng.random(out=out)

    def uniforms(self, revealed: Revealed, cells: Cells, dataset: int) -> np.ndarray:
        """Uniforms of the entries of Ax, (t, n); of D1 those at coordinate 0 are not used."""
        of_d1 = dataset == 1 and self._point.data == "independent"
        bins, parts = cells.counts.shape[:2]
        numbers = self._point.n if of_d1 else self._point.n + bins
        u = np.empty((len(cells.rows), numbers))
        for own, row in zip(u, cells.rows.tolist(), strict=True):
            self._random(revealed.start + row, int(of_d1), own)
        if not of_d1:
            return self._between_edges(revealed, cells, u)
        if parts > 1:
            intervals = np.tile(np.arange(parts), bins)
            for own, count in zip(u, np.moveaxis(cells.counts, -1, 0), strict=True):
                own[1:] = (own[1:] + np.repeat(intervals, count.ravel())) / parts
        return u

    def _between_edges(self, revealed: Revealed, cells: Cells, u: np.ndarray) -> np.ndarray:
        """From uniforms (t, n + B): in each bin the highest entry, and others below it."""
        n, edges = self._point.n, cells.edges.T
        sizes = cells.counts[..., 0].sum(axis=1)
        places = np.cumsum(sizes) - sizes + (u[:, n:] * sizes).astype(np.int64)
        u = u[:, :n]
        u[:, 0] = revealed.entry[cells.rows]
        u[:, 1:] *= np.repeat(np.diff(edges, axis=1), sizes, axis=1)
        u[:, 1:] += np.repeat(edges[:, :-1], sizes, axis=1)
        np.put_along_axis(u, 1 + places, edges[:, 1:], axis=1)
        return u

    def signs(
        self, revealed: Revealed, cells: Cells, trials: np.ndarray, column: np.ndarray
    ) -> np.ndarray:
        """Columns of y, (K, n) of -1 and +1, of the trials at these K places in `cells`."""
        n, rows = self._point.n, cells.rows[trials]
        if revealed.words is not None:
            return 2.0 * unpack(revealed.words[:, rows, column].T, n) - 1.0
        y = np.empty((len(rows), n))
        y[:, 0] = 2.0 * revealed.plus[rows, column] - 1.0
        for own, k, row, c in zip(y[:, 1:], trials, rows.tolist(), column.tolist(), strict=True):
            count, pluses = cells.counts[..., k].ravel(), cells.pluses[..., k, c].ravel()
            cell = np.repeat(np.arange(len(count)), count)
            order = np.argsort(cell + self._random(revealed.start + row, 2 + c, own))
            place = np.arange(n - 1) - np.repeat(np.cumsum(count) - count, count)
            own[order] = np.where(place < np.repeat(pluses, count), 1.0, -1.0)
        return y
