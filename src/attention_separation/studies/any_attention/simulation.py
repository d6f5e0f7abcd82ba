"""FAVOR+ and cosFormer, kernels without distinct rows, in trials.

Their features are random, or their weights depend on the tokens' order. In a trial tokens, special
ones and signs are drawn, and the network is asked.

`attend` gives, for every query, the sum over keys of their weights times their mass, up to a factor
that a row has in common: divided by a row's sum, it is gone. W of FAVOR+ are Gaussian rows,
orthogonal in blocks of d (arXiv 2009.14794).
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ...any_attention.layers import LAYERS, Layer
from ...any_attention.values import separate
from ...attention.kernels import KERNELS
from ...attention.sign_columns import exceeds
from ...datasets.dataset import Data, Tokens
from ...messages.progress import Progress
from ...pages.table_page import write_result
from ...results.provenance import record
from ...results.tables import Row, finite_or_null, schema, table_from_rows
from ...statistics.counts import clopper_pearson
from ...statistics.seeding import BlockStreams, blocks
from .settings import SimulatedJob

Attend = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None], np.ndarray]
"""Queries (T, R, d), keys (T, S, d), mass (T, S, C) and W (T, features, d) of T trials
-> (T, R, C)."""


class SimulatedKernel(NamedTuple):
    """A kernel that is simulated."""

    name: str
    attend: Attend
    in_order: bool
    """Whether it is given all n tokens as they stand, or equal ones once."""
    features: tuple[int, ...] = ()
    """Numbers of random features; the first rows of one W serve them all."""


def _attend_features(phi_q: np.ndarray, phi_k: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """The sums over keys of phi(q) . phi(k) times a key's mass, (T, R, C)."""
    return phi_q @ (np.swapaxes(phi_k, -1, -2) @ mass)


def attend_favor(
    queries: np.ndarray, keys: np.ndarray, mass: np.ndarray, projections: np.ndarray | None
) -> np.ndarray:
    """The sums over keys of their mass weighted by FAVOR+, with phi(x) = e^(W x - |x|^2 / 2). A
    factor that all keys share is moved to the queries, so that no row of weights is all 0."""
    assert projections is not None
    w = np.swapaxes(projections, -1, -2)
    # -|q|^2 / 2 is a factor of the row.
    log_phi_q = queries @ w
    log_phi_k = keys @ w - (keys**2).sum(axis=-1, keepdims=True) / 2
    largest = log_phi_k.max(axis=-2, keepdims=True)
    log_phi_k -= largest
    log_phi_q += largest
    log_phi_q -= log_phi_q.max(axis=-1, keepdims=True)
    phi_q = np.exp(log_phi_q, out=log_phi_q)
    phi_k = np.exp(log_phi_k, out=log_phi_k)
    return _attend_features(phi_q, phi_k, mass)


def _rotated_by_place(x: np.ndarray) -> np.ndarray:
    """The features of cosFormer: relu(x_i) times the cosine, and times the sine, of pi i / 2n."""
    angles = math.pi / (2 * x.shape[-2]) * np.arange(x.shape[-2])[:, None]
    x = np.maximum(x, 0.0)
    return np.concatenate([x * np.cos(angles), x * np.sin(angles)], axis=-1)


def attend_cosformer(
    queries: np.ndarray, keys: np.ndarray, mass: np.ndarray, projections: np.ndarray | None = None
) -> np.ndarray:
    """The sums over keys of their mass weighted by cosFormer, as features: cos(x - y) = cos x cos y
    + sin x sin y."""
    return _attend_features(_rotated_by_place(queries), _rotated_by_place(keys), mass)


def attend_exp(
    queries: np.ndarray, keys: np.ndarray, mass: np.ndarray, projections: np.ndarray | None = None
) -> np.ndarray:
    """The sums over keys of their mass weighted by e^(q . k)."""
    scores = queries @ np.swapaxes(keys, -1, -2)
    return np.exp(scores - scores.max(axis=-1, keepdims=True)) @ mass


def attend_linear(
    queries: np.ndarray, keys: np.ndarray, mass: np.ndarray, projections: np.ndarray | None = None
) -> np.ndarray:
    """The sums over keys of their mass weighted by q . k."""
    return _attend_features(queries, keys, mass)


# FAVOR+ stands for exp, and cosFormer is linear attention's sum with a cosine: these two, whose
# exact values are known, go the same ways.
SIMULATED = (
    SimulatedKernel("favor", attend_favor, in_order=False, features=(16, 64, 256, 1024)),
    SimulatedKernel("cosformer", attend_cosformer, in_order=True),
    SimulatedKernel("exp", attend_exp, in_order=False),
    SimulatedKernel("linear", attend_linear, in_order=True),
)


def draw_projections(rng: np.random.Generator, trials: int, features: int, d: int) -> np.ndarray:
    """W of some trials, (trials, features, d); its first rows are a W of fewer features.

    Gaussian vectors are made orthogonal to those before them in their block, and keep their length,
    which does not depend on the directions that come out.
    """
    blocks_of_rows = math.ceil(features / d)
    gaussian = rng.standard_normal((trials, blocks_of_rows, d, d))
    directions, triangles = np.linalg.qr(gaussian)
    # The factorisation fixes the sign of a coordinate: here a vector keeps its side instead.
    sides = np.sign(np.diagonal(triangles, axis1=-2, axis2=-1))
    lengths = np.sqrt((gaussian**2).sum(axis=-2))
    columns = directions * (sides * lengths)[..., None, :]
    return np.swapaxes(columns, -1, -2).reshape(trials, -1, d)[:, :features]


class DistinctTokens(NamedTuple):
    """The tokens of a dataset, equal ones once, (K, K + 1, d): by the class of the special token,
    that token, then one of each class."""

    queries: np.ndarray
    keys: np.ndarray
    values: np.ndarray


def distinct_tokens(layer: Layer, tokens: Tokens, dataset: int) -> DistinctTokens:
    """The distinct tokens of D0 or D1, taken from the dataset's definition with the special token
    in each class."""
    classes = layer.dataset.classes(tokens.d)
    queries = []
    keys = []
    values = []
    for marked in range(classes):
        places = np.full(layer.dataset.special_tokens, marked)
        a1, a2, a3, q, k = layer.dataset.literal(tokens, dataset, places)
        rows = np.arange(-1, classes)
        # Another one of the special token's class; if there is none, the special one again, which
        # as a key stands for none.
        rows[1 + marked] = (marked + classes) % tokens.n
        rows[0] = marked
        queries.append(a1[rows] @ q)
        keys.append(a2[rows] @ k)
        values.append(a3[rows])
    return DistinctTokens(np.stack(queries), np.stack(keys), np.stack(values))


STREAMS = "kernels_simulated"
"""What the names of all streams begin with."""

MOST_DRAWN_NUMBERS = 2**20
"""Of one array: trials that need more are worked on one after another."""


class Draw(NamedTuple):
    """What some trials draw: the special tokens' indices of D0 and D1, (T, 2, q); signs, the same
    for D0 and D1, (T, d, m); and W, (T, features, d), None where the kernel has none."""

    places: np.ndarray
    y: np.ndarray
    projections: np.ndarray | None


class Outcome(NamedTuple):
    """What came of T trials, each (T,): whether some threshold above 0, chosen after the signs,
    separates D1 from D0; whether the paper's does; and the special token's share of its own row on
    D1."""

    after_y: np.ndarray
    paper: np.ndarray
    share: np.ndarray


def draws(
    kernel: SimulatedKernel, layer: Layer, data: Data, n: int, seed: int, trials: int
) -> Iterator[Draw]:
    """The draws of some trials, as many at once as memory allows. The draws of fewer trials are the
    first of those of more."""
    d = layer.d(data.classes)
    m = data.m(n)
    features = max(kernel.features, default=0)
    tokens = n if kernel.in_order else data.classes + 1
    # A W is made of whole blocks of Gaussian numbers.
    numbers_of_w = math.ceil(features / d) * d * d
    largest_array = max(tokens * max(2 * d, m + 2, features), d * m, numbers_of_w)
    together = max(MOST_DRAWN_NUMBERS // largest_array, 1)
    point = f"{kernel.name} {layer.model} {layer.attention_x} n={n}"
    for block, trials_in_block in blocks(trials):
        streams = BlockStreams(seed, STREAMS, point, block)
        places = streams.generator("places")
        signs = streams.generator("signs")
        gaussian = streams.generator("projections")
        for start in range(0, trials_in_block, together):
            count = min(together, trials_in_block - start)
            projections = None
            if features > 0:
                projections = draw_projections(gaussian, count, features, d)
            yield Draw(
                places=places.integers(0, n, size=(count, 2, layer.dataset.special_tokens)),
                y=2.0 * signs.integers(0, 2, size=(count, d, m)) - 1.0,
                projections=projections,
            )


def simulate(
    kernel: SimulatedKernel, layer: Layer, data: Data, n: int, seed: int, trials: int
) -> dict[int | None, Outcome]:
    """The outcomes of the trials by the number of random features; None for a kernel without."""
    tokens = layer.tokens(data, n)
    tau = layer.theta(data) * tokens.s
    d0 = distinct_tokens(layer, tokens, 0)
    d1 = distinct_tokens(layer, tokens, 1)
    parts_by_features: dict[int | None, list[Outcome]] = {}
    for draw in draws(kernel, layer, data, n, seed, trials):
        inputs_on_d0 = _inputs_of_trials(kernel, d0, n, draw.places[:, 0], draw.y)
        inputs_on_d1 = _inputs_of_trials(kernel, d1, n, draw.places[:, 1], draw.y)
        for features in kernel.features or (None,):
            projections = draw.projections
            if projections is not None:
                projections = projections[:, :features]
            on_d0 = _network_answer(kernel, inputs_on_d0, projections)
            on_d1 = _network_answer(kernel, inputs_on_d1, projections)
            parts_by_features.setdefault(features, []).append(_outcome(on_d0, on_d1, tau))
    return {
        features: Outcome(
            after_y=np.concatenate([part.after_y for part in parts]),
            paper=np.concatenate([part.paper for part in parts]),
            share=np.concatenate([part.share for part in parts]),
        )
        for features, parts in parts_by_features.items()
    }


@dataclass(frozen=True)
class Inputs:
    """What a kernel is given in T trials.

    Attributes
    ----------
    queries : (T, R, d), every one that there is
    keys : (T, S, d)
    mass : (T, S, m + 3) of keys: scores of values, the sum of a value's entries, none of which is
        negative, 1, and whether it is the special key; times how many tokens a key stands for
    special_query : (T,) which one it is
    """

    queries: np.ndarray
    keys: np.ndarray
    mass: np.ndarray
    special_query: np.ndarray


def _inputs_of_trials(
    kernel: SimulatedKernel, tokens: DistinctTokens, n: int, places: np.ndarray, y: np.ndarray
) -> Inputs:
    """The inputs of a kernel in T trials; `places` (T, q) are the special query's and key's."""
    classes = len(tokens.queries)
    queries = _layout_of_trials(kernel, places[:, 0], n, classes)
    keys = _layout_of_trials(kernel, places[:, -1], n, classes)
    is_special = np.zeros(keys.counts.shape)
    is_special[np.arange(len(y)), keys.special] = 1.0
    values = tokens.values[keys.index]
    sums = np.stack([values.sum(axis=-1), np.ones_like(is_special), is_special], axis=-1)
    mass = np.concatenate([values @ y, sums], axis=-1)
    return Inputs(
        queries=tokens.queries[queries.index],
        keys=tokens.keys[keys.index],
        mass=mass * keys.counts[..., None],
        special_query=queries.special,
    )


@dataclass(frozen=True)
class Layout:
    """The tokens that a kernel is given in T trials: which is special, (T,); their index in
    `DistinctTokens`; and how many tokens each is, (T, S), 0 for none."""

    special: np.ndarray
    index: tuple[np.ndarray, ...]
    counts: np.ndarray


def _layout_of_trials(kernel: SimulatedKernel, place: np.ndarray, n: int, classes: int) -> Layout:
    """The tokens that a kernel is given, with the special one at a place (T,) among all n."""
    marked = place % classes
    if kernel.in_order:
        order = np.arange(n)
        rows = np.where(order == place[:, None], 0, 1 + order % classes)
        return Layout(place, index=(marked[:, None], rows), counts=np.ones_like(rows))
    counts = np.full((len(place), classes + 1), n // classes)
    counts[:, 0] = 1
    counts[np.arange(len(place)), 1 + marked] -= 1
    return Layout(np.zeros_like(place), index=(marked,), counts=counts)


class Answer(NamedTuple):
    """What the network makes of T trials with R queries and m columns."""

    scores: np.ndarray  # (T, R, m)
    sizes: np.ndarray  # (T, R, 1) of their rows
    share: np.ndarray  # (T,) the special token's of its own row

    def is_positive(self, tau: float | np.ndarray) -> np.ndarray:
        """Whether some score of a trial exceeds a threshold, (T,)."""
        is_above = exceeds(self.scores, tau, self.sizes)
        return np.logical_or.reduce(is_above, axis=(1, 2))


def _network_answer(
    kernel: SimulatedKernel, inputs: Inputs, projections: np.ndarray | None
) -> Answer:
    """The network's scores in T trials: the sums over keys of what `Inputs.mass` has, divided by
    the sums of weights."""
    sums = kernel.attend(inputs.queries, inputs.keys, inputs.mass, projections)
    # Weights are not negative: nor is their row's sum, and its size is that of the entries.
    scores = sums[..., :-3]
    sizes = sums[..., -3:-2]
    weight_sums = sums[..., -2:-1]
    special_weights = sums[..., -1:]
    shares = special_weights / weight_sums
    own_shares = shares[np.arange(len(sums)), inputs.special_query, 0]
    return Answer(scores=scores / weight_sums, sizes=sizes / weight_sums, share=own_shares)


def _outcome(on_d0: Answer, on_d1: Answer, tau: float) -> Outcome:
    """The outcome of trials: with the paper's threshold tau, and with the best one chosen after the
    signs."""
    largest_on_d0 = np.maximum(on_d0.scores.max(axis=(1, 2)), 0.0)
    return Outcome(
        after_y=on_d1.is_positive(largest_on_d0[:, None, None]),
        paper=on_d1.is_positive(tau) & ~on_d0.is_positive(tau),
        share=on_d1.share,
    )


SCHEMA = schema(
    kernel=str,
    features=int,
    model=str,
    attention_x=str,
    n=int,
    d=int,
    m=int,
    trials=int,
    successes_after_y=int,
    p_after_y=float,
    ci_low=float,
    ci_high=float,
    exact_after_y=float,
    successes_paper=int,
    p_paper=float,
    paper_ci_low=float,
    paper_ci_high=float,
    exact_paper=float,
    share=float,
)
"""A row per kernel, number of its random features (null: it has none) and layer; `exact_*` are null
where no exact value is known."""

TITLE = "Any attention: kernels that are simulated"
ABOUT = (
    "Kernels whose rows differ from trial to trial or from token to token. FAVOR+ (arXiv "
    "2009.14794, favor): φ(q)·φ(k) with φ(x) = e^(Wx − |x|²/2)/√features, W Gaussian, orthogonal "
    "in blocks of d rows, drawn for each trial; it approximates eˣ. cosFormer (arXiv 2202.08791): "
    "relu(q)·relu(k)·cos(π(i − j)/2n), i and j the places of the tokens. Rows are divided by their "
    "sums.\n"
    "In each trial the special tokens of D0 and of D1 are drawn, and signs that both share: "
    "p_after_y says how often one threshold, chosen after the signs, separates D1 from D0 by the "
    "network alone, p_paper how often the paper's does, with 95 % intervals (Clopper and Pearson); "
    "share is the mean of the special token's in its own row on D1. Kernels exp and linear are "
    "simulated alike, as a check: exact_after_y and exact_paper are their exact values."
)


def exact_columns(kernel: str, layer: Layer, data: Data, n: int) -> Row:
    """The exact probabilities of a built-in kernel, as columns; none of other kernels."""
    if kernel not in KERNELS:
        return {}
    separation = separate(KERNELS[kernel], layer, data, [n])
    return {
        "exact_after_y": finite_or_null(float(separation.p_after_y[0])),
        "exact_paper": finite_or_null(float(separation.p_paper[0])),
    }


def simulated_columns(outcome: Outcome) -> Row:
    """The successes of trials with their intervals, as columns."""
    trials = len(outcome.share)
    successes_after_y = int(outcome.after_y.sum())
    successes_paper = int(outcome.paper.sum())
    low, high = clopper_pearson(successes_after_y, trials)
    paper_low, paper_high = clopper_pearson(successes_paper, trials)
    return {
        "trials": trials,
        "successes_after_y": successes_after_y,
        "p_after_y": successes_after_y / trials,
        "ci_low": float(low),
        "ci_high": float(high),
        "successes_paper": successes_paper,
        "p_paper": successes_paper / trials,
        "paper_ci_low": float(paper_low),
        "paper_ci_high": float(paper_high),
        "share": float(outcome.share.mean()),
    }


def simulated_table(job: SimulatedJob) -> pa.Table:
    """The table of all simulated kernels in all layers."""
    data = job.data
    n = job.simulated.n
    cases = list(product(SIMULATED, LAYERS))
    progress = Progress("kernels-simulated", len(cases), "kernels in layers")
    rows = []
    for kernel, layer in cases:
        outcomes = simulate(kernel, layer, data, n, job.seed, job.simulated.trials)
        for features, outcome in outcomes.items():
            row: Row = {"kernel": kernel.name, "features": features}
            row |= layer.columns
            row |= layer.sizes(data, n)
            row |= simulated_columns(outcome)
            row |= exact_columns(kernel.name, layer, data, n)
            rows.append(row)
        progress.advance()
    return table_from_rows(rows, SCHEMA)


def run(job: SimulatedJob, output: Path) -> None:
    table = simulated_table(job)
    provenance = record(job.canonical(), __name__)
    write_result(table, output.with_suffix(""), provenance, TITLE, ABOUT)
