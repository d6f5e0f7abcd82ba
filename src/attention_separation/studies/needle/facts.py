"""Facts of one noisy token among n."""

import math

from ...pages.rendering import Tables, one
from ...statistics.means import Mean

LEVEL = 0.05
"""Chance that the interval of a mean misses it."""


class Needle:
    """One noisy token among n: `docs/needle/`."""

    def __init__(self, tables: Tables):
        self._tables = tables

    def critical(self, kernel: str, mu: float = 5.0) -> float:
        """The n at which a kernel's best accuracy is 0.75."""
        return one(self._tables("needle/needle_critical"), kernel=kernel, mu=mu)["n_critical"]

    def last(self, kernel: str, mu: float = 5.0) -> int:
        """The largest whole n with an accuracy of 0.75 or more."""
        return math.floor(self.critical(kernel, mu))

    def trained(self, **wanted: object) -> float:
        """The mean held-out accuracy of trained networks, over runs."""
        return self._over_runs(**wanted).value

    def trained_words(self, **wanted: object) -> str:
        """The same with half of Student's interval of 95 %."""
        accuracy = self._over_runs(**wanted)
        half = accuracy.interval(LEVEL).high - accuracy.value
        return f"{accuracy.value:.3f} ± {half:.3f}"

    def _over_runs(self, **wanted: object) -> Mean:
        """The mean held-out accuracy of trained networks, with its standard error over runs."""
        wanted = {"features": None, "mu": 5.0, "n": 512, "control": False} | wanted
        rows = self._tables("needle/needle_cells", **wanted)
        return Mean.of([row["accuracy"] for row in rows])
