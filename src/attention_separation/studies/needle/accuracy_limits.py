"""The accuracy of each line against n, where each is .75, where bounds end, and what a sink that is
right at another n comes to.

A *line* is the best accuracy of a kernel at separating D0, n tokens of noise, from D1, on which one
of them, the needle, has mu added. A bound ends where a layer is in no class that it is proved for:
such layers, *outside*, are built by hand. `scale` says how many times finer a grid is.
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ...messages.progress import Progress
from ...needle import bayes
from ...needle.accuracy import crossing, of_events
from ...needle.attention_sink import right_sink, sink_accuracy
from ...needle.kernel_limits import BEST, BOUND, LIMITS_BY_KERNEL, REFERENCE, Line
from ...pages.table_page import write_result
from ...results.provenance import record
from ...results.tables import Row, schema, table_from_rows
from .settings.exact import LinesSettings
from .settings.titles import TABLES_OF_LINES as TITLES

MU = 5.0
N_AT_END = 512
FEW_AT_END = 15
DIMENSIONS = 256
"""Of the layers at the ends of the bounds' class: mu, n, the n of few tokens, and dimensions of
positions."""


@dataclass(frozen=True)
class Values:
    """Numbers that a token is worth, which a layer sums over tokens, and the law of them.

    Attributes
    ----------
    worth : (G,) at points of a grid
    on_d0, of_needle : (G,) chances of these points, of a token and of the needle
    """

    worth: np.ndarray
    on_d0: np.ndarray
    of_needle: np.ndarray


class AtEnd(NamedTuple):
    """A layer at an end of the class of the bounds, and the accuracy that it comes to."""

    changed: str
    layer: str
    kernel: str
    n: int
    accuracy: float


INSIDE = (
    ("nothing", "one head with the needle as its query, one with equal weights"),
    ("heads", f"{N_AT_END} heads, and an MLP or a norm behind them"),
    ("query", "a position in the query alone"),
)
"""What may change while every head sums the same function of each token, wherever it stands."""


def ends() -> Iterator[Row]:
    """The rows of the table of bounds' ends, those of layers inside the class first; the error is
    how far a finer grid moves an accuracy."""
    limit = LIMITS_BY_KERNEL["linear"].accuracy(MU, N_AT_END)
    for changed, layer in INSIDE:
        end = AtEnd(changed, layer, "linear", N_AT_END, limit.value)
        yield _end_row(end, limit.error) | {"inside": True}
    for outside, finer in zip(layers_outside(1), layers_outside(2), strict=True):
        error = abs(finer.accuracy - outside.accuracy)
        yield _end_row(finer, error) | {"inside": False}


def _end_row(end: AtEnd, error: float) -> Row:
    """A layer's row, without whether it is inside the class: with the limit of its kernel."""
    limit = LIMITS_BY_KERNEL[end.kernel].accuracy(MU, end.n).value
    return end._asdict() | {"mu": MU, "error": error, "limit": limit}


def layers_outside(scale: int) -> Iterator[AtEnd]:
    """Layers outside the class, with weights set by hand, each with its accuracy, computed on a
    grid `scale` times finer."""
    tokens = _tokens(MU, 8000 * scale)
    z = tokens.worth
    x = 5 * (z - 3.75)
    # Score and value are 1 + x / |(x, 2.5)|, of the token embedded as (x, 2.5, -x, -2.5).
    score_times_value = (1 + x / np.hypot(x, 2.5)) ** 2
    feature = np.where(x > 0, 1 + x, np.exp(np.minimum(x, 0)))
    of_norm = "affine embedding, then RMSNorm or LayerNorm, before the heads"
    values_by_layer = {
        ("norm", of_norm, "linear"): score_times_value,
        ("feature map", "one feature, elu + 1", "linear"): feature * z,
        ("value", "values relu(z − 3.5)", "uniform"): np.maximum(z - 3.5, 0),
    }
    for (changed, layer, kernel), worth in values_by_layer.items():
        accuracy = _accuracy(replace(tokens, worth=worth), N_AT_END, scale)
        yield AtEnd(changed, layer, kernel, N_AT_END, accuracy)
    # Two places share a head or a dimension: what is seen are their tokens' sums, and all squares.
    of_pairs = _accuracy(_pairs_of_one_position(scale), DIMENSIONS, scale)
    # Each place has its own: the tokens themselves are seen.
    of_tokens = bayes.best_accuracy(MU, N_AT_END).value
    sizes_and_accuracies = (
        # One head more has the squares.
        (DIMENSIONS, DIMENSIONS + 1, of_pairs),
        (N_AT_END, N_AT_END, of_tokens),
    )
    for dimensions, heads, accuracy in sizes_and_accuracies:
        layers = {
            "value": f"positions in the values, {dimensions} dimensions",
            "score": f"a bias for each place in the scores, {heads} heads",
            "key": f"positions in the keys alone, {dimensions} dimensions, {heads} heads",
        }
        for changed, layer in layers.items():
            yield AtEnd(changed, layer, "linear", N_AT_END, accuracy)
    accuracy = _accuracy(_likelihood_ratios(scale), 1, scale)
    layer = "the query one of the tokens, and added to the output"
    yield AtEnd("query", layer, "uniform", FEW_AT_END, accuracy)


def _pairs_of_one_position(scale: int) -> Values:
    """The worth of a pair of tokens that share a position, and its law, on a grid of the pair's sum
    and difference.

    Beside the sum of all squares, the sums of pairs are seen. Of each pair the sum and the
    difference, over sqrt 2, have the same law.
    """
    coordinate = _tokens(MU / math.sqrt(2), 400 * scale)
    worth_of_sum = np.logaddexp(0, 4.3 * coordinate.worth - 13.4)
    worth_of_square = coordinate.worth * coordinate.worth / 42
    return Values(
        worth=np.add.outer(worth_of_sum, worth_of_square).ravel(),
        on_d0=np.outer(coordinate.on_d0, coordinate.on_d0).ravel(),
        of_needle=np.outer(coordinate.of_needle, coordinate.of_needle).ravel(),
    )


def _likelihood_ratios(scale: int) -> Values:
    """The log of the likelihood ratio, and its law, of the pair that a layer sees whose query is
    one of FEW_AT_END tokens: this token, and the sum of the others over its standard deviation."""
    tokens = _tokens(MU, 400 * scale)
    mu_of_rest = MU / math.sqrt(FEW_AT_END - 1)
    query = np.exp(MU * tokens.worth - MU * MU / 2)
    rest = np.exp(mu_of_rest * tokens.worth - mu_of_rest * mu_of_rest / 2)
    ratio = np.add.outer(query, (FEW_AT_END - 1) * rest).ravel() / FEW_AT_END
    law = np.outer(tokens.on_d0, tokens.on_d0).ravel()
    return Values(worth=np.log(ratio), on_d0=law, of_needle=law * ratio)


def _tokens(mu: float, points: int) -> Values:
    """Tokens that are worth their z, on a grid of so many points: z ~ N(0, 1), with a needle's mean
    `mu`."""
    z, step = np.linspace(-9.0, mu + 9.0, points, retstep=True)
    step /= math.sqrt(2 * math.pi)
    return Values(z, np.exp(-(z**2) / 2) * step, np.exp(-((z - mu) ** 2) / 2) * step)


def _accuracy(values: Values, n: int, scale: int) -> float:
    """The accuracy of the best threshold on the sum of what n tokens are worth."""
    points = 2**14 * scale
    worth = values.worth
    mean = values.on_d0 @ worth
    spread = math.sqrt(n * (values.on_d0 @ (worth - mean) ** 2))
    step = (np.ptp(worth) + 40 * spread) / points
    # What lies between two points of the grid is shared by them.
    low, share = np.divmod((worth - mean) / step, 1)
    places = np.concatenate([low, low + 1]).astype(int) % points

    def spectrum(law: np.ndarray) -> np.ndarray:
        """The Fourier transform of the law of one token's worth, on the grid of sums."""
        chances = np.concatenate([law * (1 - share), law * share])
        return np.fft.rfft(np.bincount(places, chances, points))

    of_token = spectrum(values.on_d0)
    of_needle = spectrum(values.of_needle)
    difference = np.fft.irfft(of_token ** (n - 1) * (of_token - of_needle))
    below = np.roll(difference, int(20 * spread / step))
    return of_events(float(below.cumsum().max()), 0.0)


ACCURACY_SCHEMA = schema(
    kernel=str, mu=float, n=int, accuracy=float, error=float, kind=str, method=str
)
BOUND_ENDS = schema(
    changed=str,
    layer=str,
    inside=bool,
    kernel=str,
    mu=float,
    n=int,
    accuracy=float,
    error=float,
    limit=float,
)
CRITICAL_SCHEMA = schema(kernel=str, mu=float, n_critical=float, error=float, kind=str, method=str)
"""Where n_critical is inf or 0 it has no error."""
SINK_SCHEMA = schema(
    mu=float, n=int, right_at=int, c=float, accuracy=float, right_sink=float, error=float
)

COLUMNS_WITHOUT_END = ("n_critical",)

_ABOUT = (
    "n tokens with independent normal noise of standard deviation 1; on D1 one of them has mu "
    f"added; D0 and D1 are equally likely. A {BOUND} is what no layer of the kernel can pass, of "
    "any number of heads that each sum a score times a value over all tokens, both linear in the "
    "token and the same functions at every place, and anything behind; "
    f"a {REFERENCE} is the accuracy of one query and one threshold: for powers on the ratio of "
    "sums, at the best shift and threshold found, for exp on the largest token, which softmax "
    "tends to as it grows sharp. Nothing passes the likelihood "
    f"ratio ({BEST})."
)
ABOUT = {
    "needle_lines": f"{_ABOUT}\nThe error is how far a finer grid moves the accuracy; that of "
    "powers has in it how far two searches for the shift and threshold may differ. Powers at "
    "fewer than 8 tokens have errors up to 0.002.",
    "needle_critical": f"{_ABOUT}\nn_critical is interpolated in log n between two whole numbers; "
    "infinite where the accuracy is above 0.75 at n = 10^15 still, 0 where it is below at n = 1. "
    "The error is what the errors of the two accuracies make of it.",
    "needle_bound_ends": "Layers at the ends of the class of the bounds, with weights set by hand, "
    "and the limit inside it. What a row has changed is named first. The error is how far a finer "
    "grid moves the accuracy.",
    "needle_sink": "Softmax of scores μz with a sink, whose logit is right for right_at tokens, at "
    "n; a needle is detected where its weight is below 1/2: where the likelihood ratio is above "
    "c = right_at / n. Without right_at the logit is 0: softmax-one. right_sink is the accuracy of "
    "the sink that is right at n. The last n with an accuracy of 0.75 has a row too.",
}


def accuracy_rows(line: Line, job: LinesSettings) -> Iterator[Row]:
    """The rows of a line in the table of accuracies."""
    for mu in job.mus:
        accuracy_at = line.at(mu)
        # From small n to large, for the search of powers begins where it ended; rows as asked.
        accuracies = {n: accuracy_at(n) for n in sorted(job.sizes)}
        for n in job.sizes:
            accuracy = accuracies[n]
            columns = {"n": n, "accuracy": accuracy.value, "error": accuracy.error}
            yield _line_columns(line, mu) | columns


def critical_rows(line: Line, job: LinesSettings) -> Iterator[Row]:
    """The rows of a line in the table of critical n."""
    for mu in job.critical:
        critical = line.critical(mu)
        error = critical.error if math.isfinite(critical.n) else None
        yield _line_columns(line, mu) | {"n_critical": critical.n, "error": error}


def sink_rows(job: LinesSettings) -> Iterator[Row]:
    """The rows of sinks, each right for a number of tokens, at the sizes and at the last n with an
    accuracy of .75; those of `right_at` null are of softmax-one's, whose logit is 0."""
    for mu, right_at in itertools.product(job.mus, (*job.sinks, None)):
        # At this number, which is no whole one, the logit that is right is 0.
        right = math.exp(-mu * mu / 2) if right_at is None else right_at
        accuracy_at = partial(sink_accuracy, mu, logit=right_sink(mu, right))
        sizes = {*job.sizes}
        last_accurate = crossing(accuracy_at, right).n
        if 1 <= last_accurate < math.inf:
            sizes.add(int(last_accurate))
        for n in sorted(sizes):
            accuracy = accuracy_at(n)
            yield {
                "mu": mu,
                "n": n,
                "right_at": right_at,
                "c": right / n,
                "accuracy": accuracy.value,
                "right_sink": bayes.best_accuracy(mu, n).value,
                "error": accuracy.error,
            }


def _line_columns(line: Line, mu: float) -> Row:
    """The columns of a row that say of which line it is."""
    return {"kernel": line.name, "mu": mu, "kind": line.kind, "method": line.method}


def tables(job: LinesSettings) -> dict[str, pa.Table]:
    """The four tables of lines, bounds' ends and sinks, by name."""
    progress = Progress("needle-lines", len(LIMITS_BY_KERNEL), "lines")
    accuracies: list[Row] = []
    critical: list[Row] = []
    for line in LIMITS_BY_KERNEL.values():
        accuracies += accuracy_rows(line, job)
        critical += critical_rows(line, job)
        progress.advance()
    return {
        "needle_lines": table_from_rows(accuracies, ACCURACY_SCHEMA),
        "needle_critical": table_from_rows(critical, CRITICAL_SCHEMA),
        "needle_bound_ends": table_from_rows(list(ends()), BOUND_ENDS),
        "needle_sink": table_from_rows(list(sink_rows(job)), SINK_SCHEMA),
    }


def run(job: LinesSettings, output: Path) -> None:
    provenance = record(job.canonical(), __name__)
    for name, table in tables(job).items():
        stem = output.with_name(name)
        write_result(
            table, stem, provenance, TITLES[name], ABOUT[name], endless=COLUMNS_WITHOUT_END
        )
