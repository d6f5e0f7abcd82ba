"""Facts of one noisy token among n."""

import math
from statistics import mean

from ...pages.rendering import Tables, one


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
        wanted = {"features": None, "mu": 5.0, "n": 512, "control": False} | wanted
        return mean(row["accuracy"] for row in self._tables("needle/needle_cells", **wanted))
