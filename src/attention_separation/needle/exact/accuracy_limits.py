"""The accuracy of each line against n, where each is .75, where bounds end, and what a sink that is
right at another n comes to."""

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from ...pages.table_page import write_result
from ...results.progress import Progress
from ...results.provenance import record
from ...results.tables import schema, table_from_rows
from ..settings.exact import LinesSettings
from ..settings.titles import LINES as TITLES
from . import bayes
from .accuracy import crossing, of_events
from .limits import BEST, BOUND, LINES, REFERENCE, Line
from .sink import right_sink, sink_accuracy

MU, N, FEW, DIMENSIONS = 5.0, 512, 15, 256


def ends() -> Iterator[dict]:
    """The rows of the table; the error is how far a finer grid moves an accuracy."""
    for (layer, kernel, n, value), (*_, finer) in zip(_reached(1), _reached(2), strict=True):
        yield {
            "layer": layer, "kernel": kernel, "mu": MU, "n": n, "accuracy": finer,
            "error": abs(finer - value), "limit": LINES[kernel].accuracy(MU, n).value,
        }  # fmt: skip


def _reached(scale: int) -> Iterator[tuple[str, str, int, float]]:
    """Layer, kernel, n and accuracy, on a grid so many times finer."""
    z, *laws = _grid(MU, 8000 * scale)
    x = 5 * (z - 3.75)
    # Score and value are 1 + x / |(x, 2.5)|, of the token embedded as (x, 2.5, -x, -2.5).
    both = (1 + x / np.hypot(x, 2.5)) ** 2
    layer = "affine embedding and RMSNorm or LayerNorm before"
    yield layer, "linear", N, _accuracy((both, *laws), N, scale)
    feature = np.where(x > 0, 1 + x, np.exp(np.minimum(x, 0)))
    yield "one feature, elu + 1", "linear", N, _accuracy((feature * z, *laws), N, scale)
    yield "values relu(z − 3.5)", "uniform", N, _accuracy((np.maximum(z - 3.5, 0), *laws), N, scale)
    # Two tokens share a position: beside the sum of all squares, their sums are seen. Of each pair
    # the sum and the difference, over sqrt 2, have the same law.
    z, *laws = _grid(MU / math.sqrt(2), 400 * scale)
    values = np.add.outer(np.logaddexp(0, 4.3 * z - 13.4), z * z / 42).ravel()
    pairs = values, *(np.outer(law, law).ravel() for law in laws)
    layer = "positions in the values, in {} dimensions".format
    yield layer(DIMENSIONS), "linear", N, _accuracy(pairs, DIMENSIONS, scale)
    yield layer("n"), "linear", N, bayes.best_accuracy(MU, N).value
    # The likelihood ratio of the query and of the sum of the other tokens over its deviation.
    z, law, _ = _grid(MU, 400 * scale)
    query, rest = (np.exp(mu * z - mu * mu / 2) for mu in (MU, MU / math.sqrt(FEW - 1)))
    ratio, law = np.add.outer(query, (FEW - 1) * rest).ravel() / FEW, np.outer(law, law).ravel()
    layer = "the query one of the tokens, and added to the output"
    yield layer, "uniform", FEW, _accuracy((np.log(ratio), law, law * ratio), 1, scale)


def _grid(mu: float, points: int) -> list[np.ndarray]:
    """z, what each weighs on D0, and what as the needle."""
    z, step = np.linspace(-9.0, mu + 9.0, points, retstep=True)
    step /= math.sqrt(2 * math.pi)
    return [z, np.exp(-(z**2) / 2) * step, np.exp(-((z - mu) ** 2) / 2) * step]


def _accuracy(laws: Sequence[np.ndarray], n: int, scale: int) -> float:
    """Of the best threshold on a sum of n values with such weights, as those of `_grid`."""
    (values, on_d0, _), points = laws, 2**14 * scale
    mean = on_d0 @ values
    spread = math.sqrt(n * (on_d0 @ (values - mean) ** 2))
    step = (np.ptp(values) + 40 * spread) / points
    low, share = np.divmod((values - mean) / step, 1)
    at = np.concatenate([low, low + 1]).astype(int) % points
    of_d0, of_d1 = (
        np.fft.rfft(np.bincount(at, np.concatenate([law * (1 - share), law * share]), points))
        for law in laws[1:]
    )
    below = np.roll(np.fft.irfft(of_d0 ** (n - 1) * (of_d0 - of_d1)), int(20 * spread / step))
    return of_events(float(below.cumsum().max()), 0.0)


ACCURACIES = schema(kernel=str, mu=float, n=int, accuracy=float, error=float, kind=str, method=str)
BOUND_ENDS = schema(
    layer=str, kernel=str, mu=float, n=int, accuracy=float, error=float, limit=float
)
CRITICAL = schema(kernel=str, mu=float, n_critical=float, error=float, kind=str, method=str)
"""Where n_critical is inf or 0 it has no error."""
SINKS = schema(
    mu=float, n=int, right_at=int, c=float, accuracy=float, right_sink=float, error=float
)

ENDLESS = ("n_critical",)

_ABOUT = (
    "n tokens with independent normal noise of standard deviation 1; on D1 one of them has mu "
    f"added; D0 and D1 are equally likely. A {BOUND} is what no layer of the kernel can pass, of "
    "any number of heads whose queries do not see the tokens, with scores and values linear in "
    f"them, and anything behind; a {REFERENCE} is the accuracy of one query and one threshold: for "
    "powers on the ratio of sums, at the best shift and threshold found, for exp on "
    "the largest token, which softmax tends to as it grows sharp. Nothing passes the likelihood "
    f"ratio ({BEST})."
)
ABOUT = {
    "needle_lines": f"{_ABOUT}\nThe error is how far a finer grid moves the accuracy; that of "
    "powers has in it how far two searches for the shift and threshold may differ. Powers at "
    "fewer than 8 tokens have errors up to 0.002.",
    "needle_critical": f"{_ABOUT}\nn_critical is interpolated in log n between two whole numbers; "
    "infinite where the accuracy is above 0.75 at n = 10^15 still, 0 where it is below at n = 1. "
    "The error is what the errors of the two accuracies make of it.",
    "needle_bound_ends": "Layers just outside the class of the bounds, with weights set by hand, "
    "and the limit inside it. The error is how far a finer grid moves the accuracy.",
    "needle_sink": "Softmax of scores μz with a sink, whose logit is right for right_at tokens, at "
    "n; a needle is detected where its weight is below 1/2: where the likelihood ratio is above "
    "c = right_at / n. Without right_at the logit is 0: softmax-one. right_sink is the accuracy of "
    "the sink that is right at n. The last n with an accuracy of 0.75 has a row too.",
}


def accuracy_rows(line: Line, job: LinesSettings) -> Iterator[dict]:
    """The rows of a line in the table of accuracies."""
    for mu in job.mus:
        accuracy_at = line.at(mu)
        # From small n to large, for the search of powers begins where it ended; rows as asked.
        found = {n: accuracy_at(n) for n in sorted(job.sizes)}
        for n in job.sizes:
            yield _described(line, mu) | {
                "n": n, "accuracy": found[n].value, "error": found[n].error,
            }  # fmt: skip


def critical_rows(line: Line, job: LinesSettings) -> Iterator[dict]:
    """The rows of a line in the table of critical n."""
    for mu in job.critical:
        found = line.critical(mu)
        yield _described(line, mu) | {
            "n_critical": found.n, "error": found.error if math.isfinite(found.n) else None,
        }  # fmt: skip


def sink_rows(job: LinesSettings) -> Iterator[dict]:
    """The rows of sinks, at the sizes and at the last n with an accuracy of .75."""
    for mu, right_at in itertools.product(job.mus, (*job.sinks, None)):
        right = right_at or math.exp(-mu * mu / 2)
        accuracy_at = partial(sink_accuracy, mu, logit=right_sink(mu, right))
        last = crossing(accuracy_at, right).n
        for n in sorted({*job.sizes, *([int(last)] if 1 <= last < math.inf else [])}):
            found, best = accuracy_at(n), bayes.best_accuracy(mu, n)
            yield {
                "mu": mu, "n": n, "right_at": right_at, "c": right / n, "accuracy": found.value,
                "right_sink": best.value, "error": found.error,
            }  # fmt: skip


def _described(line: Line, mu: float) -> dict[str, object]:
    return {"kernel": line.name, "mu": mu, "kind": line.kind, "method": line.method}


def tables(job: LinesSettings) -> dict[str, pa.Table]:
    """All tables by name."""
    progress = Progress("needle-lines", len(LINES), "lines")
    accuracies, critical = [], []
    for line in LINES.values():
        accuracies += accuracy_rows(line, job)
        critical += critical_rows(line, job)
        progress.advance()
    return {
        "needle_lines": table_from_rows(accuracies, ACCURACIES),
        "needle_critical": table_from_rows(critical, CRITICAL),
        "needle_bound_ends": table_from_rows(list(ends()), BOUND_ENDS),
        "needle_sink": table_from_rows(list(sink_rows(job)), SINKS),
    }


def run(job: LinesSettings, output: Path) -> None:
    provenance = record(job.canonical(), __name__)
    for name, table in tables(job).items():
        stem = output.with_name(name)
        write_result(table, stem, provenance, TITLES[name], ABOUT[name], endless=ENDLESS)
