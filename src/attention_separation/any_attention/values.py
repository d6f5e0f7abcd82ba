"""What one network alone can do, for any kernel: probabilities, margins, and the share of the
special token."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..attention import separation
from ..attention.distinct_rows import Rows, distinct_rows
from ..attention.kernel import VANISHING, Kernel
from ..attention.sign_columns import NARROWEST, StateScores, largest_scores
from ..attention.threshold_curves import ThresholdCurves, threshold_curves
from ..datasets.dataset import Data
from ..messages.progress import Progress
from .layers import Layer, token_types

PARTS = ("first", "marked", "own", "rest")
"""Weights of `Rows`."""


@dataclass(frozen=True)
class Separation:
    """What a kernel's network alone can do at P numbers of tokens, each (P,); where scores are not
    resolved by float64, the other numbers mean nothing."""

    p_best: np.ndarray  # P(it separates D1 from D0) with its own best threshold, for all signs
    # Ends of the widest interval of best ones, in units of s; NaN where none tells anything.
    theta_low: np.ndarray
    theta_high: np.ndarray
    p_paper: np.ndarray  # with the threshold of the paper's points
    p_after_y: np.ndarray  # with one threshold for all neurons, chosen after the signs
    p_each_bias: np.ndarray  # with a bias for each neuron, chosen after the signs
    margin: np.ndarray  # largest 2 eps, in units of s, where half of `p_best` is left; NaN: none
    margin_of_exp: np.ndarray  # that where half of exp's `p_best` is left; NaN: not reached
    share: np.ndarray  # of the special token in its own row, D1
    resolved: np.ndarray


@dataclass(frozen=True)
class Scored:
    """Rows of D0 and D1 and the largest scores of a column's states at P numbers of tokens."""

    rows: tuple[Rows, Rows]
    d0: StateScores
    d1: StateScores
    m: np.ndarray
    s: np.ndarray
    n: np.ndarray

    def curves(self) -> ThresholdCurves:
        """The curve of each point against the threshold: the probability that the network alone
        separates D1 from D0."""
        curves = threshold_curves(
            self.d0[:, None], self.d1[:, None], self.m, self.s, self.n, "independent"
        )
        return replace(curves, resolved=curves.resolved & self.tells_rows_apart())

    def best_probabilities(self) -> np.ndarray:
        """P at the best threshold of each point, (P,); NaN where float64 does not tell it."""
        curves = self.curves()
        return np.where(curves.resolved, curves.best().probability, np.nan)

    def probability_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest that P at the best threshold may be, (P,) each: P itself where
        float64 tells it. Elsewhere scores may be off by NARROWEST of the largest size of their
        dataset's rows, and P grows with scores on D1 and falls with those on D0."""
        best = self.best_probabilities()
        unknown = np.isnan(best)
        if not unknown.any():
            return best, best
        rows_on_d0, rows_on_d1 = self.rows
        error_on_d0 = NARROWEST * rows_on_d0.rounded[unknown].max(axis=1)
        error_on_d1 = NARROWEST * rows_on_d1.rounded[unknown].max(axis=1)
        least = best.copy()
        least[unknown] = self._best_if_off(unknown, error_on_d0, -error_on_d1)
        most = best.copy()
        most[unknown] = self._best_if_off(unknown, -error_on_d0, error_on_d1)
        return least, most

    def _best_if_off(self, points: np.ndarray, on_d0: np.ndarray, on_d1: np.ndarray) -> np.ndarray:
        """P at the best threshold of some points, (P,), if their scores on D0 and on D1 were off by
        these errors, however close they are."""
        d0 = self.d0[points].off_by(on_d0)
        d1 = self.d1[points].off_by(on_d1)
        curves = threshold_curves(
            d0[:, None],
            d1[:, None],
            self.m[points],
            self.s[points],
            self.n[points],
            "independent",
        )
        return curves.probability.max(axis=1)

    def ranked(self) -> separation.Ranked:
        """The states of a sign column, their scores replaced by ranks."""
        return separation.rank_states(self.d0, self.d1, self.m, self.s)

    def tells_rows_apart(self) -> np.ndarray:
        """Whether the special rows of D0 and D1 are equal, or differ by more than float64 can tell
        of their sizes, (P,). They are not known to be equal where a weight vanishes."""
        d0, d1 = self.rows
        gaps = [np.abs(getattr(d1, part)[:, 0] - getattr(d0, part)[:, 0]) for part in PARTS]
        gap = np.max(gaps, axis=0)
        rounded = np.maximum(d0.rounded[:, 0], d1.rounded[:, 0])
        weights = np.stack([d0.weights[:, 0], d1.weights[:, 0]])
        vanishes = ((weights > 0) & (weights <= VANISHING)).any(axis=(0, 2))
        is_equal = (gap == 0) & ~vanishes
        return is_equal | (gap > NARROWEST * rounded)


def score_columns(
    kernel: Kernel, layer: Layer, data: Data, n: Sequence[int], weight: np.ndarray | float = 0.0
) -> Scored:
    """The scores of a sign column of a kernel's network on D0 and D1, with the chance of each
    state, at numbers of tokens n and weights g of X.

    ValueError if n tokens do not stack, ArithmeticError if the kernel's weights are no finite
    numbers, cannot be normalised, or tell classes apart.
    """
    return score_rows(_rows_of_both(kernel, layer, data, n, weight), data, n)


MOST_STATES = 1 << 22
"""Of sign columns, of all points that are worked on at once."""


def batches(data: Data, points: int) -> list[slice]:
    """So many points as slices, each of so few that the states of their columns, 8 K a point, take
    some hundred MiB."""
    size = max(MOST_STATES // (8 * data.classes), 1)
    return [slice(start, start + size) for start in range(0, max(points, 1), size)]


def _scored_in_batches(
    kernel: Kernel, layer: Layer, data: Data, n: Sequence[int], weight: np.ndarray | float
) -> Iterator[Scored]:
    """What `score_columns` gives, for one batch of numbers of tokens after another, with a line of
    progress."""
    rows_on_d0, rows_on_d1 = _rows_of_both(kernel, layer, data, n, weight)
    progress = Progress(kernel.name, len(n), "numbers of tokens")
    for part in batches(data, len(n)):
        rows = (rows_on_d0.of_points(part), rows_on_d1.of_points(part))
        yield score_rows(rows, data, n[part])
        progress.advance(len(n[part]))


def best_probabilities(
    kernel: Kernel, layer: Layer, data: Data, n: Sequence[int], weight: np.ndarray | float = 0.0
) -> np.ndarray:
    """P at the kernel's best threshold, at each n, (P,); NaN where float64 does not tell it."""
    parts = _scored_in_batches(kernel, layer, data, n, weight)
    return np.concatenate([scored.best_probabilities() for scored in parts])


def _rows_of_both(
    kernel: Kernel, layer: Layer, data: Data, n: Sequence[int], weight: np.ndarray | float
) -> tuple[Rows, Rows]:
    """The distinct rows of a kernel on D0 and on D1, at numbers of tokens n and weights g of X."""
    types_on_d0, types_on_d1 = token_types(layer, data, n, weight)
    return distinct_rows(types_on_d0, kernel), distinct_rows(types_on_d1, kernel)


def score_rows(rows: tuple[Rows, Rows], data: Data, n: Sequence[int]) -> Scored:
    """The scores of all states of a sign column, from the rows of D0 and D1 at numbers of tokens
    n."""
    rows_on_d0, rows_on_d1 = rows
    sizes = np.array(n)
    return Scored(
        rows,
        d0=largest_scores(rows_on_d0),
        d1=largest_scores(rows_on_d1),
        m=np.array([data.m(size) for size in n]),
        s=np.sqrt(np.log(sizes)),
        n=sizes,
    )


def probability_bounds(
    kernel: Kernel, layer: Layer, data: Data, n: Sequence[int], weight: np.ndarray | float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest that P at the kernel's best threshold may be, at each n, (P,) each:
    P itself where float64 tells it."""
    least = []
    most = []
    for scored in _scored_in_batches(kernel, layer, data, n, weight):
        least_of_part, most_of_part = scored.probability_bounds()
        least.append(least_of_part)
        most.append(most_of_part)
    return np.concatenate(least), np.concatenate(most)


def separate(
    kernel: Kernel, layer: Layer, data: Data, n: Sequence[int], of_exp: np.ndarray | None = None
) -> Separation:
    """The probabilities, thresholds and margins of a kernel at each n. `of_exp` (P,) is exp's
    `p_best`, without which there is no `margin_of_exp`."""
    scored = score_columns(kernel, layer, data, n)
    curves = scored.curves()
    best = curves.best()
    ranked = scored.ranked()
    is_above_0 = best.probability > 0
    # A probability of 2 is never reached: of what float64 does not tell from 0 there is no half.
    target = np.where(is_above_0, best.probability / 2, 2.0)
    if of_exp is None:
        target_of_exp = np.full(target.shape, 2.0)
    else:
        target_of_exp = of_exp / 2
    targets = np.stack([target, target_of_exp], axis=1)
    margin, margin_of_exp = separation.widest_margins(ranked, targets).T
    theta = np.full((len(scored.n), 1), layer.theta(data))
    return Separation(
        p_best=best.probability,
        # No threshold is the best of those that tell nothing.
        theta_low=np.where(is_above_0, best.low, np.nan),
        theta_high=np.where(is_above_0, best.high, np.nan),
        p_paper=curves.at(theta)[:, 0],
        p_after_y=separation.probability_after_signs(ranked),
        p_each_bias=separation.probability_each_bias(ranked),
        margin=margin,
        margin_of_exp=margin_of_exp,
        share=scored.rows[1].share[:, 0],
        resolved=curves.resolved,
    )
