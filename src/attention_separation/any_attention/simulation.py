"""FAVOR+ and cosFormer, kernels without distinct rows, in trials.

Their features are random, or their weights depend on the tokens' order. In a trial tokens, special
ones and signs are drawn, and the network is asked.

`attend` gives, for every query, the sum over keys of their weights times their mass, up to a factor
that a row has in common: divided by a row's sum, it is gone. W of FAVOR+ are Gaussian rows,
orthogonal in blocks of d (arXiv 2009.14794).
"""

import math
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..attention.kernels import KERNELS
from ..attention.sign_columns import exceeds
from ..datasets.dataset import Data, Tokens
from ..pages.table_page import write_result
from ..results.progress import Progress
from ..results.provenance import record
from ..results.tables import finite_or_null, schema, table_from_rows
from ..statistics.counts import clopper_pearson
from ..statistics.seeding import BlockStreams, blocks
from .exact.layers import LAYERS, Layer
from .exact.values import separate
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


def _attend(of_queries: np.ndarray, of_keys: np.ndarray, mass: np.ndarray) -> np.ndarray:
    return of_queries @ (np.swapaxes(of_keys, -1, -2) @ mass)


def attend_favor(queries, keys, mass, projections) -> np.ndarray:
    """With e^(W x - |x|^2 / 2); what queries and keys have in common goes from one to the other,
    so that no row of weights is all 0."""
    # -|q|^2 / 2 is a factor of the row.
    of_queries = queries @ np.swapaxes(projections, -1, -2)
    of_keys = keys @ np.swapaxes(projections, -1, -2) - (keys**2).sum(axis=-1, keepdims=True) / 2
    largest = of_keys.max(axis=-2, keepdims=True)
    of_keys -= largest
    of_queries += largest
    of_queries -= of_queries.max(axis=-1, keepdims=True)
    return _attend(np.exp(of_queries, out=of_queries), np.exp(of_keys, out=of_keys), mass)


def _turned(x: np.ndarray) -> np.ndarray:
    """relu(x_i) times the cosine and the sine of pi i / 2n."""
    angles = math.pi / (2 * x.shape[-2]) * np.arange(x.shape[-2])[:, None]
    x = np.maximum(x, 0.0)
    return np.concatenate([x * np.cos(angles), x * np.sin(angles)], axis=-1)


def attend_cosformer(queries, keys, mass, projections=None) -> np.ndarray:
    """With cos(x - y) = cos x cos y + sin x sin y."""
    return _attend(_turned(queries), _turned(keys), mass)


def attend_exp(queries, keys, mass, projections=None) -> np.ndarray:
    """With e^(q . k)."""
    scores = queries @ np.swapaxes(keys, -1, -2)
    return np.exp(scores - scores.max(axis=-1, keepdims=True)) @ mass


def attend_linear(queries, keys, mass, projections=None) -> np.ndarray:
    """With q . k."""
    return _attend(queries, keys, mass)


# FAVOR+ stands for exp, and cosFormer is linear attention's sum with a cosine: these two, whose
# exact values are known, go the same ways.
SIMULATED = (
    SimulatedKernel("favor", attend_favor, False, (16, 64, 256, 1024)),
    SimulatedKernel("cosformer", attend_cosformer, True),
    SimulatedKernel("exp", attend_exp, False),
    SimulatedKernel("linear", attend_linear, True),
)


def draw_projections(rng: np.random.Generator, trials: int, features: int, d: int) -> np.ndarray:
    """W of some trials, (trials, features, d); its first rows are a W of fewer features.

    Gaussian vectors are made orthogonal to those before them in their block, and keep their length,
    which does not depend on the directions that come out.
    """
    gaussian = rng.standard_normal((trials, -(-features // d), d, d))
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
    """Those of D0 or D1, taken from its definition with the special token in each class."""
    classes = layer.dataset.classes(tokens.d)
    found = []
    for marked in range(classes):
        places = np.full(layer.dataset.special_tokens, marked)
        a1, a2, a3, q, k = layer.dataset.literal(tokens, dataset, places)
        rows = np.arange(-1, classes)
        # Another one of the special token's class; if there is none, the special one again, which
        # as a key stands for none.
        rows[1 + marked] = (marked + classes) % tokens.n
        rows[0] = marked
        found.append((a1[rows] @ q, a2[rows] @ k, a3[rows]))
    return DistinctTokens(*map(np.stack, zip(*found, strict=True)))


STREAMS = "kernels_simulated"
"""What the names of all streams begin with."""

MOST_NUMBERS = 2**20
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
    """The draws of some trials, as many at once as memory allows; fewer trials are the first of
    more."""
    d, m, features = layer.d(data.classes), data.m(n), max(kernel.features, default=0)
    tokens = n if kernel.in_order else data.classes + 1
    # A W is made of whole blocks of Gaussian numbers.
    needed = max(tokens * max(2 * d, m + 2, features), d * m, -(-features // d) * d * d)
    together = max(MOST_NUMBERS // needed, 1)
    point = f"{kernel.name} {layer.model} {layer.attention_x} n={n}"
    for block, in_block in blocks(trials):
        streams = BlockStreams(seed, STREAMS, point, block)
        places, signs, gaussian = map(streams.generator, ("places", "signs", "projections"))
        for start in range(0, in_block, together):
            count = min(together, in_block - start)
            yield Draw(
                places.integers(0, n, size=(count, 2, layer.dataset.special_tokens)),
                2.0 * signs.integers(0, 2, size=(count, d, m)) - 1.0,
                draw_projections(gaussian, count, features, d) if features else None,
            )


def simulate(
    kernel: SimulatedKernel, layer: Layer, data: Data, n: int, seed: int, trials: int
) -> dict[int | None, Outcome]:
    """What comes of the trials, by the number of random features; None for a kernel without."""
    tokens = layer.tokens(data, n)
    tau = layer.theta(data) * tokens.s
    of_data = [distinct_tokens(layer, tokens, dataset) for dataset in (0, 1)]
    found = {features: [] for features in kernel.features or (None,)}
    for places, y, projections in draws(kernel, layer, data, n, seed, trials):
        inputs = [
            _inputs(kernel, of, n, places[:, dataset], y) for dataset, of in enumerate(of_data)
        ]
        for features, outcomes in found.items():
            w = None if features is None else projections[:, :features]
            on_d0 = _ask(kernel, *inputs[0], w)
            on_d1 = _ask(kernel, *inputs[1], w)
            paper = on_d1.is_positive(tau) & ~on_d0.is_positive(tau)
            largest = np.maximum(on_d0.scores.max(axis=(1, 2)), 0.0)
            after_y = on_d1.is_positive(largest[:, None, None])
            outcomes.append((after_y, paper, on_d1.share))
    return {
        features: Outcome(*map(np.concatenate, zip(*outcomes, strict=True)))
        for features, outcomes in found.items()
    }


def _inputs(
    kernel: SimulatedKernel, of: DistinctTokens, n: int, places: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Queries (T, R, d), every one that there is; keys (T, S, d); their mass: scores of values, the
    sum of a value's entries, none of which is negative, 1, and whether it is the special key; and
    the special query (T,). `places` (T, q) are the special query's and key's."""
    special_query, own, _ = _laid_out(kernel, places[:, 0], n, len(of.queries))
    special_key, index, stand_for = _laid_out(kernel, places[:, -1], n, len(of.keys))
    special = np.zeros(stand_for.shape)
    special[np.arange(len(y)), special_key] = 1.0
    values = of.values[index]
    others = np.stack([values.sum(axis=-1), np.ones_like(special), special], axis=-1)
    mass = np.concatenate([values @ y, others], axis=-1)
    return of.queries[own], of.keys[index], mass * stand_for[..., None], special_query


def _laid_out(
    kernel: SimulatedKernel, place: np.ndarray, n: int, classes: int
) -> tuple[np.ndarray, tuple, np.ndarray]:
    """Which of the tokens that a kernel is given is special, by its place (T,) among all; their
    index in `DistinctTokens`; and how many tokens each is, (T, S), 0 for none."""
    marked, order = place % classes, np.arange(n)
    if kernel.in_order:
        rows = np.where(order == place[:, None], 0, 1 + order % classes)
        return place, (marked[:, None], rows), np.ones_like(rows)
    stand_for = np.full((len(place), classes + 1), n // classes)
    stand_for[:, 0] = 1
    stand_for[np.arange(len(place)), 1 + marked] -= 1
    return np.zeros_like(place), (marked,), stand_for


class Answer(NamedTuple):
    """What the network makes of T trials with R queries and m columns."""

    scores: np.ndarray  # (T, R, m)
    sizes: np.ndarray  # (T, R, 1) of their rows
    share: np.ndarray  # (T,) the special token's of its own row

    def is_positive(self, tau: float | np.ndarray) -> np.ndarray:
        """Whether some score of a trial exceeds a threshold, (T,)."""
        return exceeds(self.scores, tau, self.sizes).any(axis=(1, 2))


def _ask(
    kernel: SimulatedKernel, queries: np.ndarray, keys: np.ndarray, mass: np.ndarray,
    special_query: np.ndarray, projections: np.ndarray | None,
) -> Answer:  # fmt: skip
    sums = kernel.attend(queries, keys, mass, projections)
    # Weights are not negative: nor is their row's sum, and its size is that of the entries.
    total = sums[..., -2:-1]
    own = sums[np.arange(len(sums)), special_query]
    share = own[:, -1] / own[:, -2]
    return Answer(scores=sums[..., :-3] / total, sizes=sums[..., -3:-2] / total, share=share)


SCHEMA = schema(
    kernel=str, features=int, model=str, attention_x=str, n=int, d=int, m=int, trials=int,
    successes_after_y=int, p_after_y=float, ci_low=float, ci_high=float, exact_after_y=float,
    successes_paper=int, p_paper=float, paper_ci_low=float, paper_ci_high=float, exact_paper=float,
    share=float,
)  # fmt: skip
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


def exact_columns(kernel: str, layer: Layer, data: Data, n: int) -> dict[str, float | None]:
    """The exact probabilities of a kernel that has some."""
    if kernel not in KERNELS:
        return {}
    found = separate(KERNELS[kernel], layer, data, [n])
    return {
        "exact_after_y": finite_or_null(float(found.p_after_y[0])),
        "exact_paper": finite_or_null(float(found.p_paper[0])),
    }


def simulated_columns(outcome: Outcome) -> dict[str, float | int]:
    """What the table says of some trials."""
    trials = len(outcome.share)
    row = {"trials": trials, "share": float(outcome.share.mean())}
    for name, told, interval in (
        ("after_y", outcome.after_y, "ci"), ("paper", outcome.paper, "paper_ci")
    ):  # fmt: skip
        successes = int(told.sum())
        low, high = clopper_pearson(successes, trials)
        row |= {
            f"successes_{name}": successes,
            f"p_{name}": successes / trials,
            f"{interval}_low": float(low),
            f"{interval}_high": float(high),
        }
    return row


def simulated_table(job: SimulatedJob) -> pa.Table:
    """All kernels that are simulated, in all layers."""
    data, n = job.data, job.simulated.n
    each = list(product(SIMULATED, LAYERS))
    progress = Progress("kernels-simulated", len(each), "kernels in layers")
    rows = []
    for kernel, layer in each:
        found = simulate(kernel, layer, data, n, job.seed, job.simulated.trials)
        for features, outcome in found.items():
            rows.append(
                {"kernel": kernel.name, "features": features}
                | layer.columns
                | layer.sizes(data, n)
                | simulated_columns(outcome)
                | exact_columns(kernel.name, layer, data, n)
            )
        progress.advance()
    return table_from_rows(rows, SCHEMA)


def run(job: SimulatedJob, output: Path) -> None:
    table = simulated_table(job)
    provenance = record(job.canonical(), __name__)
    write_result(table, output.with_suffix(""), provenance, TITLE, ABOUT)
