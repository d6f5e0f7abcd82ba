"""Command `compare`: several kernels at several n."""

import argparse
import math

from ..comparing import SIZES, compare
from . import options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--kernel", dest="kernels", nargs="+", required=True, help="names, or formulas in x"
    )
    parser.add_argument(
        "--n", type=options.whole, nargs="+", default=SIZES, help="numbers of tokens"
    )
    options.add_layer(parser)


def run(arguments: argparse.Namespace) -> None:
    at = options.layer_options(arguments)
    with options.warnings_in_a_line("compare"):
        table = compare(arguments.kernels, list(arguments.n), **at)
        reach = {name: options.reach_of(name, arguments.level, at) for name in arguments.kernels}
    if arguments.json:
        options.print_json({"rows": table.to_dict("records"), "largest_n": reach})
        return
    wide = table.pivot_table(
        index="kernel", columns="n", values="probability", sort=False, dropna=False
    )
    options.print_table(
        [
            {"kernel": name} | {f"n = {n:,}": _probability(p) for n, p in row.items()}
            | {"separates up to": _reach(reach[given])}
            for given, (name, row) in zip(arguments.kernels, wide.iterrows(), strict=True)
        ]
    )  # fmt: skip


def _probability(p: float) -> float | str:
    return "undecided" if math.isnan(p) else float(p)


def _reach(last: float | str | None) -> str:
    if last is None or isinstance(last, str):
        return last or "none"
    return "10^12 still" if math.isinf(last) else f"{last:,}"
