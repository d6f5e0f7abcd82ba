"""Where the bound of linear attention ends: layers just outside its class that pass it.

The class: heads whose queries do not see the tokens, with scores and values linear in the tokens.
Weights are set by hand: an accuracy is one that is reached, by the best threshold on a sum over
tokens, or pairs of them. The law of the sum is found on a grid, by FFT.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from . import bayes
from .accuracy import of_events
from .lines import LINES

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
    yield "values relu(z − 3.5)", "none", N, _accuracy((np.maximum(z - 3.5, 0), *laws), N, scale)
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
    yield layer, "none", FEW, _accuracy((np.log(ratio), law, law * ratio), 1, scale)


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
