"""A line of progress now and then, for jobs that take their time."""

import sys
import time

LEAST_SECONDS = 5.0
"""Between two lines."""


class Progress:
    """Prints `name: done of total unit, seconds` to stderr, at most every LEAST_SECONDS seconds."""

    def __init__(self, name: str, total: int, unit: str):
        self.name = name
        self.total = total
        self.unit = unit
        self.start = self.last = time.monotonic()
        self.done = 0

    def advance(self, count: int = 1) -> None:
        """Add to the work done, and print a line if the last one was long enough ago."""
        self.done += count
        now = time.monotonic()
        if now - self.last >= LEAST_SECONDS:
            self.last = now
            elapsed = now - self.start
            left = elapsed * (self.total - self.done) / self.done
            text = f"{self.name}: {self.done} of {self.total} {self.unit}"
            print(f"{text}, {elapsed:.0f} s, about {left:.0f} s left", file=sys.stderr, flush=True)
