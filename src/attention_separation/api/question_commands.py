"""The commands `largest-n` and `success`."""

import argparse
from typing import Any

from .commands import (
    add_kernels,
    add_layer,
    kernels_given,
    largest_n_in_words,
    layer_options,
    print_json,
    print_table,
    reach_of,
    runs_in_words,
    warnings_in_a_line,
    whole,
    word,
)
from .separating import PAPERS_CONTEST, success


def n_command(parser: argparse.ArgumentParser) -> None:
    """Command `largest-n`: up to how many tokens kernels separate, and at which before they do
    not."""
    add_kernels(parser, several=True)
    add_layer(parser)
    parser.set_defaults(run=_largest_n)


def _largest_n(arguments: argparse.Namespace) -> None:
    """Print up to which n each kernel of the arguments separates, and the runs of n at which it
    does."""
    options = layer_options(arguments)
    with warnings_in_a_line("largest-n"):
        answers_by_kernel = {
            name: reach_of(name, arguments.level, options) for name in kernels_given(arguments)
        }
    if arguments.json:
        print_json(answers_by_kernel)
        return
    rows: list[dict[str, Any]] = []
    for name, answer in answers_by_kernel.items():
        rows.append(
            {
                "kernel": name,
                "separates up to": largest_n_in_words(answer["largest_n"]),
                "at n": runs_in_words(answer["spans"]),
            }
        )
    print_table(rows)


def success_command(parser: argparse.ArgumentParser) -> None:
    """Command `success`: the exact probability that one kernel fires while others stay silent."""
    parser.add_argument("--fires", default=PAPERS_CONTEST["fires"], help="kernel (default exp)")
    parser.add_argument(
        "--silent", nargs="+", default=PAPERS_CONTEST["silent"], help="kernels (default linear)"
    )
    parser.add_argument("--n", type=whole, default=200, help="number of tokens (default 200)")
    parser.add_argument("--theta", type=word, default="paper", help="paper, best, or a number")
    add_layer(parser, has_level=False)
    parser.set_defaults(run=_success)


def _success(arguments: argparse.Namespace) -> None:
    """Print the probability that the contest of the arguments succeeds, and that of each of its
    events."""
    contest = {"fires": arguments.fires, "silent": arguments.silent}
    with warnings_in_a_line("success"):
        result = success(contest, n=arguments.n, theta=arguments.theta, **layer_options(arguments))
    answer = {"probability": result.probability, "theta": result.theta, **result.events}
    answer |= {"n": result.n, "d": result.d, "m": result.m}
    if arguments.json:
        print_json(answer)
    else:
        print_table([{"": name, "value": value} for name, value in answer.items()])
