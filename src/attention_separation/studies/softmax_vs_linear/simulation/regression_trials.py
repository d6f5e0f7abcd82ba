"""Trials of the softmax-regression model, Figure 3: decided by bounds, or by the definitions.

Both engines read the same draws and say of each trial which of the four NETWORKS are positive. To
settle a network in some trials is to decide from bounds on its scores whether it is positive there,
where they suffice; the columns of signs whose bounds do not stay open.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from ....attention.sign_columns import TIE_TOLERANCE, exceeds
from ....statistics.seeding import BlockStreams
from ..models import regression
from ..models.contest import PAPERS
from ..models.model import Point
from ..models.regression import SPECIAL, UPPER
from . import regression_by_definition
from .revelation import Cells, Completion, Revealed, reveal
from .signs import Trials

NETWORKS = PAPERS.networks

NETWORK_INDICES = list(range(len(NETWORKS)))

LINEAR_OVER_D1 = NETWORKS.index(("linear", 1))

ROOM = 1e-13
"""For rounding errors: bounds so close to tau, relative to all weights, decide nothing."""

MOST_CELLS = 2**18
"""Of a trial: where so many, or n, decide nothing, all is drawn."""

MOST_COUNTS = 2**24
"""Numbers of pluses at once."""

MOST_ENTRIES = 200_000
"""Entries of Ax, signs or words at once."""


def dense(points: list[Point]) -> list[Trials]:
    """Trials at each point with all data and signs drawn, by the definitions."""
    return [partial(_trials, point, True) for point in points]


def reduced(points: list[Point]) -> list[Trials]:
    """The same by bounds on what is known, and by the definitions where they leave it open.

    Where bounds would decide little, all is drawn at once, as `dense` does there.
    """
    return [partial(_trials, point, False) for point in points]


def _trials(point: Point, draw_all: bool, streams: BlockStreams, trials: int) -> np.ndarray:
    if regression_by_definition.is_drawn_at_once(point):
        return regression_by_definition.positive_networks(point, streams, trials)
    # Freeing one large block teaches glibc to keep freed memory: page faults took half the time.
    np.empty(31 << 20, dtype=np.uint8)
    rng = streams.generator("revelation")
    completion = Completion(point, streams)
    positive = []
    start = 0
    while start < trials:
        revealed = reveal(point, rng, start).first(trials - start)
        chunk = Chunk(point, revealed)
        refined = chunk.refine(rng)
        if draw_all:
            chunk.positive[:] = False
            chunk.open[:] = True
        # Where cells are divided, a chunk has more trials than may be left of the run.
        chunk.open[:, trials - start :] = False
        for cells in refined:
            chunk.complete(cells, completion)
        positive.append(chunk.positive)
        start += len(chunk.positive)
    return np.concatenate(positive)[:trials]


@dataclass(frozen=True)
class Groups:
    """What is known of c columns of t trials, whose coordinates but 0 are in G groups.

    A coordinate may be in several groups: its weight is the sum of theirs.

    low, high : (G, t or 1) least and largest weight in a group
    counts : (G, t) coordinates in it
    most, fewest : (G, t, c) pluses in it
    special : (t,) weight of coordinate 0
    plus : (t, c) whether the sign at coordinate 0 is +1
    """

    low: np.ndarray
    high: np.ndarray
    counts: np.ndarray
    most: np.ndarray
    fewest: np.ndarray
    special: np.ndarray
    plus: np.ndarray

    def some(self, trials: np.ndarray) -> "Groups":
        """Those of some of the trials."""
        is_alike = self.low.shape[1] == 1
        return Groups(
            low=self.low if is_alike else self.low[:, trials],
            high=self.high if is_alike else self.high[:, trials],
            counts=self.counts[:, trials],
            most=self.most[:, trials],
            fewest=self.fewest[:, trials],
            special=self.special[trials],
            plus=self.plus[trials],
        )

    def largest_excess(self, tau: float) -> np.ndarray:
        """The most that the sum of w (y - tau) can be, (t, c): above 0 if a score exceeds tau."""
        return self._excess(tau, gain=self.high, loss=self.low, pluses=self.most)

    def least_excess(self, tau: float) -> np.ndarray:
        """The least that the sum of w (y - tau) can be, (t, c)."""
        return self._excess(tau, gain=self.low, loss=self.high, pluses=self.fewest)

    def _excess(
        self, tau: float, gain: np.ndarray, loss: np.ndarray, pluses: np.ndarray
    ) -> np.ndarray:
        """The sum if each of a group's pluses weighs `gain` and each of its minuses `loss`."""
        loss = np.broadcast_to(loss, self.counts.shape)
        excess = np.einsum("gt,gtc->tc", gain * (1 - tau) + loss * (1 + tau), pluses)
        excess -= (1 + tau) * np.einsum("gt,gt->t", loss, self.counts)[:, None]
        excess += np.where(self.plus, 1 - tau, -1 - tau) * self.special[:, None]
        return excess


class Chunk:
    """What is decided of a chunk's trials.

    positive : (T, networks) bool
    open : (networks, T, m) bool, the columns that leave it open whether a network is positive
    """

    def __init__(self, point: Point, revealed: Revealed) -> None:
        trials, self._sets, _ = revealed.plus.shape
        self._point = point
        self._revealed = revealed
        # Of D0 and of D1.
        special = [regression.entries(revealed.entry, point.law), np.full(trials, SPECIAL)]
        self._special = [
            _weights(kernel, point.n, special[dataset]) for kernel, dataset in NETWORKS
        ]
        self.positive = np.zeros((trials, len(NETWORKS)), dtype=bool)
        self.open = np.ones((len(NETWORKS), trials, point.m), dtype=bool)

    def refine(self, rng: np.random.Generator) -> list[Cells]:
        """Decide what bounds decide, and return the cells that this took, of every trial once."""
        self._settle_by_extremes()
        words = self._revealed.words
        halves = self._revealed.halves
        if words is not None and halves is not None:
            # All signs are known: cells need not be divided.
            self._settle_by_cells(self._revealed.cells)
            if self._point.data == "independent":
                self._settle_by_bits(words, halves)
            return [self._revealed.cells]
        refined = []
        pending = [self._revealed.cells]
        while pending:
            cells = pending.pop()
            has_too_many_counts = cells.pluses.size > MOST_COUNTS
            if has_too_many_counts and len(cells.rows) > 1:
                two_parts = np.array_split(np.arange(len(cells.rows)), 2)
                pending += [cells.of(trials) for trials in two_parts]
            else:
                self._settle_by_cells(cells)
                finer_cells, cells_of_others = self._finer_where_open(cells, rng)
                pending += finer_cells
                refined.append(cells_of_others)
        return refined

    def _finer_where_open(
        self, cells: Cells, rng: np.random.Generator
    ) -> tuple[list[Cells], Cells]:
        """The cells of trials with open columns, divided where they may be: bins halved if a
        network known by ranks is open, else intervals split; and the cells of all other trials."""
        # (t,) bool
        needs_halves = self._has_open_columns(cells, self._networks_by_rank())
        needs_splits = self._has_open_columns(cells, NETWORK_INDICES) & ~needs_halves
        is_halved = needs_halves & self._may_halve(cells)
        is_split = needs_splits & self._may_double(cells)
        finer_cells = []
        if is_halved.any():
            finer_cells.append(cells.of(np.flatnonzero(is_halved)).halved(rng))
        if is_split.any():
            finer_cells.append(cells.of(np.flatnonzero(is_split)).split(rng))
        return finer_cells, cells.of(np.flatnonzero(~is_halved & ~is_split))

    def _has_open_columns(self, cells: Cells, networks: list[int]) -> np.ndarray:
        """Of which trials a column leaves some of these networks open, (t,) bool."""
        open_columns = self.open[networks][:, cells.rows]  # (networks, t, m)
        has_open_columns: np.ndarray = np.any(open_columns, axis=(0, 2))
        return has_open_columns

    def _may_double(self, cells: Cells) -> bool:
        """Whether a trial may have twice as many cells."""
        bins, intervals, _ = cells.counts.shape
        most_cells = min(MOST_CELLS, self._point.n)
        return most_cells >= 2 * bins * intervals

    def _may_halve(self, cells: Cells) -> bool:
        """Whether each bin may be halved: none is cut by D1, and each has two coordinates."""
        _, intervals, _ = cells.counts.shape
        if intervals > 1 or not self._may_double(cells):
            return False
        return bool(cells.counts.min() > 1)

    def _networks_by_rank(self) -> list[int]:
        """The networks whose weights are known by ranks: bins bound them, intervals do not."""
        return [k for k in NETWORK_INDICES if self._is_by_rank(k)]

    def _is_by_rank(self, k: int) -> bool:
        """Whether a network's data are those of D0, whose ranks are known."""
        return NETWORKS[k].dataset == 0 or self._point.data == "same"

    def _settle_by_extremes(self) -> None:
        """Decide what the most and fewest pluses of any column decide: nothing of F_exp on D0."""
        cells = self._revealed.cells
        pluses = cells.pluses.sum(axis=(0, 1), dtype=cells.pluses.dtype)  # (T, sets, m)
        for k, network in enumerate(NETWORKS):
            if network == ("exp", 0):
                continue
            pluses_by_column = pluses[:, k % self._sets]
            some_plus = np.any(self._revealed.plus[:, k % self._sets], axis=1, keepdims=True)
            groups = Groups(
                low=self._weights_of(k, np.zeros((1, 1))),
                high=self._weights_of(k, np.ones((1, 1))),
                counts=np.full((1, len(cells.rows)), self._point.n - 1),
                most=pluses_by_column.max(axis=1)[None, :, None],
                fewest=pluses_by_column.min(axis=1)[None, :, None],
                special=self._special[k],
                plus=some_plus,
            )
            self._settle(k, (cells.rows,), groups)

    def _settle_by_cells(self, cells: Cells) -> None:
        """Decide what is known column by column, of bins in D0 or of intervals in D1."""
        for k in NETWORK_INDICES:
            part = cells.of(np.flatnonzero(self.open[k, cells.rows].any(axis=1)))
            if len(part.rows):
                self._settle(k, (part.rows,), self._groups_of_cells(k, part))

    def _groups_of_cells(self, k: int, cells: Cells) -> Groups:
        """A network's groups: bins where it is by rank, else the intervals of D1."""
        pluses = cells.pluses[..., k % self._sets, :]  # (bins, intervals, t, m)
        if self._is_by_rank(k):
            # No bin is cut where networks by rank are open.
            counts = cells.counts[:, 0]
            pluses = pluses[:, 0]
            low = cells.edges[:-1]
            high = cells.edges[1:]
        else:
            counts = cells.counts.sum(axis=0)
            pluses = pluses.sum(axis=0, dtype=pluses.dtype)
            steps = np.linspace(0.0, 1.0, len(counts) + 1)[:, None]
            low = steps[:-1]
            high = np.nextafter(steps[1:], 0.0)
        return Groups(
            low=self._weights_of(k, low),
            high=self._weights_of(k, high),
            counts=counts,
            most=pluses,
            fewest=pluses,
            special=self._special[k][cells.rows],
            plus=self._revealed.plus[cells.rows, k % self._sets],
        )

    def _weights_of(self, k: int, uniforms: np.ndarray) -> np.ndarray:
        """A network's weights of the entries with these uniforms."""
        multiples = regression.entries(uniforms, self._point.law)
        return _weights(NETWORKS[k].kernel, self._point.n, multiples)

    def _settle_by_bits(self, words: np.ndarray, halves: np.ndarray) -> None:
        """Decide columns of F_linear over D1 that are open, from signs and D1's halves as bits.

        A coordinate's weight is that of the lowest of D1's intervals, and some more for each
        halving in which the coordinate lies in the upper half.
        """
        k = LINEAR_OVER_D1
        halvings = len(halves) - 1
        width = 0.5**halvings
        lowest = self._weights_of(k, np.zeros(1))
        below_second = self._weights_of(k, np.nextafter(np.array([width]), 0.0))
        upper = width * 2.0 ** np.arange(halvings)
        gain = self._weights_of(k, upper) - lowest
        words_per_trial = halves[..., 0].size
        step = max(MOST_ENTRIES // words_per_trial, 1)
        for open_columns in _steps(np.argwhere(self.open[k]), step):
            rows, columns = open_columns.T
            signs = words[:, rows, k % self._sets, columns]
            parts = halves[..., rows]
            pluses = np.bitwise_count(parts & signs).sum(axis=1)[..., None]
            groups = Groups(
                low=np.append(lowest, gain)[:, None],
                high=np.append(below_second, gain)[:, None],
                counts=np.bitwise_count(parts).sum(axis=1),
                most=pluses,
                fewest=pluses,
                special=self._special[k][rows],
                plus=self._revealed.plus[rows, k % self._sets, columns][:, None],
            )
            self._settle(k, (rows[:, None], columns[:, None]), groups)
        self.open[k, self.positive[:, k]] = False

    def _settle(self, k: int, where: tuple[np.ndarray, ...], groups: Groups) -> None:
        """Decide of a network what bounds decide.

        `where` are the places of the groups' t trials and c columns in the network's `open`: trials
        (t,) with all their columns, or trials and columns, (t, 1) each.
        """
        rows = where[0].ravel()
        tau = self._point.tau + TIE_TOLERANCE
        room = ROOM * (2 * self._point.n + groups.special.max(initial=0.0))
        is_open = groups.largest_excess(tau) > -room
        undecided = np.flatnonzero(is_open.any(axis=1))
        is_positive = (groups.some(undecided).least_excess(tau) > room).any(axis=1)
        positive = undecided[is_positive]
        self.positive[rows[positive], k] = True
        is_open[positive] = False
        self.open[k][where] = is_open

    def complete(self, cells: Cells, completion: Completion) -> None:
        """Decide what is open of these trials by the definitions, column by column."""
        point = self._point
        step = max(MOST_ENTRIES // point.n, 1)
        for dataset in (1, 0):
            networks = [k for k in NETWORK_INDICES if NETWORKS[k].dataset == dataset]
            is_open = self._has_open_columns(cells, networks)
            for trials in _steps(np.flatnonzero(is_open), step):
                part = cells.of(trials)
                uniforms = completion.uniforms(self._revealed, part, dataset)
                special = 0 if dataset == 1 else None
                z = regression.dataset_z(point.n, uniforms, point.law, special)
                for k in networks:
                    f = regression.normalise(regression.U[NETWORKS[k].kernel](z))
                    # Of each open column, its trial's place in `part`, and its number.
                    for open_columns in _steps(np.argwhere(self.open[k, part.rows]), step):
                        place, column = open_columns.T
                        y = completion.signs(self._revealed, part, place, k % self._sets, column)
                        scores = np.einsum("kn,kn->k", f[place], y)
                        positive = place[exceeds(scores, point.tau, point.s)]
                        self.positive[part.rows[positive], k] = True


def _steps(array: np.ndarray, step: int) -> Iterator[np.ndarray]:
    return (array[first : first + step] for first in range(0, len(array), step))


def _weights(kernel: str, n: int, multiples: np.ndarray) -> np.ndarray:
    """Weights up to a factor, at most 2 in D0, from multiples of log n."""
    if kernel == "linear":
        return multiples
    return float(n) ** (multiples - UPPER)
