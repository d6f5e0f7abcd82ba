"""What other kernels would give on the same scores: each rest token stands for (N - k)/m."""

from collections.abc import Callable

import numpy as np

from ..api.build import Given, kernel_of
from ..attention.kernel import Kernel, KernelInputs
from ..attention.threshold_curves import LARGEST_N
from .rows import LEAST_REST, Rows


def kernel_columns(
    rows: Rows, n: float | None, level: float, given: Given
) -> dict[str, np.ndarray]:
    """share, reach, reach_low of rows, (R,), and share_at_n where a number is given; the largest N
    of the reach is 10^12, and it is inf where the share still has the level there."""
    kernel = kernel_of(given)
    if kernel.kind == "features" or "d" in kernel.also:
        needed = "vectors" if kernel.kind == "features" else "d"
        raise ValueError(f"kernel {kernel.name} needs {needed}; allowed: kernels of scores alone")
    found = np.full((len(rows.m), 3), np.nan)
    for row in np.flatnonzero(rows.m >= LEAST_REST):

        def share(at: np.ndarray, row: int = row) -> np.ndarray:
            return shares(kernel, rows, row, at)

        now, then = share(np.array([rows.n[row], n or rows.n[row]]))
        found[row] = now, _reach(share, rows.k[row] + 1, level), then
    share_now, reach, share_at_n = found.T
    # Where no rival was seen: of m tokens that have none, 3/m may be one.
    low = np.where(reach == np.inf, rows.m / 3, np.nan)
    columns = {"share": share_now, "reach": reach, "reach_low": low}
    return columns if n is None else columns | {"share_at_n": share_at_n}


def shares(kernel: Kernel, rows: Rows, row: int, n: np.ndarray) -> np.ndarray:
    """The target's share of the summed weight of a row among n tokens, (P,) for (P,)."""
    keys = rows.visible[row]
    each = (n - rows.k[row]) / rows.m[row]
    counts = np.where(rows.rest[row, keys], each[:, None], 1.0)[:, None]
    scores = np.broadcast_to(rows.scores[row, keys], counts.shape)
    seen = KernelInputs(scores, None, None, counts, n=n[:, None, None], d=1)
    by_sign = kernel.signed if (scores < 0).any() else None
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = (by_sign or kernel.attention_weights)(seen)
        if by_sign or kernel.normaliser == "none":
            weights = weights / (weights * counts).sum(-1, keepdims=True)
    if not (weights >= 0).all():
        raise ArithmeticError(
            f"{kernel.name}: weights of scores from {scores.min():.3g} to {scores.max():.3g} are "
            "negative or no numbers; allowed: kernels that are not, of these"
        )
    return weights[:, 0, rows.is_target[row, keys]][:, 0]


def _reach(share: Callable[[np.ndarray], np.ndarray], least: int, level: float) -> float:
    """The largest N from `least` to 10^12 at which the share has the level, of 97 numbers and
    between two of them; 0 if there is none."""
    points = np.geomspace(least, LARGEST_N, 97)
    there = np.flatnonzero(share(points) >= level)
    if not len(there):
        return 0.0
    if there[-1] == len(points) - 1:
        return np.inf
    low, high = points[there[-1]], points[there[-1] + 1]
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if share(np.array([middle]))[0] >= level else (low, middle)
    return low
