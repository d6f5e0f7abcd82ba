"""Options of commands: whole numbers in a range, and faults in one sentence."""

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

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


BEGINS_WITH_MINUS = re.compile(r"-(?!-|h$|[0-9.]+$)")
"""A word that is neither an option nor a negative number."""


class Parser(argparse.ArgumentParser):
    """As the library's, but a fault is one sentence of at most MOST_CHARACTERS."""

    MOST_CHARACTERS = 500

    words: Sequence[str] = ()
    """What is parsed."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """What the library gives, of words that are kept for what an error says."""
        self.words = sys.argv[1:] if args is None else list(args)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """End with a message as the library does, but cut a long one; of a formula that begins with
        a minus, which is taken for an option, say how it is given."""
        if len(message) > self.MOST_CHARACTERS:
            message = f"{message[: self.MOST_CHARACTERS]}..."
        formula = next(filter(BEGINS_WITH_MINUS.match, self.words), None)
        if formula is not None and "--" not in self.words:
            message += f"; a formula that begins with a minus comes after --: -- {formula}"
        super().error(message)
