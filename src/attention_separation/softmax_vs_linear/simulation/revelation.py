"""What is drawn of trials of softmax regression: a few numbers at first, the rest where it matters.

Their joint law is that of drawing everything. Coordinates are exchangeable: let coordinate 0 be
the special one of D1, and order the others by their entries in D0. Bins are of ranks. A stretch of
k spacings of uniforms is a gamma variable over the sum of all. Signs and D1's entries do not depend
on ranks, so a column has Binomial(k, 1/2) pluses in a bin of k, independently. In a bin, all but
the highest entry are uniform: the h-th of k lies at a share Beta(h, k - h) of it. Each entry of D1
lies in either half of a known interval with probability 1/2. Of the pluses in a set, those in a
part chosen without looking at signs are hypergeometric, independently over columns. What nothing
asked for keeps the law that it began with: uniforms, and places of pluses in their cell.
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

MOST_BITS, MOST_COMPLETED = 4096, 10**7
"""Signs of a column that are drawn as bits, not counted; and entries of Ax that are ever drawn."""

CHUNK_TRIALS, CHUNK_NUMBERS = 1000, 2_000_000
"""Trials drawn together, or so few that they take about so many numbers."""

MOST_BINS, HALVINGS = 64, 2
"""Of a trial at first: bins of D0, and how often D1's interval is halved where signs are bits."""


@dataclass(frozen=True)
class Cells:
    """What is known of t trials that S sets of m columns of signs read: B bins of ranks in D0, each
    cut by entries of D1 into D intervals of equal width. Coordinate 0 is in none.

    rows : (t,) which trials of their chunk
    edges : (B + 1, t) uniforms of D0: 0, and the highest in each bin
    counts : (B, D, t) coordinates in a cell; while D = 1, the same in all trials
    pluses : (B, D, t, S, m) those with sign +1
    """

    rows: np.ndarray
    edges: np.ndarray
    counts: np.ndarray
    pluses: np.ndarray

    def of(self, chosen: np.ndarray) -> "Cells":
        """The cells of some of the trials: their places, in order."""
        if len(chosen) == len(self.rows):
            return self
        rows, edges, counts = self.rows[chosen], self.edges[:, chosen], self.counts[..., chosen]
        return Cells(rows, edges, counts, self.pluses[:, :, chosen])

    def halved(self, rng: np.random.Generator) -> "Cells":
        """Each bin in two of half its ranks; D is 1."""
        low, high, count = self.edges[:-1], self.edges[1:], self.counts[:, 0]
        half = count // 2
        middle = low + (high - low) * rng.beta(half, count - half)
        edges = np.concatenate([self.edges[:1], _alternating(middle, high, axis=0)])
        return self._divided(rng, half[:, None], edges, axis=0)

    def split(self, rng: np.random.Generator) -> "Cells":
        """Each interval of D1 in two."""
        return self._divided(rng, rng.binomial(self.counts, 0.5), self.edges, axis=1)

    def _divided(self, rng, first: np.ndarray, edges: np.ndarray, axis: int) -> "Cells":
        """Each cell in two, along an axis: `first` of its coordinates, and the others."""
        minuses = self.counts[..., None, None] - self.pluses
        pluses = rng.hypergeometric(self.pluses, minuses, first[..., None, None])
        counts = _alternating(first, self.counts - first, axis)
        return Cells(self.rows, edges, counts, _alternating(pluses, self.pluses - pluses, axis))


def _alternating(first: np.ndarray, second: np.ndarray, axis: int) -> np.ndarray:
    both = np.stack([first, second], axis=axis + 1)
    return both.reshape(*first.shape[:axis], -1, *first.shape[axis + 1 :])


@dataclass(frozen=True)
class Revealed:
    """What is drawn of all trials of a chunk.

    start : the first trial's number in its block
    entry : (T,) uniforms of D0 at coordinate 0
    plus : (T, S, m) whether the sign at coordinate 0 is +1
    words : (words, T, S, m) signs as bits, coordinate 0 first; None where they are not drawn
    halves : (1 + HALVINGS, words, T) as bits, all of `cells`, and each time D1's upper half of them
    cells : of all trials; where signs are bits, they are never divided
    """

    start: int
    entry: np.ndarray
    plus: np.ndarray
    words: np.ndarray | None
    halves: np.ndarray | None
    cells: Cells

    def parts(self, rows: np.ndarray) -> np.ndarray:
        """As bits, which coordinates lie in each of D intervals of D1: (D, words, t)."""
        parts = self.halves[:1, :, rows]
        for upper in self.halves[1:, :, rows]:
            parts = np.concatenate([parts & ~upper, parts & upper])
        return parts


def word_bits(point: Point) -> int:
    """Signs in a word: few where tau is few standard deviations, for bins are of whole words."""
    return 8 if point.tau**2 * point.n < 50 else 64


def first_ranks(point: Point) -> np.ndarray:
    """How many ranks lie below each bin's end, (B + 1,) from 0 to n - 1.

    Bounds on F_exp's score over D0 are nearest to it, for their number, where n^(u/2) grows alike
    from bin to bin: within about 2 tanh(L/4) / B, if n^u grows by exp(L) in all.
    """
    n = point.n
    ratio = np.ptp(regression.entries(np.array([0.0, 1 - 2**-53]), point.law)) * math.log(n)
    if not ratio:
        return np.array([0, n - 1])
    deviation = math.sqrt(ratio / 2 / math.tanh(ratio / 2) / n)
    width = max(point.tau - 3 * deviation, deviation / 2)
    bins = min(math.ceil(2 * math.tanh(ratio / 4) / width), MOST_BINS)
    share = np.log1p(np.expm1(ratio / 2) * np.arange(bins + 1) / bins) * 2 / ratio
    bits = word_bits(point) if n <= MOST_BITS else 1
    ends = bits * np.rint(share * n / bits).astype(np.int64) - 1
    return np.unique(np.concatenate([[0], ends[(ends > 0) & (ends < n - 1)], [n - 1]]))


def reveal(point: Point, rng: np.random.Generator, start: int) -> Revealed:
    """What is drawn of the next trials before anything is asked: always of as many, so that a
    shorter run is the prefix of a longer one."""
    n, sets = point.n, 1 if point.signs == "shared" else len(PAPERS.networks)
    words_each = -(-n // 64) if n <= MOST_BITS else MOST_BINS
    trials = min(CHUNK_NUMBERS // (sets * point.m * words_each) + 1, CHUNK_TRIALS)
    shape = trials, sets, point.m
    ranks = first_ranks(point)
    sizes = np.diff(ranks)
    spacings = rng.standard_gamma(np.append(sizes, 1.0), size=(trials, len(sizes) + 1)).T
    edges = np.concatenate([np.zeros((1, trials)), np.cumsum(spacings[:-1], axis=0)])
    edges /= edges[-1] + spacings[-1]
    if n <= MOST_BITS:
        words = _draw_words(rng, point, shape)
        plus = (words[0] & words.dtype.type(1)).astype(bool)
        found, ends = np.bitwise_count(words), (ranks[:-1] + 1) // word_bits(point)
        ends = pairwise([*ends, len(words)])
        pluses = np.stack([found[a:b].sum(axis=0, dtype=np.uint16) for a, b in ends])
        pluses[0] -= plus
        halves = np.stack([_draw_words(rng, point, (trials,)) for _ in range(1 + HALVINGS)])
        halves[0] = np.iinfo(words.dtype).max
        halves[0, 0] -= 1
        halves[0, -1] &= np.iinfo(words.dtype).max >> -n % word_bits(point)
    else:
        words = halves = None
        plus = rng.integers(0, 2, size=shape, dtype=np.int8).astype(bool)
        pluses = np.stack([rng.binomial(size, 0.5, size=shape) for size in sizes])
    counts = np.broadcast_to(sizes[:, None, None], (len(sizes), 1, trials))
    cells = Cells(np.arange(trials), edges, counts, pluses[:, None])
    return Revealed(start, rng.random(trials), plus, words, halves, cells)


def _draw_words(rng: np.random.Generator, point: Point, shape: tuple[int, ...]) -> np.ndarray:
    """n fair bits for each element of an array, in words along a first axis."""
    n, bits = point.n, word_bits(point)
    size = (-(-n // bits), *shape)
    count = -(-math.prod(size) * bits // 64)
    drawn = rng.integers(0, 2**64 - 1, size=count, dtype=np.uint64, endpoint=True)
    # Little-endian on every machine: the words are part of the stream's definition.
    words = drawn.astype("<u8", copy=False).view(f"<u{bits // 8}")[: math.prod(size)].reshape(size)
    words[-1] >>= words.dtype.type(-n % bits)
    return words


class Completion:
    """The rest of any trial of a block. Each has a place of its own in one stream, so that what it
    draws does not depend on which others are completed."""

    def __init__(self, point: Point, streams: BlockStreams):
        self._point = point
        self._bits = np.random.PCG64(streams.generator("completion").integers(2**63))
        self._rng = np.random.Generator(self._bits)
        self._place = 0

    def _random(self, trial: int, part: int, out: np.ndarray) -> np.ndarray:
        """Fill with uniforms, from a part of a trial's place on: 2^64 of them before the next."""
        place = trial * (2 + len(PAPERS.networks) * self._point.m) + part << 64
        self._bits.advance((place - self._place) % 2**128)
        self._place = place + len(out)
        return self._rng.random(out=out)

    def uniforms(self, revealed: Revealed, cells: Cells, dataset: int) -> np.ndarray:
        """Uniforms of the entries of Ax, (t, n); D1 does not use that at coordinate 0."""
        n, of_d1 = self._point.n, dataset == 1 and self._point.data == "independent"
        if n > MOST_COMPLETED:
            raise ValueError(
                f"n={n}, tau={self._point.tau}: scores too close to tau for bounds, and too many "
                f"entries of Ax to draw; allowed: n <= {MOST_COMPLETED}, or another tau"
            )
        bins, parts = cells.counts.shape[:2]
        u = np.empty((len(cells.rows), n + (0 if of_d1 else bins)))
        for own, row in zip(u, cells.rows.tolist(), strict=True):
            self._random(revealed.start + row, int(of_d1), own)
        if not of_d1:
            return _between_edges(n, revealed.entry[cells.rows], cells, u)
        if revealed.words is not None:
            own = revealed.parts(cells.rows)
            return sum((k * unpack(part.T, n) for k, part in enumerate(own)), u) / len(own)
        for own, count in zip(u, np.moveaxis(cells.counts, -1, 0), strict=True):
            own[1:] += np.repeat(np.tile(np.arange(parts), bins), count.ravel())
        return u / parts

    def signs(self, revealed: Revealed, cells: Cells, trials, set_: int, columns) -> np.ndarray:
        """Columns of y, (K, n) of -1 and +1: of trials at K places in `cells`, in one set."""
        n, rows = self._point.n, cells.rows[trials]
        if revealed.words is not None:
            return 2.0 * unpack(revealed.words[:, rows, set_, columns].T, n) - 1.0
        y = np.empty((len(rows), n))
        y[:, 0] = 2.0 * revealed.plus[rows, set_, columns] - 1.0
        for own, k, row, c in zip(y[:, 1:], trials, rows.tolist(), columns.tolist(), strict=True):
            count, pluses = cells.counts[..., k].ravel(), cells.pluses[..., k, set_, c].ravel()
            cell = np.repeat(np.arange(len(count)), count)
            part = 2 + set_ * self._point.m + c
            order = np.argsort(cell + self._random(revealed.start + row, part, own))
            place = np.arange(n - 1) - np.repeat(np.cumsum(count) - count, count)
            own[order] = np.where(place < np.repeat(pluses, count), 1.0, -1.0)
        return y


def _between_edges(n: int, entry: np.ndarray, cells: Cells, u: np.ndarray) -> np.ndarray:
    """Uniforms of D0, (t, n), from those of all but the highest in a bin, and its places (B)."""
    edges, sizes = cells.edges.T, cells.counts[..., 0].sum(axis=1)
    places = np.cumsum(sizes) - sizes + (u[:, n:] * sizes).astype(np.int64)
    u = u[:, :n]
    u[:, 0] = entry
    u[:, 1:] *= np.repeat(np.diff(edges, axis=1), sizes, axis=1)
    u[:, 1:] += np.repeat(edges[:, :-1], sizes, axis=1)
    np.put_along_axis(u, 1 + places, edges[:, 1:], axis=1)
    return u
