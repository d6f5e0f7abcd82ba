"""Trials of the softmax-regression model, Figure 3: decided by bounds, or by the definitions.

Both engines read the same draws and say of each trial which of the four NETWORKS are positive.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from ...attention.sign_columns import TIE_TOLERANCE, exceeds
from ...statistics.seeding import BlockStreams
from ..models import regression
from ..models.contest import PAPERS
from ..models.model import Point
from ..models.regression import SPECIAL, UPPER, RegressionModel
from .revelation import MOST_BITS, Cells, Completion, Revealed, columns, reveal
from .signs import Trials

NETWORKS = PAPERS.networks

ROOM = 1e-13
"""For rounding errors: bounds so close to tau, relative to all weights, decide nothing."""

COMPLETED_NUMBERS = 200_000
"""Entries of Ax, or signs, worked on at once."""


class Groups(NamedTuple):
    """Coordinates but the special one, in G groups: bounds on the uniforms of their entries of Ax
    (G, t or 1), how many there are (G, t), and how many of them have sign +1 (G, t, columns)."""

    low: np.ndarray
    high: np.ndarray
    counts: np.ndarray
    pluses: np.ndarray


def _by_rank(cells: Cells, columns: slice) -> Groups:
    """The bins of entries in D0."""
    pluses = cells.pluses[:, 0, :, columns]
    return Groups(cells.edges[:-1], cells.edges[1:], cells.counts[:, 0], pluses)


def _by_interval(cells: Cells, columns: slice) -> Groups:
    """The intervals of entries in D1."""
    steps = np.linspace(0.0, 1.0, cells.counts.shape[1] + 1)[:, None]
    pluses = cells.pluses[..., columns].sum(axis=0, dtype=cells.pluses.dtype)
    return Groups(steps[:-1], steps[1:], cells.counts.sum(axis=0), pluses)


def _excess(
    tau: float, gain: np.ndarray, loss: np.ndarray, counts: np.ndarray, pluses: np.ndarray,
    special: np.ndarray, plus: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Sum of w (y - tau), above 0 where a score exceeds tau, (t, columns), if each of a group's
    pluses weighs `gain` and each of its minuses `loss`, (G, t or 1); counts as in Groups.

    special, plus : weight at coordinate 0, (t,), and whether its sign is +1, (t, columns)
    """
    loss = np.broadcast_to(loss, counts.shape)
    each = gain * (1 - tau) + loss * (1 + tau)
    excess = np.einsum("gt,gtm->tm", each, pluses)
    excess -= (1 + tau) * np.einsum("gt,gt->t", loss, counts)[:, None]
    excess += np.where(plus, 1 - tau, -1 - tau) * special[:, None]
    return excess


def _weights(kernel: str, point: Point, multiples: np.ndarray) -> np.ndarray:
    """Weights up to a factor, from multiples of log n: 1 is about the largest of D0."""
    return multiples if kernel == "linear" else float(point.n) ** (multiples - UPPER)


class Decisions:
    """What is decided of a chunk's trials.

    positive : (T, networks) bool
    open : (networks, T, m) bool, which columns leave it open whether a network is positive
    """

    def __init__(self, point: Point, revealed: Revealed):
        trials = len(revealed.entry)
        self._point, self._revealed = point, revealed
        special = regression.entries(revealed.entry, point.law), np.full(trials, SPECIAL)
        self._special = {
            network: _weights(network.kernel, point, special[network.dataset])
            for network in NETWORKS
        }
        self.positive = np.zeros((trials, len(NETWORKS)), dtype=bool)
        self.open = np.ones((len(NETWORKS), trials, point.m), dtype=bool)

    def refine(self, rng: np.random.Generator) -> list[Cells]:
        """Decide what bounds decide, and return the cells that this took, of every trial once."""
        point, first = self._point, self._revealed.cells
        self._settle_by_extremes()
        of_ranks = np.array([d == 0 or point.data == "same" for _, d in NETWORKS])
        refined, pending = [], [first]
        while pending:
            cells = pending.pop()
            for k, by_rank in enumerate(of_ranks):
                part = cells.of(_where(self.open[k, cells.rows].any(axis=1)))
                if len(part.rows):
                    own = columns_of(point, k)
                    groups = (_by_rank if by_rank else _by_interval)(part, own)
                    plus = self._revealed.plus[part.rows, own]
                    self._settle(k, part.rows, groups, groups.pluses, plus)
            if self._revealed.words is not None:
                return [first]
            is_open = self.open[:, cells.rows].any(axis=2)
            halve = is_open[of_ranks].any(axis=0)
            split = is_open.any(axis=0) & ~halve & cells.can_be_split
            halve &= cells.can_be_halved
            if halve.any():
                pending.append(cells.of(_where(halve)).halved(rng))
            if split.any():
                pending.append(cells.of(_where(split)).split(rng))
            refined.append(cells.of(_where(~halve & ~split)))
        return refined

    def _settle_by_extremes(self) -> None:
        """Decide what the most and the fewest pluses of any column decide."""
        cells = self._revealed.cells
        trials, m = len(cells.rows), self._point.m
        pluses = cells.pluses.sum(axis=(0, 1), dtype=cells.pluses.dtype).reshape(trials, -1, m)
        most, fewest = pluses.max(axis=2), pluses.min(axis=2)
        plus = self._revealed.plus.reshape(trials, -1, m).any(axis=2)
        whole = np.array([[0.0]]), np.array([[1.0]]), np.full((1, trials), self._point.n - 1)
        for k in range(len(NETWORKS)):
            own = [k % most.shape[1]]
            groups = Groups(*whole, most[None, :, own])
            self._settle(k, cells.rows, groups, fewest[None, :, own], plus[:, own])

    def _settle(self, k: int, rows, groups: Groups, fewest: np.ndarray, plus: np.ndarray) -> None:
        """Decide of a network of trials what bounds decide.

        groups : with the most pluses of a column, or of all columns
        fewest : the fewest, as many
        plus : whether a column, or any, has +1 at coordinate 0
        """
        kernel, dataset = NETWORKS[k]
        point, tau = self._point, self._point.tau + TIE_TOLERANCE
        low, high = (
            _weights(kernel, point, regression.entries(u, point.law)) for u in groups[:2]
        )
        special = self._special[kernel, dataset][rows]
        room = ROOM * (2 * point.n + special.max())
        excess = _excess(tau, high, low, groups.counts, groups.pluses, special, plus)
        is_open = excess > -room
        some = _where(is_open.any(axis=1))
        if low.shape[1] > 1:
            low, high = low[:, some], high[:, some]
        excess = _excess(
            tau, low, high, groups.counts[:, some], fewest[:, some], special[some], plus[some]
        )
        sure = some[(excess > room).any(axis=1)]
        self.positive[rows[sure], k] = True
        is_open[sure] = False
        self.open[k, rows] = is_open

    def complete(self, cells: Cells, completion: Completion) -> None:
        """Decide what is open of these trials by the definitions, column by column."""
        point = self._point
        step = max(COMPLETED_NUMBERS // point.n, 1)
        for dataset in (1, 0):
            networks = [k for k, network in enumerate(NETWORKS) if network.dataset == dataset]
            undecided = _where(self.open[networks][:, cells.rows].any(axis=(0, 2)))
            for first in range(0, len(undecided), step):
                part = cells.of(undecided[first : first + step])
                uniforms = completion.uniforms(self._revealed, part, dataset)
                z = regression.dataset_z(point.n, uniforms, point.law, 0 if dataset else None)
                for k in networks:
                    f = regression.normalise(regression.U[NETWORKS[k].kernel](z))
                    trial, column = np.nonzero(self.open[k, part.rows])
                    for pair in range(0, len(trial), step):
                        at, of = trial[pair : pair + step], column[pair : pair + step]
                        of = of + columns_of(point, k).start
                        y = completion.signs(self._revealed, part, at, of)
                        found = exceeds(np.einsum("kn,kn->k", f[at], y), point.tau, point.s)
                        self.positive[part.rows[at[found]], k] = True


_where = np.flatnonzero


def columns_of(point: Point, network: int) -> slice:
    """Which columns of signs one of NETWORKS reads."""
    first = 0 if point.signs == "shared" else network * point.m
    return slice(first, first + point.m)


def _chunks(
    point: Point, streams: BlockStreams, trials: int
) -> Iterator[tuple[Decisions, Revealed, list[Cells]]]:
    regression.check(point.n)
    rng = streams.generator("revelation")
    start = 0
    while start < trials:
        revealed = reveal(point, rng, start)
        decisions = Decisions(point, revealed)
        yield decisions, revealed, decisions.refine(rng)
        start += len(revealed.entry)


def reduced(model: RegressionModel, points: list[Point]) -> list[Trials]:
    """Trials at each point by bounds on what is known, and where they fail by the definitions."""
    return [partial(_by_bounds, point) for point in points]


def _by_bounds(point: Point, streams: BlockStreams, trials: int) -> np.ndarray:
    positive, completion = [], Completion(point, streams)
    for decisions, _, refined in _chunks(point, streams, trials):
        for cells in refined:
            decisions.complete(cells, completion)
        positive.append(decisions.positive)
    return np.concatenate(positive)[:trials]


def dense(model: RegressionModel, points: list[Point]) -> list[Trials]:
    """The same with all data and signs drawn, by the definitions, one trial at a time."""
    return [partial(_by_definition, point) for point in points]


def _by_definition(point: Point, streams: BlockStreams, trials: int) -> np.ndarray:
    completion, every = Completion(point, streams), np.arange(columns(point))
    positive = np.zeros((trials, len(NETWORKS)), dtype=bool)
    for _, revealed, refined in _chunks(point, streams, trials):
        for cells in refined:
            for place, row in enumerate(cells.rows.tolist()):
                trial = revealed.start + row
                if trial >= trials:
                    continue
                own = cells.of(np.array([place]))
                y = completion.signs(revealed, own, np.zeros_like(every), every).T
                for k, (kernel, dataset) in enumerate(NETWORKS):
                    (uniforms,) = completion.uniforms(revealed, own, dataset)
                    z = regression.dataset_z(point.n, uniforms, point.law, 0 if dataset else None)
                    f = regression.normalise(regression.U[kernel](z))
                    scores = f @ y[:, columns_of(point, k)]
                    positive[trial, k] = exceeds(scores, point.tau, point.s).any()
    return positive
