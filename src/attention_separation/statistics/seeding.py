"""Random streams from names: what a stream holds depends on its name alone, never on order."""

import hashlib
from dataclasses import dataclass

import numpy as np

BLOCK_TRIALS = 5000
"""Trials per stream. Fixed: a shorter run is the prefix of a longer one."""


def stream(seed: int, *names: str) -> np.random.Generator:
    """The generator whose 128-bit seed is the hash of the root seed and the names."""
    text = "\x1f".join([str(seed), *names])
    entropy = hashlib.sha256(text.encode()).digest()[:16]
    return np.random.Generator(np.random.SFC64(int.from_bytes(entropy, "big")))


@dataclass(frozen=True)
class BlockStreams:
    """The streams of one block of trials of one point of one panel.

    `point` is the swept parameters' values in canonical text, such as "n=200": a point keeps its
    draws when the grid around it changes.
    """

    seed: int
    panel: str
    point: str
    block: int

    def generator(self, kind: str) -> np.random.Generator:
        """A fresh generator at the start of the stream of one kind of draw."""
        return stream(self.seed, self.panel, self.point, str(self.block), kind)


def blocks(trials: int, size: int = BLOCK_TRIALS) -> list[tuple[int, int]]:
    """The blocks that a number of trials is cut into, each as (its index, its number of trials);
    all but the last have `size` trials."""
    full, rest = divmod(trials, size)
    sizes = [(block, size) for block in range(full)]
    if rest:
        sizes.append((full, rest))
    return sizes
