"""One kernel at many settings at once: what `Setting.of` gives at each, from arrays of points."""

import warnings
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby

import numpy as np

from attention_separation.any_attention.exact.values import Scored
from attention_separation.api.comparing import Given, at_temperature
from attention_separation.api.given import kernel_of, require_usable
from attention_separation.api.problem import theta_of, tokens_of
from attention_separation.attention.distinct_rows import distinct_rows
from attention_separation.attention.kernel import ClassesApartError, Kernel
from attention_separation.attention.sign_columns import largest_scores
from attention_separation.datasets.dataset import Tokens

from .setting import Setting


def probabilities(kernel: Given, settings: Sequence[Setting]) -> np.ndarray:
    """P(the kernel's network alone separates D1 from D0) at settings of one layer, (P,).

    NaN where the kernel has no answer, or float64 does not tell it.

    Raises
    ------
    ValueError
        If a setting is out of range.
    ArithmeticError
        If the kernel has an answer at none of them.
    """
    if isinstance(kernel, str):
        return _of_text(kernel, tuple(settings))
    return _found(kernel, settings)


@lru_cache(maxsize=256)
def _of_text(kernel: str, settings: tuple[Setting, ...]) -> np.ndarray:
    # A text means the same kernel always; what a function gives may change.
    found = _found(kernel, settings)
    found.flags.writeable = False
    return found


def _found(kernel: Given, settings: Sequence[Setting]) -> np.ndarray:
    of = kernel_of(kernel)
    with warnings.catch_warnings():
        # That weights are negative is said once, beside the answer.
        warnings.simplefilter("ignore", UserWarning)
        for at in (settings[0], settings[-1]):
            try:
                require_usable(at_temperature(of, at.temperature), at.layer, at.data, [at.n])
            except ClassesApartError:
                raise
            except ArithmeticError:  # Of weights that are none: there may be some elsewhere.
                continue
    parts, fault = [], None
    for _, alike in groupby(settings, lambda each: (each.data.classes, each.temperature)):
        group = list(alike)
        try:
            parts.append(_together(of, group))
        except ArithmeticError:
            for setting in group:
                try:
                    parts.append(_together(of, [setting]))
                except ArithmeticError as error:
                    fault = error
                    parts.append(np.array([np.nan]))
    found = np.concatenate(parts)
    if fault and np.isnan(found).all():
        raise fault
    return found


def _together(kernel: Kernel, settings: Sequence[Setting]) -> np.ndarray:
    """The same at settings with equal K and T, in arrays."""
    scored = scored_at(kernel, settings)
    curves = scored.curves()
    best = curves.best()[0]
    asked = [theta_of(each.theta, each.layer, each.data) for each in settings]
    given = np.array([[1.0 if theta is None else theta] for theta in asked])
    at_theta = curves.at(given)[:, 0]
    found = np.where([theta is None for theta in asked], best, at_theta)
    return np.where(curves.resolved, found, np.nan)


def scored_at(kernel: Kernel, settings: Sequence[Setting]) -> Scored:
    """Rows of D0 and D1 and the states of a column at settings of one layer with equal K and T."""
    layer = settings[0].layer
    of = at_temperature(kernel, settings[0].temperature)
    points = []
    for each in settings:
        data = each.data
        n = tokens_of(layer, data, each.n)
        d = layer.d(data.classes)
        points.append(Tokens(n, d, data.a0, data.a1, data.b, data.c, each.attention_x))
    rows = tuple(distinct_rows(layer.of.token_types(points, k), of) for k in (0, 1))
    n, m = (np.array(each) for each in ([p.n for p in points], [s.data.m(s.n) for s in settings]))
    return Scored(rows, *(largest_scores(each) for each in rows), m, np.sqrt(np.log(n)), n)
