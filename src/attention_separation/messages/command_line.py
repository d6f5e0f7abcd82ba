"""Options of commands: whole numbers in a range, and faults in one sentence."""

import argparse
from collections.abc import Callable
from typing import NoReturn

from .words import short_repr, whole_range


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """The type of an option that is a whole number in a range; what is none is one sentence, which
    names the option, the value and the range."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            allowed = whole_range(least, most)
            raise argparse.ArgumentTypeError(f"{short_repr(text)}; allowed: {allowed}")
        return value

    return read


class Parser(argparse.ArgumentParser):
    """As the library's, but a fault is one sentence of at most MOST_CHARACTERS."""

    MOST_CHARACTERS = 500

    def error(self, message: str) -> NoReturn:
        """End with a message as the library does, but cut a long one."""
        if len(message) > self.MOST_CHARACTERS:
            message = f"{message[: self.MOST_CHARACTERS]}..."
        super().error(message)
