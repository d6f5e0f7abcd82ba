"""Trials of softmax regression drawn literally: all data and signs, by one definition each."""

import numpy as np

from attention_separation.studies.softmax_vs_linear.models import regression
from attention_separation.studies.softmax_vs_linear.models.contest import CONTEST_OF_PAPER


def by_definition(p, trials, rng):
    """(trials, networks) bool with all data and signs drawn, Definitions 3.2-3.8."""
    d0, d1 = rng.random((2, trials, p.n))
    d0 = d1 if p.data == "same" else d0
    special = np.arange(trials), rng.integers(p.n, size=trials)
    y = rng.choice([-1.0, 1.0], size=(trials, p.n, p.m))
    positive = []
    for kernel, dataset in CONTEST_OF_PAPER.networks:
        if p.signs == "fresh":
            y = rng.choice([-1.0, 1.0], size=(trials, p.n, p.m))
        multiples = regression.entries((d0, d1)[dataset], p.law)
        if dataset:
            multiples[special] = 4.0
        f = regression.normalise(p.n**multiples if kernel == "exp" else multiples)
        positive.append((np.einsum("tn,tnm->tm", f, y) > p.tau + 1e-12).any(axis=1))
    return np.stack(positive, axis=1)
