"""Trials of the softmax-regression model, Figure 3: decided by bounds, or by the definitions.

Both engines read the same draws and say of each trial which of the four NETWORKS are positive.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from ...attention.sign_columns import TIE_TOLERANCE, exceeds
from ...statistics.seeding import BlockStreams
from ..models import regression
from ..models.contest import PAPERS
from ..models.model import Point
from ..models.regression import SPECIAL, UPPER, RegressionModel
from .revelation import Cells, Completion, Revealed, reveal
from .signs import Trials

NETWORKS = PAPERS.networks

ROOM = 1e-13
"""For rounding errors: bounds so close to tau, relative to all weights, decide nothing."""

MOST_CELLS, MOST_COUNTS, MOST_ENTRIES = 2**18, 2**24, 200_000
"""Of a trial: where so many, or n, decide nothing, all is drawn. At once: numbers of pluses, and
entries of Ax or signs."""


def dense(model: RegressionModel, points: list[Point]) -> list[Trials]:
    """Trials at each point with all data and signs drawn, by the definitions."""
    return [partial(_trials, point, True) for point in points]


def reduced(model: RegressionModel, points: list[Point]) -> list[Trials]:
    """The same by bounds on what is known, and by the definitions where they leave it open."""
    return [partial(_trials, point, False) for point in points]


def _trials(point: Point, draw_all: bool, streams: BlockStreams, trials: int) -> np.ndarray:
    # Freeing one large block teaches glibc to keep freed memory: page faults took half the time.
    np.empty(31 << 20, dtype=np.uint8)
    rng, completion = streams.generator("revelation"), Completion(point, streams)
    found, start = [], 0
    while start < trials:
        revealed = reveal(point, rng, start)
        chunk = Chunk(point, revealed)
        refined = chunk.refine(rng)
        if draw_all:
            chunk.positive[:] = False
            chunk.open[:] = np.arange(start, start + len(chunk.positive))[:, None] < trials
        for cells in refined:
            chunk.complete(cells, completion)
        found.append(chunk.positive)
        start += len(chunk.positive)
    return np.concatenate(found)[:trials]


class Chunk:
    """What is decided of a chunk's trials.

    positive : (T, networks) bool
    open : (networks, T, m) bool, the columns that leave it open whether a network is positive
    """

    def __init__(self, point: Point, revealed: Revealed):
        trials, self._sets, _ = revealed.plus.shape
        self._point, self._revealed = point, revealed
        special = regression.entries(revealed.entry, point.law), np.full(trials, SPECIAL)
        self._special = [_weights(kernel, point.n, special[d]) for kernel, d in NETWORKS]
        self.positive = np.zeros((trials, len(NETWORKS)), dtype=bool)
        self.open = np.ones((len(NETWORKS), trials, point.m), dtype=bool)

    def refine(self, rng: np.random.Generator) -> list[Cells]:
        """Decide what bounds decide, and return the cells that this took, of every trial once."""
        first = self._revealed.cells
        self._settle_by_extremes()
        of_ranks = np.array([d == 0 or self._point.data == "same" for _, d in NETWORKS])
        refined, pending = [], [first]
        while pending:
            cells = pending.pop()
            if cells.pluses.size > MOST_COUNTS and len(cells.rows) > 1:
                pending += [
                    cells.of(rows) for rows in np.array_split(np.arange(len(cells.rows)), 2)
                ]
                continue
            for k, by_rank in enumerate(of_ranks):
                part = cells.of(np.flatnonzero(self.open[k, cells.rows].any(axis=1)))
                if len(part.rows):
                    self._settle_by_cells(k, part, by_rank)
                    if not by_rank and self._revealed.words is not None:
                        self._settle_by_bits(k)
            if self._revealed.words is not None:
                return [first]
            is_open = self.open[:, cells.rows].any(axis=2)
            may_grow = 2 * cells.counts[..., 0].size <= min(MOST_CELLS, self._point.n)
            halve = is_open[of_ranks].any(axis=0)
            split = is_open.any(axis=0) & ~halve & may_grow
            halve &= may_grow and cells.counts.shape[1] == 1 and cells.counts.min() > 1
            for chosen, divided in ((halve, Cells.halved), (split, Cells.split)):
                if chosen.any():
                    pending.append(divided(cells.of(np.flatnonzero(chosen)), rng))
            refined.append(cells.of(np.flatnonzero(~halve & ~split)))
        return refined

    def _settle_by_extremes(self) -> None:
        """Decide what the most and fewest pluses of any column decide: nothing of F_exp on D0."""
        cells = self._revealed.cells
        pluses = cells.pluses.sum(axis=(0, 1), dtype=cells.pluses.dtype)
        most, fewest = pluses.max(axis=2, keepdims=True), pluses.min(axis=2, keepdims=True)
        plus = self._revealed.plus.any(axis=2, keepdims=True)
        whole = np.zeros((1, 1)), np.ones((1, 1)), np.full((1, len(cells.rows)), self._point.n - 1)
        for k in (k for k, network in enumerate(NETWORKS) if network != ("exp", 0)):
            of = k % self._sets
            least = fewest[None, :, of]
            self._settle(k, (cells.rows,), *whole, most[None, :, of], least, plus[:, of])

    def _settle_by_cells(self, k: int, cells: Cells, by_rank: bool) -> None:
        """Decide what is known column by column, of bins in D0 or of intervals in D1."""
        of, pluses = k % self._sets, cells.pluses[..., k % self._sets, :]
        if by_rank:
            low, high = cells.edges[:-1], cells.edges[1:]
            counts, pluses = cells.counts[:, 0], pluses[:, 0]
        else:
            counts, pluses = cells.counts.sum(axis=0), pluses.sum(axis=0, dtype=pluses.dtype)
            low, high = _equal_steps(len(counts))
        plus = self._revealed.plus[cells.rows, of]
        self._settle(k, (cells.rows,), low, high, counts, pluses, pluses, plus)

    def _settle_by_bits(self, k: int) -> None:
        """Decide columns that are open from their signs, and the halves of D1's interval."""
        rows, column = np.nonzero(self.open[k])
        parts, own = self._revealed.parts(rows), (rows, k % self._sets, column)
        counts = np.bitwise_count(parts).sum(axis=1)
        pluses = np.bitwise_count(parts & self._revealed.words[:, *own]).sum(axis=1)[..., None]
        plus = self._revealed.plus[own][:, None]
        where = rows[:, None], column[:, None]
        self._settle(k, where, *_equal_steps(len(parts)), counts, pluses, pluses, plus)

    def _settle(self, k: int, where, low, high, counts, most, fewest, plus) -> None:
        """Decide of a network of t trials what bounds decide, with columns in G groups.

        where : index of what is decided in `open`, trials first
        low, high : (G, t or 1) least and largest uniforms in a group
        counts : (G, t) coordinates in it
        most, fewest : (G, t, c) pluses in it
        plus : (t, c) whether the sign at coordinate 0 is +1
        """
        kernel, rows = NETWORKS[k].kernel, where[0].ravel()
        n, law, tau = self._point.n, self._point.law, self._point.tau + TIE_TOLERANCE
        low, high = (_weights(kernel, n, regression.entries(u, law)) for u in (low, high))
        special = self._special[k][rows]
        room = ROOM * (2 * n + special.max(initial=0.0))
        is_open = _excess(tau, high, low, counts, most, special, plus) > -room
        some = np.flatnonzero(is_open.any(axis=1))
        low, high = (w[:, some] if w.shape[1] > 1 else w for w in (low, high))
        of_some = counts[:, some], fewest[:, some], special[some], plus[some]
        sure = some[(_excess(tau, low, high, *of_some) > room).any(axis=1)]
        self.positive[rows[sure], k] = True
        is_open[sure] = False
        self.open[k, *where] = is_open

    def complete(self, cells: Cells, completion: Completion) -> None:
        """Decide what is open of these trials by the definitions, column by column."""
        point, revealed = self._point, self._revealed
        step = max(MOST_ENTRIES // point.n, 1)
        for dataset in (1, 0):
            networks = [k for k, network in enumerate(NETWORKS) if network.dataset == dataset]
            is_open = self.open[networks][:, cells.rows].any(axis=(0, 2))
            for rows in _steps(np.flatnonzero(is_open), step):
                part = cells.of(rows)
                uniforms = completion.uniforms(revealed, part, dataset)
                z = regression.dataset_z(point.n, uniforms, point.law, 0 if dataset else None)
                for k in networks:
                    f = regression.normalise(regression.U[NETWORKS[k].kernel](z))
                    for pairs in _steps(np.argwhere(self.open[k, part.rows]), step):
                        trial, column = pairs.T
                        y = completion.signs(self._revealed, part, trial, k % self._sets, column)
                        scores = np.einsum("kn,kn->k", f[trial], y)
                        positive = trial[exceeds(scores, point.tau, point.s)]
                        self.positive[part.rows[positive], k] = True


def _steps(array: np.ndarray, step: int) -> Iterator[np.ndarray]:
    return (array[first : first + step] for first in range(0, len(array), step))


def _equal_steps(count: int) -> tuple[np.ndarray, np.ndarray]:
    steps = np.linspace(0.0, 1.0, count + 1)[:, None]
    return steps[:-1], steps[1:]


def _weights(kernel: str, n: int, multiples: np.ndarray) -> np.ndarray:
    """Weights up to a factor, at most 2 in D0, from multiples of log n."""
    return multiples if kernel == "linear" else float(n) ** (multiples - UPPER)


def _excess(tau: float, gain, loss, counts, pluses, special, plus) -> np.ndarray:
    """Sum of w (y - tau), above 0 where a score exceeds tau, (t, c), if each of a group's pluses
    weighs `gain` and each of its minuses `loss`, and coordinate 0 weighs `special`, (t,)."""
    loss = np.broadcast_to(loss, counts.shape)
    excess = np.einsum("gt,gtc->tc", gain * (1 - tau) + loss * (1 + tau), pluses)
    excess -= (1 + tau) * np.einsum("gt,gt->t", loss, counts)[:, None]
    excess += np.where(plus, 1 - tau, -1 - tau) * special[:, None]
    return excess
