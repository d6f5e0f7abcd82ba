"""The regression model's networks at all sign columns, from its definition."""

import itertools
import math

import numpy as np
from hypothesis import strategies as st

from attention_separation.attention.sign_columns import exceeds
from attention_separation.studies.softmax_vs_linear.models.regression import (
    SPECIAL_MULTIPLE,
    U,
    normalise,
)

DATA = st.sampled_from(["independent", "same"])


def columns(n):
    """All 2^n sign columns, (2^n, n)."""
    return np.array(list(itertools.product([-1.0, 1.0], repeat=n)))


def zero(u, kernel, tau):
    """Which columns leave a network zero, (data, 2^n), for entries u of A x over log n; j = 0."""
    n = u.shape[1]
    f = normalise(U[kernel](math.log(n) * u))
    return ~exceeds(f @ columns(n).T, tau, 1.0)


def on_d1(u):
    u = u.copy()
    u[:, 0] = SPECIAL_MULTIPLE
    return u


def quantities(d0, d1, tau, pairs):
    """QUANTITIES given the data, (5, data); or for all pairs of data sets, (5, of D0, of D1)."""
    lin_d1, exp_d0, lin_d0 = (
        zero(u, kernel, tau).astype(float)
        for kernel, u in (("linear", d1), ("exp", d0), ("linear", d0))
    )
    plus = columns(d0.shape[1])[:, 0] > 0
    if pairs:
        good = [2 * (lin_d0 * exp_d0 * of) @ lin_d1.T / len(plus) for of in (plus, ~plus)]
        each = [lin_d1.mean(axis=1)[None], exp_d0.mean(axis=1)[:, None]]
        each.append(lin_d0.mean(axis=1)[:, None])
    else:
        good = [(lin_d0 * exp_d0 * lin_d1)[:, of].mean(axis=1) for of in (plus, ~plus)]
        each = [part.mean(axis=1) for part in (lin_d1, exp_d0, lin_d0)]
    return np.stack(np.broadcast_arrays(*good, *each))
