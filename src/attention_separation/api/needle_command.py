"""The command `needle`."""

import argparse

from ..needle import critical_n, limit
from .commands import print_json, print_table, warnings_in_a_line, whole


def needle_command(parser: argparse.ArgumentParser) -> None:
    """Command `needle`: the accuracy with which one query detects a token in noise; without --n the
    n at which that is 0.75."""
    names = "uniform, linear, power_2, power_3, power_4, exp or bayes"
    parser.add_argument("kernels", nargs="+", metavar="KERNEL", help=names)
    parser.add_argument("--mu", type=float, required=True, help="signal to noise, 0.1 to 10")
    parser.add_argument("--n", type=whole, nargs="+", help="numbers of tokens, to 10^15")
    parser.add_argument("--json", action="store_true", help="answer for programs")
    parser.set_defaults(run=_needle)


def _needle(arguments: argparse.Namespace) -> None:
    """Print each kernel's accuracy at each n, or without n the n at which it is 0.75."""
    rows: list[dict[str, str | float]] = []
    with warnings_in_a_line("needle"):
        for kernel in arguments.kernels:
            row: dict[str, str | float] = {"kernel": kernel}
            if arguments.n is None:
                row["critical n"] = critical_n(kernel, arguments.mu)
            for n in arguments.n or ():
                row[f"n = {n:,}"] = limit(kernel, arguments.mu, n)
            rows.append(row)
    if arguments.json:
        print_json(rows)
    else:
        print_table(rows)
