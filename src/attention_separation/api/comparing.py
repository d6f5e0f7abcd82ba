"""Several kernels at several n, how far each goes, and at which temperature: `compare`,
`largest_n`, `critical_temperature` and `at_temperature`.
"""

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_separation.any_attention.exact import limits
from attention_separation.any_attention.exact.kernel_check import all_sizes
from attention_separation.any_attention.exact.values import score_columns
from attention_separation.attention.kernel import Kernel, Seen
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.separation import widest_margin
from attention_separation.settings.words import shown

from .given import kernel_of, require_usable, told_apart
from .problem import (
    AttentionX,
    Model,
    data_of,
    layer_of,
    level_of,
    real_number,
    say_if_long,
    tokens_of,
)
from .separating import ranked_states, require_memory

if TYPE_CHECKING:
    import pandas as pd

Given = str | Kernel | Callable[..., Any]

SIZES = (200, 2_000, 20_000, 1_000_000)

SEARCHED = 250
"""About how many numbers a search asks for."""


def compare(
    kernels: Iterable[Given],
    n: Sequence[int] = SIZES,
    model: Model = "self_attention",
    attention_x: AttentionX = "identity",
    *,
    d: int | None = None,
    m: int | None = None,
    a0: float = 0.01,
    a1: float = 1.2,
    b: float | None = None,
    c: float | None = None,
    margin: bool = False,
) -> "pd.DataFrame":
    """What each kernel can do at each n, at its own best threshold; parameters as of `separate`.

    Returns
    -------
    pandas.DataFrame
        A row for each kernel and n: kernel, model, attention_x, n, d, m, probability, theta_low and
        theta_high (the best thresholds), share, and with `margin` the margin; no number where
        float64 does not tell it. Of kernels with the same name the second is "NAME (2)".
    """
    import pandas as pd

    layer = layer_of(model, attention_x)
    data = data_of(layer, d, m, a0, a1, b, c)
    sizes = [tokens_of(layer, data, size) for size in _several(n)]
    given = [kernel_of(each) for each in _several(kernels)]
    if margin:
        require_memory(layer.d(data.classes))
    tables = []
    for kernel, name in zip(given, told_apart([each.name for each in given]), strict=True):
        require_usable(kernel, layer, data, sizes)
        say_if_long(lambda of=kernel: score_columns(of, layer, data, sizes[:1]), len(sizes))
        scored = score_columns(kernel, layer, data, sizes)
        curves = scored.curves()
        best, low, high = (np.where(curves.resolved, of, np.nan) for of in curves.best())
        low, high = (np.where(best > 0, end, np.nan) for end in (low, high))
        columns = {
            "kernel": name, "model": layer.model, "attention_x": layer.attention_x,
            "n": sizes, "d": layer.d(data.classes), "m": scored.m, "probability": best,
            "theta_low": low, "theta_high": high, "share": scored.rows[1].share[:, 0],
        }  # fmt: skip
        if margin:
            half = np.where(best > 0, best / 2, 2.0)
            columns["margin"] = widest_margin(ranked_states(scored), half)
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)


def largest_n(
    kernel: Given,
    model: Model = "self_attention",
    attention_x: AttentionX = "identity",
    *,
    d: int | None = None,
    m: int | None = None,
    a0: float = 0.01,
    a1: float = 1.2,
    b: float | None = None,
    c: float | None = None,
    level: float | None = None,
) -> float | None:
    """The largest multiple of K up to 10^12 at which a kernel separates: at which softmax's
    probability is above 1/2, and the kernel's above half of it, each at its own best threshold.
    inf if it does there still, None if it does at none; all multiples up to 3,000 are asked, beyond
    them 20 a decade and both sides of every change of m: a gap between two of these can be missed.

    Parameters
    ----------
    level : instead, the probability that the kernel's is to be at least, whatever softmax's is
    kernel, model and all others : as of `separate`

    Raises
    ------
    ValueError, ArithmeticError
        As `separate` does, of any n up to 10^12; also where float64 does not tell whether the
        kernel separates at an n beyond the last at which it does: the text names it.
    """
    of, layer = kernel_of(kernel), layer_of(model, attention_x)
    data, level = data_of(layer, d, m, a0, a1, b, c), level_of(level)
    require_usable(of, layer, data, all_sizes(data.classes))
    some = limits.asked_sizes(data)[:1]
    say_if_long(lambda: limits.separation(of, layer, data, some, level=level), SEARCHED)
    found = limits.reach(of, layer, data, level)
    if not found.decided:
        raise ArithmeticError(
            f"{of.name}: from n = {found.undecided_from:,.0f} on float64 does not tell whether it "
            "separates"
        )
    if level is None:
        _say_where_softmax_fails(limits.reach(KERNELS["exp"], layer, data).last)
    if math.isnan(found.last):
        return None
    return found.last if math.isinf(found.last) else int(found.last)


def critical_temperature(
    n: int = 200,
    model: Model = "self_attention",
    attention_x: AttentionX = "identity",
    *,
    d: int | None = None,
    m: int | None = None,
    a0: float = 0.01,
    a1: float = 1.2,
    b: float | None = None,
    c: float | None = None,
    level: float | None = None,
) -> float | None:
    """The highest T at which e^(x / T) separates at n tokens, as `largest_n` says it; 0 where none
    from 0.001 on does, inf where 10^4 does still, and None where e^x itself, softmax, does not.
    Parameters as of `largest_n`.

    Raises
    ------
    ValueError, ArithmeticError
        As `largest_n` does.
    """
    layer, level = layer_of(model, attention_x), level_of(level)
    data = data_of(layer, d, m, a0, a1, b, c)
    sizes = [tokens_of(layer, data, n)]
    say_if_long(lambda: limits.exp_probabilities.__wrapped__(layer, data, tuple(sizes)), SEARCHED)
    found = float(limits.critical_temperatures(layer, data, sizes, level)[0])
    if math.isnan(found):
        raise ArithmeticError(
            f"at n = {sizes[0]:,} float64 does not tell at which T e^(x / T) separates"
        )
    if (
        level is None
        and limits.exp_probabilities(layer, data, tuple(sizes))[0] <= limits.LEAST_OF_EXP
    ):
        _say_where_softmax_fails(math.nan)
        return None
    return math.inf if found > limits.HOTTEST * (1 - limits.PRECISION) else found


def _say_where_softmax_fails(last: float) -> None:
    if not math.isinf(last):
        where = "here" if math.isnan(last) else f"beyond n = {last:,.0f}"
        warnings.warn(
            f"softmax itself does not separate {where}, with a probability of at most 1/2: no "
            "kernel is measured against it there; level=0.9 asks for a probability of 0.9 alone",
            stacklevel=3,
        )


def _several(values: Any) -> list:
    """A list of what was given, which may be a single one."""
    if isinstance(values, str | Kernel) or callable(values) or not isinstance(values, Iterable):
        return [values]
    found = list(values)
    if not found:
        raise ValueError("nothing to compare; allowed: at least one kernel and one n")
    return found


COLDEST, HOTTEST = 0.001, 10_000.0


def at_temperature(kernel: Given, temperature: float) -> Kernel:
    """The kernel of scores x / T: as given with X / T in place of X, so that a feature map gets
    q / sqrt(T) and k / sqrt(T). At T = 1 the kernel as it is.

    Parameters
    ----------
    kernel : as of `separate`
    temperature : T, from 0.001 to 10^4

    Raises
    ------
    ValueError
        If T is out of range.
    """
    of, t = kernel_of(kernel), real_number(temperature)
    if not COLDEST <= t <= HOTTEST:
        raise ValueError(
            f"temperature={shown(temperature)}; allowed: numbers from {COLDEST:g} to {HOTTEST:g}"
        )
    if t == 1:
        return of
    root = math.sqrt(t)

    def divided(vectors: np.ndarray | None, by: float) -> np.ndarray | None:
        return None if vectors is None else vectors / by

    def weigh(seen: Seen) -> np.ndarray:
        return of.weigh(
            replace(
                seen,
                scores=seen.scores / t,
                queries=divided(seen.queries, root),
                keys=divided(seen.keys, root),
            )
        )

    weigh.divides = of
    return replace(of, name=f"{of.name} at T={t:g}", symbol=f"{of.symbol}, x/{t:g}", weigh=weigh)
