"""Several kernels at several n, and how far each goes: `compare`, `largest_n` and
`critical_temperature`."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_separation.any_attention.exact import limits
from attention_separation.any_attention.exact.values import score_columns
from attention_separation.api.given import kernel_of, require_usable, told_apart
from attention_separation.api.problem import AttentionX, Model, data_of, layer_of, tokens_of
from attention_separation.api.separating import ranked_states, require_memory
from attention_separation.attention.kernels import Kernel
from attention_separation.attention.separation import widest_margin

if TYPE_CHECKING:
    import pandas as pd

Given = str | Kernel | Callable[..., Any]

SIZES = (200, 2_000, 20_000, 1_000_000)


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
    b: float = 0.2,
    c: float = 0.8,
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
        require_usable(kernel, layer, data)
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
    b: float = 0.2,
    c: float = 0.8,
) -> float | None:
    """The largest multiple of K up to 10^12 at which a kernel separates: at which its probability,
    at its own best threshold, is above half of softmax's. inf if it does there still, None if it
    does at none; a geometric grid is searched first, so a gap between its numbers can be missed.
    Parameters as of `separate`."""
    of, layer = kernel_of(kernel), layer_of(model, attention_x)
    data = data_of(layer, d, m, a0, a1, b, c)
    require_usable(of, layer, data)
    found = limits.last_multiple(lambda n: limits.separates(of, layer, data, n), data.classes)
    if math.isnan(found):
        return None
    return found if math.isinf(found) else int(found)


def critical_temperature(
    n: int = 200,
    model: Model = "self_attention",
    attention_x: AttentionX = "identity",
    *,
    d: int | None = None,
    m: int | None = None,
    a0: float = 0.01,
    a1: float = 1.2,
    b: float = 0.2,
    c: float = 0.8,
) -> float:
    """The highest T at which e^(x / T) separates at n tokens; 0 where none from 0.001 on does, inf
    where 10^4 does still. Parameters as of `separate`."""
    layer = layer_of(model, attention_x)
    data = data_of(layer, d, m, a0, a1, b, c)
    found = float(limits.critical_temperatures(layer, data, [tokens_of(layer, data, n)])[0])
    return math.inf if found > limits.HOTTEST * (1 - limits.PRECISION) else found


def _several(values: Any) -> list:
    """A list of what was given, which may be a single one."""
    if isinstance(values, str | Kernel) or callable(values) or not isinstance(values, Iterable):
        return [values]
    found = list(values)
    if not found:
        raise ValueError("nothing to compare; allowed: at least one kernel and one n")
    return found
