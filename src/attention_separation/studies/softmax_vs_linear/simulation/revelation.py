"""What is drawn of trials of softmax regression: a few numbers at first, the rest where it matters.

Their joint law is that of drawing everything. Coordinates are exchangeable: let coordinate 0 be
the special one of D1, and order the others by their entries in D0. Bins are of ranks. A stretch of
k spacings of uniforms is a gamma variable over the sum of all. Signs and D1's entries do not depend
on ranks, so a column has Binomial(k, 1/2) pluses in a bin of k, independently. In a bin, all but
the highest entry are uniform: the h-th of k lies at a share Beta(h, k - h) of it. Each entry of D1
lies in either half of a known interval with probability 1/2. Of the pluses in a set, those in a
part chosen without looking at signs are hypergeometric, independently over columns. What nothing
asked for keeps the law that it began with: uniforms, and places of pluses in their cell.

Signs are drawn as bits where that takes less time, and their pluses are counted in cells where
that does. No law depends on which; what is drawn does.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ....statistics.seeding import BlockStreams
from ..models import regression
from ..models.contest import PAPERS
from ..models.model import Point
from .signs import unpack

MOST_COMPLETED = 10**7
"""Entries of Ax that are ever drawn of a trial."""

MOST_BITS = 200
"""Signs of a column for each cell that bounds need: so many as bits take as long as its count."""

CHUNK_TRIALS = 1000
CHUNK_NUMBERS = 1_000_000
"""Trials drawn together, or so few that they take about so many numbers."""

NUMBERS_PER_COUNTER = 4
"""That Philox makes of each value of its counter."""

MOST_BINS = 4096
"""Of D0 at first."""


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
        return Cells(
            rows=self.rows[chosen],
            edges=self.edges[:, chosen],
            counts=self.counts[..., chosen],
            pluses=self.pluses[:, :, chosen],
        )

    def halved(self, rng: np.random.Generator) -> "Cells":
        """Each bin in two of half its ranks; D is 1."""
        low = self.edges[:-1]
        high = self.edges[1:]
        count = self.counts[:, 0]
        half = count // 2
        middle = low + (high - low) * rng.beta(half, count - half)
        edges = np.concatenate([self.edges[:1], _alternating(middle, high, axis=0)])
        return self._divided(rng, half[:, None], edges, axis=0)

    def split(self, rng: np.random.Generator) -> "Cells":
        """Each interval of D1 in two."""
        return self._divided(rng, rng.binomial(self.counts, 0.5), self.edges, axis=1)

    def _divided(
        self, rng: np.random.Generator, first: np.ndarray, edges: np.ndarray, axis: int
    ) -> "Cells":
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
    halves : (1 + H, words, T) as bits, all of `cells`, and H times D1's upper half of them; None
        where signs are not bits
    cells : of all trials; where signs are bits, they are never divided
    """

    start: int
    entry: np.ndarray
    plus: np.ndarray
    words: np.ndarray | None
    halves: np.ndarray | None
    cells: Cells

    def first(self, trials: int) -> "Revealed":
        """What is drawn of so many of the trials; of all of them where cells may be divided, for
        what that draws depends on how many there are."""
        if self.words is None or self.halves is None or trials >= len(self.entry):
            return self
        return Revealed(
            start=self.start,
            entry=self.entry[:trials],
            plus=self.plus[:trials],
            words=self.words[:, :trials],
            halves=self.halves[..., :trials],
            cells=self.cells.of(np.arange(trials)),
        )


def room_of_bounds(tau: float, deviation: float) -> float:
    """How far bounds may lie from a score with this standard deviation, to decide most columns."""
    return max(tau - 3 * deviation, deviation / 2)


def log_ratio(point: Point) -> float:
    """The logarithm of the largest weight of F_exp over D0, over the least: L below."""
    least, largest = regression.entries(np.array([0.0, 1 - 2**-53]), point.law)
    return (largest - least) * math.log(point.n)


def first_bins(point: Point) -> int:
    """How many bins of D0 bounds begin with.

    Bounds on F_exp's score over D0 are within about 2 tanh(L/4) / B of it, with B bins in which
    n^(u/2) grows alike, if n^u grows by exp(L) in all.
    """
    ratio = log_ratio(point)
    if not ratio:
        return 1
    deviation = math.sqrt(ratio / 2 / math.tanh(ratio / 2) / point.n)
    bins = 2 * math.tanh(ratio / 4) / room_of_bounds(point.tau, deviation)
    return min(math.ceil(bins), MOST_BINS)


def first_halvings(point: Point) -> int:
    """How often D1's interval of uniforms is halved where signs are bits.

    Bounds on F_linear's score over D1 are within (1.4 - 1) / (1.4 + 1) of it for one interval, and
    half of that for each halving. Of two values, one halving tells which.
    """
    if point.law == "two-point":
        return 1
    if point.law != "uniform":
        return 0
    least, largest = regression.LOWER, regression.UPPER
    room = room_of_bounds(point.tau, deviation=point.n**-0.5)
    return max(math.ceil(math.log2((largest - least) / (largest + least) / room)), 0)


def has_bits(point: Point) -> bool:
    """Whether signs are drawn as bits: all that bounds leave open is drawn soon. Else pluses are
    counted in cells, which are divided where bounds decide nothing."""
    cells = first_bins(point) * 2 ** first_halvings(point)
    return point.n <= min(MOST_BITS * cells, MOST_COMPLETED)


def word_bits(point: Point) -> int:
    """Signs in a word: bins are of whole words, so a word is no longer than a bin is on average."""
    per_bin = point.n // first_bins(point)
    return next((bits for bits in (64, 32, 16) if bits <= per_bin), 8)


def ranks_at_edges(point: Point) -> np.ndarray:
    """How many ranks lie below each of the first bins' edges, (B + 1,) from 0 to n - 1."""
    n = point.n
    bins = first_bins(point)
    if bins == 1:
        return np.array([0, n - 1])
    ratio = log_ratio(point)
    share = np.log1p(np.expm1(ratio / 2) * np.arange(bins + 1) / bins) * 2 / ratio
    bits = word_bits(point) if has_bits(point) else 1
    ends = bits * np.rint(share * n / bits).astype(np.int64) - 1
    inner = ends[(ends > 0) & (ends < n - 1)]
    return np.unique(np.concatenate([[0], inner, [n - 1]]))


def reveal(point: Point, rng: np.random.Generator, start: int) -> Revealed:
    """What is drawn of the next trials before anything is asked: always of as many, so that a
    shorter run is the prefix of a longer one."""
    sets = 1 if point.signs == "shared" else len(PAPERS.networks)
    ranks = ranks_at_edges(point)
    sizes = np.diff(ranks)
    numbers_per_column = len(sizes) + (point.n // 64 if has_bits(point) else 0)
    trials = min(CHUNK_NUMBERS // (sets * point.m * numbers_per_column) + 1, CHUNK_TRIALS)
    shape = trials, sets, point.m
    spacings = rng.standard_gamma(np.append(sizes, 1.0), size=(trials, len(sizes) + 1)).T
    edges = np.concatenate([np.zeros((1, trials)), np.cumsum(spacings[:-1], axis=0)])
    edges /= edges[-1] + spacings[-1]
    words: np.ndarray | None = None
    halves: np.ndarray | None = None
    if has_bits(point):
        words = _draw_words(rng, point, shape)
        plus = (words[0] & words.dtype.type(1)).astype(bool)
        pluses = _pluses_in_bins(point, words, ranks)
        halves = _draw_halves(rng, point, trials)
    else:
        plus = rng.integers(0, 2, size=shape, dtype=np.int8).astype(bool)
        pluses = np.stack([rng.binomial(size, 0.5, size=shape) for size in sizes])
    counts = np.broadcast_to(sizes[:, None, None], (len(sizes), 1, trials))
    cells = Cells(np.arange(trials), edges, counts, pluses[:, None])
    return Revealed(start, rng.random(trials), plus, words, halves, cells)


def _pluses_in_bins(point: Point, words: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """How many signs are +1 in each bin, (B, T, S, m); coordinate 0 is in none."""
    pluses_by_word = np.bitwise_count(words)
    first_words = (ranks[:-1] + 1) // word_bits(point)
    kind = np.min_scalar_type(point.n)
    pluses_by_bin = []
    for first, end in pairwise([*first_words, len(words)]):
        pluses_by_bin.append(pluses_by_word[first:end].sum(axis=0, dtype=kind))
    pluses = np.stack(pluses_by_bin)
    sign_of_0 = words[0] & words.dtype.type(1)
    pluses[0] -= sign_of_0
    return pluses


def _draw_halves(rng: np.random.Generator, point: Point, trials: int) -> np.ndarray:
    """As bits, all coordinates but 0, and D1's upper half of them for each halving:
    (1 + H, words, T)."""
    count = 1 + first_halvings(point)
    halves = np.stack([_draw_words(rng, point, (trials,)) for _ in range(count)])
    every_bit = np.iinfo(halves.dtype).max
    halves[0] = every_bit
    halves[0, 0] -= 1
    halves[0, -1] &= every_bit >> -point.n % word_bits(point)
    return halves & halves[0]


def _draw_words(rng: np.random.Generator, point: Point, shape: tuple[int, ...]) -> np.ndarray:
    """n fair bits for each element of an array, in words along a first axis."""
    n = point.n
    bits = word_bits(point)
    size = (-(-n // bits), *shape)
    count = math.prod(size)
    drawn = rng.integers(0, 2**64 - 1, size=-(-count * bits // 64), dtype=np.uint64, endpoint=True)
    # Little-endian on every machine: the words are part of the stream's definition.
    words = drawn.astype("<u8", copy=False).view(f"<u{bits // 8}")[:count].reshape(size)
    words[-1] >>= words.dtype.type(-n % bits)
    return words


class Completion:
    """The rest of any trial of a block, which does not depend on which others are completed.

    Philox makes a few numbers of each value of a counter. Each part of a trial (entries over D0,
    over D1, a column of signs) has 2^64 values of its own, so no two parts share a number.
    """

    def __init__(self, point: Point, streams: BlockStreams) -> None:
        self._point = point
        key = streams.generator("completion").integers(2**64, size=2, dtype=np.uint64)
        self._bits = np.random.Philox(key=key)
        self._rng = np.random.Generator(self._bits)
        self._counter = 0

    def _random(self, trial: int, part: int, out: np.ndarray) -> np.ndarray:
        """Fill with uniforms of a part of a trial."""
        parts = 2 + len(PAPERS.networks) * self._point.m
        first_counter = (trial * parts + part) << 64
        # The counter has 256 bits: to go back is to go on around.
        self._bits.advance((first_counter - self._counter) % 2**256)
        self._counter = first_counter + math.ceil(len(out) / NUMBERS_PER_COUNTER)
        return self._rng.random(out=out)

    def uniforms(self, revealed: Revealed, cells: Cells, dataset: int) -> np.ndarray:
        """Uniforms of the entries of Ax, (t, n); D1 does not use that at coordinate 0."""
        n = self._point.n
        of_d1 = dataset == 1 and self._point.data == "independent"
        if n > MOST_COMPLETED:
            raise ValueError(
                f"n={n}, tau={self._point.tau}: scores too close to tau for bounds, and too many "
                f"entries of Ax to draw; allowed: n <= {MOST_COMPLETED}, or another tau"
            )
        bins, parts = cells.counts.shape[:2]
        u = np.empty((len(cells.rows), n if of_d1 else n + bins))
        for u_trial, row in zip(u, cells.rows.tolist(), strict=True):
            self._random(revealed.start + row, part=int(of_d1), out=u_trial)
        if not of_d1:
            return _between_edges(n, revealed.entry[cells.rows], cells, u)
        if revealed.halves is not None:
            upper_halves = revealed.halves[1:, :, cells.rows]
            for halving, upper in enumerate(upper_halves):
                u += 2.0**halving * unpack(upper.T, n)
            return u / 2 ** len(upper_halves)
        interval = np.tile(np.arange(parts), bins)
        for u_trial, count in zip(u, np.moveaxis(cells.counts, -1, 0), strict=True):
            u_trial[1:] += np.repeat(interval, count.ravel())
        return u / parts

    def signs(
        self, revealed: Revealed, cells: Cells, trials: np.ndarray, set_: int, columns: np.ndarray
    ) -> np.ndarray:
        """Columns of y, (K, n) of -1 and +1: of trials at K places in `cells`, in one set."""
        n = self._point.n
        rows = cells.rows[trials]
        if revealed.words is not None:
            return 2.0 * unpack(revealed.words[:, rows, set_, columns].T, n) - 1.0
        y = np.empty((len(rows), n))
        y[:, 0] = 2.0 * revealed.plus[rows, set_, columns] - 1.0
        for y_column, trial, row, column in zip(
            y[:, 1:], trials, rows.tolist(), columns.tolist(), strict=True
        ):
            # Of each cell, and then of each coordinate but 0.
            counts = cells.counts[..., trial].ravel()
            pluses = cells.pluses[..., trial, set_, column].ravel()
            cell = np.repeat(np.arange(len(counts)), counts)
            part = 2 + set_ * self._point.m + column
            uniforms = self._random(revealed.start + row, part, out=y_column)
            # In each cell the coordinates in a random order: the first have the pluses.
            order = np.argsort(cell + uniforms)
            first_places = np.cumsum(counts) - counts
            place_in_cell = np.arange(n - 1) - first_places[cell]
            y_column[order] = np.where(place_in_cell < pluses[cell], 1.0, -1.0)
        return y


def _between_edges(n: int, entry: np.ndarray, cells: Cells, u: np.ndarray) -> np.ndarray:
    """Uniforms of D0, (t, n): each of a bin lies between its edges, and one is its upper edge.

    entry : (t,) those at coordinate 0
    u : (t, n + B), which is written over: where each coordinate lies between its bin's edges, and
        which coordinate of each bin is the upper edge, as a share of the bin's coordinates
    """
    uniforms = u[:, :n]
    shares_before_highest = u[:, n:]
    in_bins = uniforms[:, 1:]
    edges = cells.edges.T
    low_edges = edges[:, :-1]
    high_edges = edges[:, 1:]
    # (B,), the same in all trials.
    bin_sizes = cells.counts[..., 0].sum(axis=1)
    bin_starts = np.cumsum(bin_sizes) - bin_sizes
    highest_in_bins = bin_starts + (shares_before_highest * bin_sizes).astype(np.int64)
    uniforms[:, 0] = entry
    in_bins *= np.repeat(high_edges - low_edges, bin_sizes, axis=1)
    in_bins += np.repeat(low_edges, bin_sizes, axis=1)
    np.put_along_axis(in_bins, highest_in_bins, high_edges, axis=1)
    return uniforms
