"""The choices that the paper's text leaves open: each alternative, as a change of a panel's points.

Every choice has the default that config.yaml takes and its alternatives. An alternative touches the
panels whose points it changes; `apply` gives those points with it, in the same order, and None in
place of a point that it does not allow.

A *panel* is a figure's part with one swept parameter, its *points* the parameters' values there.
tau is a network's threshold, theta = tau / sqrt(log n), and m the number of sign columns.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...attention.sign_columns import TIE_TOLERANCE
from ...settings.strict_model import Range, grid_values
from ..softmax_vs_linear.models.attention import (
    CROSS_ATTENTION_MODEL,
    IN_A1_ALONE,
    IN_BOTH,
    SELF_ATTENTION_MODEL,
    with_common_score,
)
from ..softmax_vs_linear.models.model import AttentionModel, Model, MRule, Point
from ..softmax_vs_linear.models.regression import REGRESSION
from ..softmax_vs_linear.settings.panels import Panel
from ..softmax_vs_linear.simulation.random_values import Values, orthogonal, scaled_signs

Apply = Callable[[Panel, list[Point]], list[Point | None] | None]
"""A panel and its points -> the points with the alternative; None where it says nothing."""


@dataclass(frozen=True)
class Alternative:
    """One other reading.

    `apply` is None for one that leaves no success rate to compute: `expected_change` bounds what it
    changes, on average over what is then fixed, given the P(E_success) of the default. `model` has
    other datasets, `values` a random V: it is simulated, at one point of a panel. `note` says why
    it touches no panel, if it touches none.
    """

    name: str
    apply: Apply | None
    expected_change: Callable[[np.ndarray], np.ndarray] | None = None
    model: AttentionModel | None = None
    values: Values | None = None
    note: str = ""


@dataclass(frozen=True)
class Choice:
    """A choice, what this reproduction takes, and what else it could be.

    `note` says how alternatives are measured; without them, why there is nothing to measure.
    """

    name: str
    default: str
    alternatives: tuple[Alternative, ...] = ()
    note: str = ""


def _pointwise(touches: Callable[[Panel], bool], change: Callable[[Point], Point | None]) -> Apply:
    """The `apply` of an alternative that changes each point on its own, in the panels of which
    `touches` is true."""

    def apply(panel: Panel, points: list[Point]) -> list[Point | None] | None:
        if not touches(panel):
            return None
        return [change(point) for point in points]

    return apply


def _replacing(model: Model | None = None, **values: Any) -> Apply:
    """The `apply` that sets some parameters to other values at every point, in the panels, of one
    model if it is given, that hold such a parameter fixed."""

    def apply(panel: Panel, points: list[Point]) -> list[Point | None] | None:
        if model is not None and model.name != panel.model:
            return None
        changed: list[Point | None] = [replace(point, **values) for point in points]
        holds_one_fixed = not panel.fixed.keys().isdisjoint(values)
        return changed if holds_one_fixed and changed != points else None

    return apply


def _other_theta(model: Model, theta: float) -> Apply:
    """The `apply` that sets theta (in softmax regression, tau) in a model's panels that do not
    sweep the threshold."""
    return _pointwise(
        lambda panel: panel.model == model.name and not {"theta", "tau"} & panel.sweep.keys(),
        lambda point: replace(point, theta=theta),
    )


def _theta_over_c(attention_x: str, over: float) -> Apply:
    """The `apply` that sets theta = c + `over` in the panels of self-attention with this X."""

    def touches(panel: Panel) -> bool:
        if panel.model != SELF_ATTENTION_MODEL.name or "theta" in panel.sweep:
            return False
        return panel.fixed.get("attention_x") == attention_x

    return _pointwise(touches, lambda point: replace(point, theta=point.c + over))


def _is_of_cross_attention(panel: Panel) -> bool:
    return panel.model == CROSS_ATTENTION_MODEL.name


def _other_data(scale: Callable[[Point], float] = lambda point: 1.0) -> Apply:
    """The `apply` of other datasets of cross-attention: the points stay, but theta is multiplied by
    `scale` of the point."""
    return _pointwise(
        _is_of_cross_attention, lambda point: replace(point, theta=point.theta * scale(point))
    )


def _larger_dimension(held: int | None) -> Apply:
    """The `apply` that takes d + 1 for d in the panels of cross-attention that hold d = `held`
    fixed, or that sweep d if `held` is None."""

    def touches(panel: Panel) -> bool:
        return _is_of_cross_attention(panel) and panel.fixed.get("d") == held

    return _pointwise(touches, _with_next_dimension)


def _with_next_dimension(point: Point) -> Point | None:
    """The point with d + 1, as self-attention has it; None unless d divides n."""
    return replace(point, d=point.d + 1) if point.n % point.d == 0 else None


def _m_rule(log_of: str, /, delta: float | None = None, **values: Any) -> Apply:
    """The `apply` that computes m by another rule, in the panels whose rule takes the logarithm of
    `log_of`, "n" or "n/delta": the same rule with other `values`, and another delta if given."""

    def apply(panel: Panel, points: list[Point]) -> list[Point | None] | None:
        rule = panel.fixed.get("m")
        if not isinstance(rule, MRule) or rule.log_of != log_of:
            return None
        changed = rule.model_copy(update=values)
        return [replace(point, m=changed.m(point.n, delta or point.delta)) for point in points]

    return apply


def _range_of(panel: Panel) -> Range | None:
    """The range, from start to end by a step, that is a panel's whole grid; None if its grid is
    another."""
    grids = [*panel.sweep.values()]
    if len(grids) == 1 and isinstance(grids[0], Range):
        return grids[0]
    return None


def _evenly_spaced(panel: Panel, points: list[Point]) -> list[Point | None] | None:
    """The points with as many values of the swept parameter, spread evenly from the first to the
    written upper end; None where the panel's steps hit that end."""
    grid = _range_of(panel)
    if grid is None or grid_values(grid)[-1] == grid.to:
        return None
    values = np.linspace(grid.start, grid.to, len(grid_values(grid))).tolist()
    (name,) = panel.sweep
    return [*panel.with_more(sweep={name: values}).points()]


def _without_end(panel: Panel, points: list[Point]) -> list[Point | None] | None:
    """The points without the last one; None where the panel's steps do not hit the upper end."""
    grid = _range_of(panel)
    if grid is None or points[-1].swept[0] != grid.to:
        return None
    return [*points[:-1], None]


def _first_point_of_a0(panel: Panel, points: list[Point]) -> list[Point | None] | None:
    """The first point alone of a panel that sweeps a0, where all else has the paper's defaults;
    None for other panels, and where V, which is simulated, would be large."""
    first, *others = points
    if "a0" not in panel.sweep or max(first.d, first.m) > 100:
        return None
    return [first, *[None] * len(others)]


def _ties_above(panel: Panel, points: list[Point]) -> list[Point | None] | None:
    """The points with thresholds so little smaller that a score equal to tau counts as above it;
    None in softmax regression, where that has probability 0."""
    if panel.model == REGRESSION.name:  # unequal weights: a tie has probability 0
        return None
    return [replace(point, theta=point.theta - _tie_width(point)) for point in points]


def _tie_width(point: Point) -> float:
    """A little more, in units of s = sqrt(log n), than the distance from tau within which a score
    counts as equal to it.

    That distance is relative to the score's size, which is at most that of the special token's
    entries, since a row's weights sum to 1; they are 1 in cross-attention.
    """
    others = 1.0 if point.b is None or point.c is None else point.b + point.c
    return TIE_TOLERANCE * (1 + max(point.a0, point.a1, 1.0) + others)


B_FOLLOWS_C = _pointwise(
    lambda panel: "c" in panel.sweep, lambda point: replace(point, b=1 - point.c)
)
NO_STACK = "d − 1 divides n at no point: the identities do not stack"

ALTERNATIVES = (
    Choice(
        "base of the logarithm, where m is computed from it",
        "natural",
        (
            Alternative("log2, m = log n", _m_rule("n", base=2)),
            Alternative("log10, m = log n", _m_rule("n", base=10)),
            Alternative("log2, m from log(n/δ)", _m_rule("n/delta", base=2)),
            Alternative("log10, m from log(n/δ)", _m_rule("n/delta", base=10)),
        ),
    ),
    Choice(
        "m = log n as a whole number",
        "rounded down",
        (
            Alternative("to the nearest", _m_rule("n", round="nearest")),
            Alternative("rounded up", _m_rule("n", round="ceil")),
            Alternative("⌊log(n/δ)⌋, δ = 0.01", _m_rule("n", log_of="n/delta", delta=0.01)),
            *(
                Alternative(
                    f"⌊{times:g} log(n/δ)⌋, δ = 0.01",
                    _m_rule("n", log_of="n/delta", delta=0.01, times=times),
                )
                for times in (2.0, 4.0, 8.0)  # C of Definition 3.7
            ),
        ),
    ),
    Choice(
        "m = max{log(n/δ), 15} as a whole number",
        "rounded down",
        (
            Alternative("rounded up", _m_rule("n/delta", round="ceil")),
            Alternative("without the 15", _m_rule("n/delta", at_least=1)),
        ),
    ),
    Choice(
        "τ of softmax regression",
        "1/4",
        tuple(
            Alternative(f"{tau:g}", _other_theta(REGRESSION, tau))
            for tau in (0.15, 0.2, 0.3, 0.4, 0.5, 0.9)
        ),
    ),
    Choice(
        "τ of self-attention, X the identity",
        "(c + 0.1) √log n",
        tuple(
            Alternative(f"(c + {over:g}) √log n", _theta_over_c("identity", over))
            for over in (0.05, 0.08, 0.12, 0.15, 0.2, 0.4)
        ),
    ),
    Choice(
        "τ of self-attention, X all ones",
        "(c + 0.1) √log n",
        note="Theorem 6.2 gives it.",
    ),
    Choice(
        "τ of cross-attention",
        "0.9 √log n",
        tuple(
            Alternative(f"{theta:g} √log n", _other_theta(CROSS_ATTENTION_MODEL, theta))
            for theta in (0.5, 0.7, 1.0, 1.2)
        ),
    ),
    Choice(
        "law of Ax within [log n, 1.4 log n]",
        "independent, uniform",
        (
            Alternative("all log n", _replacing(law="low")),
            Alternative("all 1.2 log n", _replacing(law="middle")),
            Alternative("all 1.4 log n", _replacing(law="high")),
            Alternative("log n or 1.4 log n", _replacing(law="two-point")),
        ),
    ),
    Choice(
        "data of D0 and D1 in softmax regression",
        "independent draws",
        (Alternative("one draw, one coordinate replaced", _replacing(REGRESSION, data="same")),),
    ),
    Choice(
        "shape of y", "n x m; d x m with attention", note="No other shape fits the definitions."
    ),
    Choice(
        "y of the four networks of a trial",
        "shared",
        (Alternative("a fresh y for each", _replacing(signs="fresh")),),
    ),
    Choice(
        "y redrawn for each trial",
        "yes",
        # Given y a trial succeeds with some probability q of mean p: E|q - p| <= 2 p (1 - p).
        (Alternative("one y for all trials", None, lambda p: 2 * p * (1 - p)),),
    ),
    Choice(
        "special indices of D0 and D1",
        "uniform, independent",
        (
            Alternative(
                "the same in both, self-attention", _replacing(SELF_ATTENTION_MODEL, data="same")
            ),
            Alternative(
                "the same in both, cross-attention", _replacing(CROSS_ATTENTION_MODEL, data="same")
            ),
        ),
    ),
    Choice(
        "entries of the datasets of cross-attention",
        "A1: a √log n and √log n; A2: √log n",
        (
            Alternative("a √log n in A1 and in A2", _other_data(), model=IN_BOTH),
            Alternative(
                "log n in A1, 0 and 1 in A2, τ as it is",
                lambda panel, points: None,
                note="not measured: no score exceeds 2, as 0.9 √log n does from n = 140 on",
            ),
            Alternative(
                "log n in A1, 0 and 1 in A2, τ/√log n for τ",
                _other_data(lambda point: 1 / point.s),
                model=IN_A1_ALONE,
            ),
        ),
    ),
    Choice(
        "common value of the scores of cross-attention",
        "log n",
        tuple(
            Alternative(f"{v:g} log n", _other_data(), model=with_common_score(v))
            for v in (0.1, 0.5, 2.0)
        ),
    ),
    Choice(
        "d of cross-attention",
        "11; 3, 5, 9, …; 21",
        (
            Alternative("12 for 11", _larger_dimension(11), note=NO_STACK),
            Alternative("4, 6, 10, … for 3, 5, 9, …", _larger_dimension(None), note=NO_STACK),
            Alternative("22 for 21", _larger_dimension(21), note=NO_STACK),
        ),
    ),
    Choice(
        "which special index of cross-attention is whose",
        "j2 in A1, j3 in A2",
        note="Both are taken as uniform and independent: exchanged, they have the same law.",
    ),
    Choice(
        "a0 and a1 of cross-attention",
        "0.01, 1.2",
        note="As in self-attention; panels d and e sweep them.",
    ),
    Choice(
        "V",  # never set in the texts; the bounds that survive fit the identity
        "the identity; a signed permutation gives the same",
        (
            Alternative("random orthogonal", _first_point_of_a0, values=orthogonal),
            Alternative("random signs / √d", _first_point_of_a0, values=scaled_signs),
        ),
        note="simulated at the first point; given y, a score has mean 0 and variance |c|²",
    ),
    Choice("b where c is swept", "0.2", (Alternative("1 − c", B_FOLLOWS_C),)),
    Choice(
        "a0 where a0 is swept",
        "the swept value",
        note="The text also lists a fixed 0.01, which a sweep cannot have.",
    ),
    Choice(
        "grids",
        "steps up to the written end, included when hit",
        (
            Alternative("the upper end left out", _without_end),
            Alternative("as many values, evenly up to the written end", _evenly_spaced),
        ),
    ),
    Choice(
        "a score that equals τ",
        "is not above it",
        (Alternative("is above it", _ties_above),),
    ),
)
"""The choices, in the order in which the paper's text meets them."""
