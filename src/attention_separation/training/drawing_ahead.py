"""Blocks of random numbers drawn by threads before they are needed. The numbers do not depend on
which thread draws them, nor when."""

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

MOST_THREADS = 8
"""That draw at once: at the second paper's sizes five keep one layer on an H100 busy."""

Block = TypeVar("Block")


class DrawnAhead(Generic[Block]):
    """Blocks by their number, of which those that follow the one asked for last are drawn already.

    Parameters
    ----------
    draw : the block of a number, whenever it is called
    blocks : how many there are; none after these is drawn ahead
    """

    def __init__(self, draw: Callable[[int], Block], blocks: int):
        threads = min(MOST_THREADS, os.cpu_count() or 1)
        self._draw = draw
        self._blocks = blocks
        self._blocks_ahead = 2 * threads
        self._pool = ThreadPoolExecutor(max_workers=threads)
        self._drawn: dict[int, Future[Block]] = {}

    def __call__(self, number: int) -> Block:
        """The block of a number; from then on threads draw those that follow it."""
        last = min(number + self._blocks_ahead, self._blocks - 1)
        wanted = [number, *range(number + 1, last + 1)]
        for other in self._drawn.keys() - wanted:
            self._drawn.pop(other).cancel()
        for each in wanted:
            if each not in self._drawn:
                self._drawn[each] = self._pool.submit(self._draw, each)
        return self._drawn.pop(number).result()
