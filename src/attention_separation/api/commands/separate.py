"""Command `separate`: what one kernel's network alone can do."""

import argparse

from ..separating import Separation, separate
from . import options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kernel", required=True, help="a name, or a formula such as 'x**4'")
    parser.add_argument(
        "--n", type=options.whole, default=200, help="number of tokens (default 200)"
    )
    parser.add_argument("--theta", default="best", help="best, paper, or a number")
    options.add_layer(parser)


def run(arguments: argparse.Namespace) -> None:
    at = options.layer_options(arguments)
    with options.warnings_in_a_line("separate"):
        found = separate(arguments.kernel, n=arguments.n, theta=_theta(arguments.theta), **at)
        answer = options.public(found) | _margin(found)
        answer["largest_n"] = options.reach_of(arguments.kernel, arguments.level, at)
    if arguments.json:
        options.print_json(answer)
    else:
        options.print_table([{"": name, "value": value} for name, value in answer.items()])


def _margin(found: Separation) -> dict[str, float | None]:
    """The margin, but where it would take more memory than there may be."""
    try:
        return {"margin": found.margin}
    except MemoryError:
        return {}


def _theta(text: str) -> str | float:
    """A threshold's word, or its number."""
    try:
        return float(text)
    except ValueError:
        return text
