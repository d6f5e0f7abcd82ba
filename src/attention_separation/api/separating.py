"""What one network alone can do, `separate`, and one among others: `success`."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..any_attention.values import PARTS, Scored, score_columns
from ..attention import separation
from ..attention.kernel import Kernel
from ..attention.sign_columns import StateScores, binomial_half_pmf, none_of, stack_networks
from ..attention.threshold_curves import ThresholdCurve, ThresholdCurves, threshold_curves
from ..looks.literal_text import literal_text
from ..messages.extras import how_to_install
from ..messages.number_check import number
from ..messages.question import question
from ..messages.words import short_repr
from . import validation
from .build import Given, kernel_of, require_usable, unique_names
from .notebook import Answer, picture_to_open

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

QUERIES = ("special", "same class", "other class")
"""Types of queries; in cross-attention the special one and all others."""


@dataclass(frozen=True, repr=False)
class Separation(Answer):
    """What a kernel's network alone can do; all exact.

    Attributes
    ----------
    kernel, model, attention_x, n, d, m : what was asked
    probability : that it is positive on D1 and zero on D0, over the signs and the special tokens
    theta : the threshold that was asked for, or the ends of the widest interval of best ones, in
        units of sqrt(log n); None where none of them tells anything
    gap : the gap 2 eps that was asked for, in units of sqrt(log n)
    share : of the special token in its own row, on D1
    scored : the distinct rows and the scores of a sign column's states that it came from
    """

    kernel: str
    model: str
    attention_x: str
    n: int
    d: int
    m: int
    probability: float
    theta: float | tuple[float, float] | None
    gap: float
    share: float
    scored: Scored = field(repr=False, compare=False)

    def _repr_html_(self) -> str:
        return super()._repr_html_() + picture_to_open(self.plot)

    @property
    def _answer(self) -> str:
        return f"{self.kernel}: P = {self.probability:.6g}"

    @cached_property
    @question
    def margin(self) -> float | None:
        """The largest gap between the scores of D0 and D1 that leaves half of the best probability,
        in units of sqrt(log n); None where the best probability is 0, or no gap leaves half of it.

        A gap is 2 eps: for some threshold theta a score on D1 is above theta + eps, and all on D0
        are at most theta - eps. The largest is a supremum. It needs more memory than the rest.

        Raises
        ------
        MemoryError
            If it would take more than 2 GiB.
        ArithmeticError
            If float64 does not tell its scores apart.
        """
        separation.require_memory(self.d)
        ranked = self._ranked()
        best_probabilities, *_ = self._curves.best()
        best = float(best_probabilities[0])
        if not best > 0:
            return None
        # One point, one probability.
        margins = separation.widest_margins(ranked, np.array([[best / 2]]))
        margin = float(margins[0, 0])
        return None if math.isnan(margin) else margin

    @property
    @question
    def probability_after_signs(self) -> float:
        """The probability of separation if one threshold above 0, for all neurons, is chosen after
        the signs are drawn, for each draw anew: that D1's largest score is above 0 and above D0's
        largest. ArithmeticError as of `margin`."""
        return float(separation.probability_after_signs(self._ranked())[0])

    @property
    @question
    def probability_each_bias(self) -> float:
        """The probability of separation if each neuron has a bias of its own, of either sign,
        chosen after the signs are drawn: that some neuron's largest score on D1 is above its
        largest on D0. ArithmeticError as of `margin`."""
        return float(separation.probability_each_bias(self._ranked())[0])

    @cached_property
    def _curves(self) -> ThresholdCurves:
        return self.scored.curves()

    def _ranked(self) -> separation.Ranked:
        """The states of a sign column in the order of their scores; ArithmeticError where float64
        does not tell the order."""
        _require_resolved(self.kernel, self.n, self._curves)
        return self.scored.ranked()

    @property
    @question
    def rows(self) -> "pd.DataFrame":
        """The distinct rows that it came from: what y_1, the marked class's sign, the own class's,
        each further class's and y_d count, and the special token's share, by dataset and query."""
        import pandas as pd

        lines = []
        for dataset, rows in enumerate(self.scored.rows):
            last = None
            if rows.last is not None:
                last = np.broadcast_to(rows.last[0], rows.first[0].shape)
            count = rows.first.shape[1]
            names = QUERIES if count > 2 else ("special", "all others")
            for k in range(count):
                line: dict[str, Any] = {"dataset": f"D{dataset}", "query": names[k]}
                line |= {name: float(getattr(rows, name)[0, k]) for name in PARTS}
                line["last"] = None if last is None else float(last[k])
                line["share"] = float(rows.share[0, k])
                lines.append(line)
        return pd.DataFrame(lines)

    @property
    @question
    def curve(self) -> ThresholdCurve:
        """The probability against the threshold: a step function, in units of sqrt(log n)."""
        return self._curves.curve(0)

    @question
    def plot(self, axes: "Axes | None" = None) -> "Axes":
        """Draw the probability against the threshold, the best ones marked; needs matplotlib."""
        axes = axes_to_draw_in(axes)
        curve = self.curve
        name = literal_text(self.kernel)
        axes.stairs(curve.probability, curve.edges, baseline=None, label=name)
        if isinstance(self.theta, tuple):
            axes.axvspan(*self.theta, alpha=0.2, linewidth=0)
        elif self.theta is not None:
            axes.axvline(self.theta, linestyle=":")
        axes.set(
            xlim=(0, curve.edges[-2] * 1.05),
            ylim=(0, 1.02),
            xlabel="threshold θ / √log n",
            ylabel="P(separates D1 from D0)",
            title=f"{name}, n = {self.n:,}",
        )
        return axes


@question
def separate(
    kernel: "str | Kernel | Callable[..., Any]",
    model: validation.Model = "self_attention",
    attention_x: validation.AttentionX = "identity",
    n: int = 200,
    *,
    d: int | None = None,
    m: int | None = None,
    a0: float = 0.01,
    a1: float = 1.2,
    b: float | None = None,
    c: float | None = None,
    theta: validation.Theta = "best",
    margin: float | None = 0.0,
    split: validation.Split = 1.0,
) -> Separation:
    """The exact probability that a kernel's network alone separates D1 from D0.

    Parameters
    ----------
    kernel : a name, a formula in x, a function of scores, `features(phi)`, `pair(phi, psi)` or
        `rows(function)`
    model, attention_x : the layer; X is the identity or all ones (self-attention alone)
    n : number of tokens, a multiple of the number of classes K, to 10^12
    d : dimension, K + 2 in self- and K + 1 in cross-attention; 22 and 21 if not given
    m : sign columns; max(floor(log(n / 0.01)), 15) if not given
    a0, a1, b, c : sizes of the tokens' entries; b and c, 0.2 and 0.8 if not given, are
        self-attention's alone
    theta : "best" for the kernel's own best threshold, "paper" for that of the first paper's
        figures (c + 0.1; 0.9 in cross-attention), or a number in units of sqrt(log n)
    margin : a gap 2 eps >= 0, in units of sqrt(log n): scores are to be at most theta - eps on D0
        and one above theta + eps on D1; None is none. What `Separation.margin` gives leaves half of
        the best probability
    split : how X = Q K^T is split, which kernels of vectors alone depend on. A number alpha is
        Q = alpha Q_1 and K = K_1 / alpha, where Q_1 = K_1 = I for X = I, and 1 1^T / sqrt d for X
        all ones, for which "one_coordinate" is Q = K = (1 ... 1)^T, (d, 1)

    Raises
    ------
    ValueError
        If something is not of its kind or out of range, or n does not stack.
    ArithmeticError
        If the kernel has no weights, is not of the kind that is exact here, or float64 does not
        tell its scores apart.
    """
    usable = kernel_of(kernel)
    layer, data = validation.setting_of(
        model, attention_x, d=d, m=m, a0=a0, a1=a1, b=b, c=c, split=split
    )
    n = validation.tokens_of(layer, data, n)
    gap = 0.0
    if margin is not None:
        allowed = "numbers from 0, or None for no gap"
        gap = number("margin", margin, allowed, lambda x: 0 <= x < math.inf)
    threshold = validation.theta_of(theta, layer, data)
    require_usable(usable, layer, data, [n])
    scored = score_columns(usable, layer, data, [n])
    curves = scored.curves()
    reported: float | tuple[float, float] | None = threshold
    if threshold is not None:
        probability = float(curves.at(np.array([[threshold]]), gap)[0, 0])
    else:
        _require_resolved(usable.name, n, curves)
        if gap:
            separation.require_memory(layer.d(data.classes))
            probability, low, high = separation.best_with_gap(scored.ranked(), gap)
        else:
            probability, low, high = _best(curves)
        reported = (low, high) if probability > 0 else None
    return Separation(
        kernel=usable.name,
        model=layer.model,
        attention_x=layer.attention_x,
        n=n,
        d=layer.d(data.classes),
        m=int(scored.m[0]),
        probability=probability,
        theta=reported,
        gap=gap,
        share=float(scored.rows[1].share[0, 0]),
        scored=scored,
    )


def _best(curves: ThresholdCurves) -> tuple[float, float, float]:
    """The best probability of a curve of one point, and the ends of its widest interval of
    thresholds."""
    probability, low, high = curves.best()
    return float(probability[0]), float(low[0]), float(high[0])


def _require_resolved(name: str, n: int, curves: ThresholdCurves) -> None:
    """Raise ArithmeticError where float64 does not tell what depends on the order of scores."""
    if not curves.resolved[0]:
        raise ArithmeticError(
            f"{name}: at n = {n:,} float64 does not tell its scores on D0 from those on D1"
        )


def axes_to_draw_in(axes: "Axes | None") -> "Axes":
    """The given axes, or those of a new picture; ValueError if they are none of matplotlib's, which
    is needed here alone."""
    try:
        from matplotlib import pyplot
        from matplotlib.axes import Axes
    except ImportError as error:
        raise ImportError(
            f"pictures need matplotlib, which is not installed; {how_to_install('plot')}"
        ) from error
    if axes is None:
        return pyplot.subplots()[1]
    if not isinstance(axes, Axes):
        raise ValueError(f"axes={short_repr(axes)}; allowed: axes of matplotlib, or None")
    return axes


PAPERS_CONTEST = {"fires": "exp", "silent": ["linear"]}
"""The first paper's contest."""


@dataclass(frozen=True, repr=False)
class Success(Answer):
    """How a contest ends; all exact.

    Attributes
    ----------
    probability : of success: the kernel that fires is positive on D1 and zero on D0, and all others
        are zero on both, at one threshold for all
    theta : that threshold, or the ends of the widest interval of best ones, in units of
        sqrt(log n)
    events : the probability of each network's event alone, by its words; at the middle of the best
        thresholds where these are asked for
    """

    fires: str
    silent: tuple[str, ...]
    model: str
    attention_x: str
    n: int
    d: int
    m: int
    probability: float
    theta: float | tuple[float, float]
    events: dict[str, float]

    @property
    def _answer(self) -> str:
        """The kernels of the contest and the probability that it succeeds, in words."""
        return f"{self.fires} fires, {', '.join(self.silent)} silent: P = {self.probability:.6g}"


@question
def success(
    contest: "Mapping[str, Given | Sequence[Given]]" = PAPERS_CONTEST,
    model: validation.Model = "self_attention",
    attention_x: validation.AttentionX = "identity",
    n: int = 200,
    *,
    theta: validation.Theta = "paper",
    **options: Unpack[validation.Options],
) -> Success:
    """The exact probability that a contest succeeds; the paper's if none is given. Other parameters
    as of `separate`.

    Parameters
    ----------
    contest : {"fires": kernel, "silent": [kernels]}, kernels as of `separate`
    theta : the threshold that all share: "paper", "best" or a number in units of sqrt(log n)
    """
    if not isinstance(contest, Mapping) or contest.keys() != {"fires", "silent"}:
        raise ValueError(
            f"contest={short_repr(contest)}; allowed: {{'fires': kernel, 'silent': [kernels]}}"
        )
    fires: Any = contest["fires"]
    silent: Any = contest["silent"]
    silent_kernels = list(silent) if isinstance(silent, list | tuple) else [silent]
    kernels = [kernel_of(kernel) for kernel in (fires, *silent_kernels)]
    if len({*kernels}) < len(kernels):
        words = ", ".join(kernel.name for kernel in kernels)
        raise ValueError(f"contest of {words}; allowed: each kernel once")
    names = unique_names([kernel.name for kernel in kernels])
    layer, data = validation.setting_of(model, attention_x, **options)
    n = validation.tokens_of(layer, data, n)
    threshold = validation.theta_of(theta, layer, data)
    for kernel in kernels:
        require_usable(kernel, layer, data, [n])
    scored = [score_columns(kernel, layer, data, [n]) for kernel in kernels]
    columns = scored[0].m
    s = scored[0].s
    d0 = stack_networks([of_kernel.d0 for of_kernel in scored])
    d1 = stack_networks([of_kernel.d1 for of_kernel in scored])
    curves = threshold_curves(d0, d1, columns, s, scored[0].n, "independent")
    reported: float | tuple[float, float]
    if threshold is None:
        if not curves.resolved[0]:
            raise ArithmeticError(f"at n = {n:,} float64 does not tell the networks' scores apart")
        probability, low, high = _best(curves)
        threshold = float(curves.best_thresholds()[0])
        reported = (low, high)
    else:
        probability = float(curves.at(np.array([[threshold]]))[0, 0])
        reported = threshold
    m = int(columns[0])
    tau = threshold * float(s[0])
    events = {f"{names[0]} > 0 on D1": 1 - _silent(d1[0, 0], m, tau)}
    for k, name in enumerate(names[1:], start=1):
        events[f"{name} = 0 on D1"] = _silent(d1[0, k], m, tau)
    for k, name in enumerate(names):
        events[f"{name} = 0 on D0"] = _silent(d0[0, k], m, tau)
    return Success(
        fires=names[0],
        silent=tuple(names[1:]),
        model=layer.model,
        attention_x=layer.attention_x,
        n=n,
        d=layer.d(data.classes),
        m=m,
        probability=probability,
        theta=reported,
        events=events,
    )


def _silent(states: StateScores, m: int, tau: float) -> float:
    """The probability that none of m sign columns has a score that exceeds tau."""
    flags = states.exceed(tau)
    weights = binomial_half_pmf(flags.shape[-1] - 1) / np.prod(flags.shape[:3])
    exceeding = flags.sum(axis=(0, 1, 2)) @ weights
    return float(none_of(exceeding, m))
