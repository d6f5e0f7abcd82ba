"""The claims at the sizes tested, and tiny cases to enumerate."""

import itertools

import numpy as np

from attention_separation.attention.dense import attention
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets import cross_attention, self_attention
from attention_separation.studies.lemmas.claims_table import all_claims
from attention_separation.studies.lemmas.lemma import Case
from attention_separation.studies.lemmas.settings import ClaimsJob
from attention_separation.studies.softmax_vs_linear.models.attention import (
    CROSS_ATTENTION_MODEL,
    SELF_ATTENTION_MODEL,
)

SETTINGS = {
    "delta": 0.01,
    "a0": 0.01,
    "a1": 1.2,
    "b": 0.2,
    "c": 0.8,
    "m": {
        "regression": {"log_of": "n", "round": "floor"},
        "attention": {"log_of": "n/delta", "round": "floor", "at_least": 15},
    },
    "sizes": {
        "regression": [100, 1000, 2000],
        "self_attention": [{"n": 200, "d": 22}, {"n": 1000, "d": 12}]
        + [{"n": 256, "d": d} for d in (4, 6, 10, 18, 34, 66)],
        "cross_attention": [{"n": 200, "d": 21}, {"n": 1000, "d": 11}]
        + [{"n": 256, "d": d} for d in (3, 5, 9, 17, 33, 65)],
    },
}
JOB = ClaimsJob.model_validate(SETTINGS)

CASES = [
    Case(model, kernel, dataset, x)
    for model, x in (
        (SELF_ATTENTION_MODEL, "ones"),
        (SELF_ATTENTION_MODEL, "identity"),
        (CROSS_ATTENTION_MODEL, "identity"),
    )
    for kernel in ("exp", "linear")
    for dataset in (0, 1)
]
CASE_IDS = [f"{c.model.name}-{c.attention_x}-{c.kernel}-D{c.dataset}" for c in CASES]
# d, with one class, two and many, with one token in each and several.
SIZES = {
    SELF_ATTENTION_MODEL: [(6, 3), (6, 4), (12, 6), (7, 9)],
    CROSS_ATTENTION_MODEL: [(6, 2), (6, 3), (12, 5), (7, 8)],
}


def claim(name):
    return next(one for one in all_claims() if one.id == name)


def literal_attention(case: Case, n: int, d: int, setting):
    """Scores, c and the special row of the definitions, with the special tokens at 1 and 2."""
    a = setting.a1 if case.dataset else setting.a0
    j3 = 2
    if case.model is CROSS_ATTENTION_MODEL:
        a1, a2 = cross_attention.tokens(n, d, a, 1, j3)
        x, special_row = np.eye(d), 1
    else:
        a1 = a2 = self_attention.tokens(n, d, a, setting.b, setting.c, j3)
        x, special_row = {"identity": np.eye(d), "ones": np.ones((d, d))}[case.attention_x], j3
    c = attention(a1, a2, a2, x, np.eye(d), np.eye(d), KERNELS[case.kernel])
    return a1 @ x @ a2.T, c, special_row, j3, case.model.special_class(j3, d)


def matches(of, k, c, marked, own):
    count = of.classes
    wanted = np.full(count, of.rest[k])
    wanted[own] = of.own[k]
    wanted[marked] = of.marked[k]
    whole = [of.first[k], *wanted] + ([] if of.last is None else [of.last])
    return np.allclose(whole, c, rtol=1e-12, atol=1e-15)


def all_signs(d):
    return np.array(list(itertools.product((-1.0, 1.0), repeat=d))).T
