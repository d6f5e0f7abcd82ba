"""Several kernels at several n, how far each goes, and at which temperature: `compare`, `plot`,
`largest_n`, `critical_temperature`, `least_degree`, `least_weight` and `at_temperature`.
"""

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..any_attention.exact import limits
from ..any_attention.exact.kernel_check import all_sizes
from ..any_attention.exact.layers import Layer
from ..any_attention.exact.values import batches, score_columns
from ..attention.kernel import Kernel, KernelInputs
from ..attention.kernels import KERNELS
from ..attention.separation import require_memory, widest_margins
from ..datasets.dataset import FixedData
from ..results.progress import Progress
from . import validation
from .build import Given, kernel_of, require_usable, unique_names
from .separating import new_axes

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

SIZES = (200, 2_000, 20_000, 1_000_000)


def compare(
    kernels: Iterable[Given],
    n: Sequence[int] = SIZES,
    model: validation.Model = "self_attention",
    attention_x: validation.AttentionX = "identity",
    *,
    margin: bool = False,
    **options: Unpack[validation.Options],
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

    layer, data = validation.setting_of(model, attention_x, **options)
    sizes = [validation.tokens_of(layer, data, size) for size in _several(n)]
    given = [kernel_of(each) for each in _several(kernels)]
    if margin:
        require_memory(layer.d(data.classes))
    # Margins take long one by one, and all else takes memory together.
    parts = [slice(k, k + 1) for k in range(len(sizes))] if margin else batches(data, len(sizes))
    progress = Progress("compare", len(given) * len(parts), "parts")
    tables = []
    for kernel, name in zip(given, unique_names([each.name for each in given]), strict=True):
        require_usable(kernel, layer, data, sizes)
        for part in parts:
            columns = {"kernel": name, "model": layer.model, "attention_x": layer.attention_x}
            columns |= _measured(kernel, layer, data, sizes[part], margin)
            tables.append(pd.DataFrame(columns))
            progress.advance()
    return pd.concat(tables, ignore_index=True)


def _measured(
    kernel: Kernel, layer: Layer, data: FixedData, sizes: list[int], margin: bool
) -> dict[str, Any]:
    """The columns of `compare` on one kernel at some n."""
    scored = score_columns(kernel, layer, data, sizes)
    curves = scored.curves()
    best, low, high = (np.where(curves.resolved, of, np.nan) for of in curves.best())
    low, high = (np.where(best > 0, end, np.nan) for end in (low, high))
    columns = {
        "n": sizes, "d": layer.d(data.classes), "m": scored.m, "probability": best,
        "theta_low": low, "theta_high": high, "share": scored.rows[1].share[:, 0],
    }  # fmt: skip
    if margin:
        half = np.where(best > 0, best / 2, 2.0)
        columns["margin"] = widest_margins(scored.ranked(), half[:, None])[:, 0]
    return columns


def plot(
    kernels: Iterable[Any], n: Sequence[int] | None = None, axes: "Axes | None" = None, **more: Any
) -> "Axes":
    """Draw what each kernel can do against n, at its own best threshold; needs matplotlib.

    `n` is nearly geometric from 100 to 10^9 if not given; `more` as of `compare`.
    """
    of = (more.get("model", "self_attention"), more.get("attention_x", "identity"))
    layer, data = validation.setting_of(*of, more.get("d"))
    if n is None:
        sizes = np.geomspace(100, 1e9, 57) // data.classes
        n = [size for size in np.unique(sizes.clip(1)).astype(int) * data.classes if size >= 2]
    table = compare(kernels, n, **more)
    axes = axes or new_axes()
    for kernel, part in table.groupby("kernel", sort=False):
        axes.plot(part["n"], part["probability"], label=kernel)
    axes.set(xscale="log", ylim=(0, 1.02), xlabel="tokens n", ylabel="P(separates D1 from D0)")
    axes.set_title(layer.words)
    axes.legend()
    return axes


def largest_n(
    kernel: Given,
    model: validation.Model = "self_attention",
    attention_x: validation.AttentionX = "identity",
    *,
    level: float | None = None,
    **options: Unpack[validation.Options],
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
    of, level = kernel_of(kernel), validation.level_of(level)
    layer, data = validation.setting_of(model, attention_x, **options)
    require_usable(of, layer, data, all_sizes(data.classes))
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
    model: validation.Model = "self_attention",
    attention_x: validation.AttentionX = "identity",
    *,
    level: float | None = None,
    **options: Unpack[validation.Options],
) -> float | None:
    """The highest T at which e^(x / T) separates at n tokens, as `largest_n` says it; 0 where none
    from 0.001 on does, inf where 10^4 does still, and None where e^x itself, softmax, does not.
    Parameters as of `largest_n`.

    Raises
    ------
    ValueError, ArithmeticError
        As `largest_n` does.
    """
    at = validation.setting_of(model, attention_x, **options)
    found = _at_one_n(limits.critical_temperatures, "T e^(x / T)", *at, n, level)
    if found is None:
        return None
    return math.inf if found > limits.HOTTEST * (1 - limits.PRECISION) else found


def least_degree(
    n: int = 200,
    model: validation.Model = "self_attention",
    attention_x: validation.AttentionX = "identity",
    *,
    level: float | None = None,
    **options: Unpack[validation.Options],
) -> float | None:
    """The least real p at which x^p separates at n tokens, as `largest_n` says it; 0 where 0.01
    does, inf where none up to 1000 does, and None where softmax itself does not. It is sought at 3
    p a decade, then between two of these: a smaller one that separates alone can be missed.
    Parameters and errors as of `critical_temperature`.
    """
    at = validation.setting_of(model, attention_x, **options)
    found = _at_one_n(limits.least_degrees, "p x^p", *at, n, level)
    return found and (0.0 if found <= limits.DEGREE.low else found)


def least_weight(
    kernel: Given,
    n: int = 200,
    model: validation.Model = "self_attention",
    *,
    level: float | None = None,
    **options: Unpack[validation.Options],
) -> float | None:
    """The least g with which X = I + g e_1 e_1^T lets a kernel separate at n tokens, as `largest_n`
    says it, softmax having X = I; 0 where X = I is enough, inf where no g up to 10^13 is, and None
    where softmax itself does not; sought as by `least_degree`. e_1 is the coordinate of the special
    token's own entry, and Q = K = diag(sqrt(1 + g), 1, ..., 1) before the `split`. Parameters as of
    `largest_n`.

    Raises
    ------
    ValueError, ArithmeticError
        As `largest_n` does; also where the kernel has no weights at a g that has to be tried.
    """
    of = kernel_of(kernel)
    layer, data = validation.setting_of(model, "identity", **options)
    require_usable(of, layer, data, [validation.tokens_of(layer, data, n)])

    def least(layer: Layer, data: FixedData, sizes: list[int], level: float | None) -> np.ndarray:
        (g,) = limits.known_least_weights(of, layer, data, sizes, level)
        if g is None:
            raise ArithmeticError(
                f"{of.name}: at n = {sizes[0]:,} it has no weights at a g that has to be tried; "
                "allowed: kernels that do not overflow"
            )
        below = np.array([0.0, min(g / (1 + 10 * limits.PRECISION), limits.LARGEST_WEIGHT)])
        told = limits.separation(of, layer, data, np.repeat(sizes, 2), below, level)
        return np.array([math.nan if np.isnan(told).any() else g])

    return _at_one_n(least, f"g {of.name}", layer, data, n, level)


def _at_one_n(
    least: Callable[..., np.ndarray], what: str, layer: Layer, data: FixedData, n: int,
    level: float | None,
) -> float | None:  # fmt: skip
    """What `least` gives at n; None, with a warning, where softmax does not separate there."""
    level, sizes = validation.level_of(level), [validation.tokens_of(layer, data, n)]
    found = float(least(layer, data, sizes, level)[0])
    if math.isnan(found):
        raise ArithmeticError(
            f"at n = {sizes[0]:,} float64 does not tell at which {what} separates"
        )
    of_exp = limits.exp_probabilities(layer, data, tuple(sizes))[0]
    if level is None and of_exp <= limits.LEAST_OF_EXP:
        _say_where_softmax_fails(math.nan, stacklevel=4)
        return None
    return found


def _say_where_softmax_fails(last: float, stacklevel: int = 3) -> None:
    if not math.isinf(last):
        where = "here" if math.isnan(last) else f"beyond n = {last:,.0f}"
        warnings.warn(
            f"softmax itself does not separate {where}, with a probability of at most 1/2: no "
            "kernel is measured against it there; level=0.9 asks for a probability of 0.9 alone",
            stacklevel=stacklevel,
        )


def _several(values: Any) -> list:
    """A list of what was given, which may be a single one."""
    if isinstance(values, str | Kernel) or callable(values) or not isinstance(values, Iterable):
        return [values]
    found = list(values)
    if not found:
        raise ValueError("nothing to compare; allowed: at least one kernel and one n")
    return found


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
    of, (low, high) = kernel_of(kernel), (limits.COLDEST, limits.HOTTEST)
    allowed = f"numbers from {low:g} to {high:g}"
    t = validation.number("temperature", temperature, allowed, lambda x: low <= x <= high)
    if t == 1:
        return of
    root = math.sqrt(t)

    def divided(vectors: np.ndarray | None, by: float) -> np.ndarray | None:
        return None if vectors is None else vectors / by

    def weigh(seen: KernelInputs) -> np.ndarray:
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
