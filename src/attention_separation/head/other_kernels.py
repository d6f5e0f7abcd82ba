"""What other kernels would give on the same scores: each rest token stands for (N - k)/m."""

import numpy as np

from ..api.build import Given, kernel_of
from ..attention.kernel import Kernel, KernelInputs
from ..attention.threshold_curves import LARGEST_N
from .columns import LEAST_REST
from .scores import Rows

POINTS = 97
"""Numbers of tokens at which the share is looked at, before it is bisected between two of them."""

BISECTIONS = 60


def kernel_columns(
    rows: Rows, n: float | None, level: float, given: Given
) -> dict[str, np.ndarray]:
    """n, share, reach, reach_low of rows, (R,), and share_at_n where a number is given; the largest
    N of the reach is 10^12, and it is inf where the share still has the level there."""
    kernel = kernel_of(given)
    if kernel.kind == "features" or "d" in kernel.also:
        needed = "vectors" if kernel.kind == "features" else "d"
        raise ValueError(f"kernel {kernel.name} needs {needed}; allowed: kernels of scores alone")
    found: dict[str, list[float]] = {"n": [], "share": [], "reach": [], "reach_low": []}
    if n is not None:
        found["share_at_n"] = []
    for k in range(len(rows.scores)):
        row = Row(kernel, rows, k)
        short = row.m < LEAST_REST
        reach = np.nan if short else row.reach(level)
        values = {
            "n": row.n,
            "share": np.nan if short else row.share(np.array([row.n]))[0],
            "reach": reach,
            # No rival was seen: of m tokens that have none, 3/m may be one.
            "reach_low": row.m / 3 if reach == np.inf else np.nan,
        }
        if n is not None:
            values["share_at_n"] = np.nan if short else row.share(np.array([n]))[0]
        for name, value in values.items():
            found[name].append(value)
    return {name: np.array(values) for name, values in found.items()}


class Row:
    """One row: the target first, then the fixed tokens, then the rest."""

    def __init__(self, kernel: Kernel, rows: Rows, k: int):
        fixed, rest = (rows.scores[k][which[k]] for which in (rows.others & ~rows.rest, rows.rest))
        self.kernel = kernel
        self.scores = np.concatenate([rows.of_target[k], fixed, rest])
        self.k, self.m = 1 + len(fixed), len(rest)
        self.n = self.k + self.m

    def share(self, n: np.ndarray) -> np.ndarray:
        """The target's share of the summed weight among n tokens, (P,) for (P,)."""
        counts = np.ones((len(n), 1, self.n))
        counts[..., self.k :] = ((n - self.k) / self.m)[:, None, None]
        scores = np.broadcast_to(self.scores, counts.shape)
        kernel = self.kernel
        seen = KernelInputs(scores, None, None, counts, n=n[:, None, None], d=1)
        if kernel.signed is not None and (self.scores < 0).any():
            weights = kernel.signed(seen)
            total = (weights * counts).sum(-1, keepdims=True)
            weights = weights / total
        else:
            with np.errstate(invalid="ignore"):
                weights = kernel.attention_weights(seen)
            if kernel.normaliser == "none":
                weights = weights / (weights * counts).sum(-1, keepdims=True)
        if (weights < 0).any():
            raise ArithmeticError(
                f"{kernel.name}: weights of scores from {self.scores.min():.3g} to "
                f"{self.scores.max():.3g} are negative; allowed: kernels that are not, of these"
            )
        return weights[:, 0, 0]

    def reach(self, level: float) -> float:
        """The largest N up to 10^12 at which the share has the level, of POINTS and between."""
        points = np.geomspace(self.k + 1, LARGEST_N, POINTS)
        there = np.flatnonzero(self.share(points) >= level)
        if not len(there):
            return 0.0
        if there[-1] == POINTS - 1:
            return np.inf
        low, high = points[there[-1]], points[there[-1] + 1]
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            low, high = (
                (middle, high) if self.share(np.array([middle]))[0] >= level else (low, middle)
            )
        return low
