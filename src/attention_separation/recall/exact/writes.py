"""Which writes a query sees, and by what factor each is weighted beside its score."""

import math
from dataclasses import dataclass

import numpy as np

VANISHED = 1e-10
"""Factor of a decay from which on a write is left out, where all weights are of one size."""


@dataclass(frozen=True)
class Writes:
    """n keys, written in r + 1 passes in one order, each with a fresh value in each pass.

    The age of a key is counted in the last pass, 0 for the latest; its write i passes earlier has
    the age `age + i n`.

    Attributes
    ----------
    n : keys
    rewrites : r
    decay : factor for each step of age
    window : age from which on a write is not seen; inf for none
    vanishing : factor of a decay from which on a write is left out
    """

    n: int
    rewrites: int = 0
    decay: float = 1.0
    window: float = math.inf
    vanishing: float = VANISHED

    @property
    def end(self) -> int:
        """The age from which on a write has no weight, or a negligible one."""
        end = min(self.window, self.n * (self.rewrites + 1))
        if self.decay < 1:
            end = min(end, math.ceil(math.log(self.vanishing) / math.log(self.decay)))
        return int(end)

    @property
    def keys_seen(self) -> int:
        """Keys of which at least one write is seen, the youngest."""
        return min(self.n, self.end)

    def counts(self, ages: np.ndarray) -> np.ndarray:
        """The number of writes, the latest ones, that are seen of keys of these ages."""
        return np.clip((self.end - ages + self.n - 1) // self.n, 0, self.rewrites + 1)

    def keys_by_count(self) -> dict[int, int]:
        """The number of keys for each number of writes that are seen, of keys that have any."""
        if self.end == 0:
            return {}
        passes, rest = divmod(self.end, self.n)
        by_count = {passes: self.n - rest, passes + 1: rest}
        return {count: keys for count, keys in by_count.items() if count > 0 and keys > 0}

    def factors(self, age: int, count: int) -> np.ndarray:
        """The factors of the latest `count` writes of a key of an age, (count,)."""
        return self.decay ** (age + self.n * np.arange(count, dtype=float))
