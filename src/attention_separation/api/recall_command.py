"""The command `recall`."""

import argparse
from typing import Any

from ..recall import accuracy, decay, delta, largest_n, least_squares, window
from ..recall.layers import Layer, layer_of
from .commands import print_json, print_table, warnings_in_a_line, whole

OPTIONS = ("age", "cosine", "rewrites", "trials", "seed")


def recall_command(parser: argparse.ArgumentParser) -> None:
    """Command `recall`: how many pairs of a key and a value a layer holds; with --n its accuracy
    there."""
    parser.add_argument(
        "layer", metavar="LAYER", help="a kernel's name, a formula, delta, or least_squares"
    )
    parser.add_argument("--d", type=whole, required=True, help="dimension of the head")
    parser.add_argument("--n", type=whole, nargs="+", help="numbers of pairs")
    parser.add_argument("--level", type=float, default=0.9, help="accuracy (default 0.9)")
    parser.add_argument("--beta", type=float, help="of delta, 1 if not given")
    parser.add_argument("--decay", type=float, help="factor for each step of age")
    parser.add_argument("--window", type=whole, help="writes that are seen")
    parser.add_argument("--age", type=whole, help="of the key, 0 for the latest")
    parser.add_argument("--cosine", type=float, default=1.0, help="of the query and its key")
    parser.add_argument(
        "--rewrites", type=whole, default=0, help="how often all was written before"
    )
    parser.add_argument("--trials", type=whole, help="of what is simulated")
    parser.add_argument("--seed", type=whole, default=0, help="of what is simulated")
    parser.add_argument("--json", action="store_true", help="answer for programs")
    parser.set_defaults(run=_recall)


def _recall(arguments: argparse.Namespace) -> None:
    """Print the accuracy of the layer of the arguments at each n, or without n the largest n that
    reaches the level."""
    layer = _layer(arguments)
    options = {name: getattr(arguments, name) for name in OPTIONS}
    rows: list[dict[str, Any]] = []
    with warnings_in_a_line("recall"):
        if arguments.n is None:
            last = largest_n(layer, arguments.d, arguments.level, **options)
            rows.append({"layer": layer.name, f"largest n at {arguments.level:g}": last})
        for n in arguments.n or ():
            recalled = accuracy(layer, n, arguments.d, **options)
            rows.append({"layer": layer.name, "n": n, **vars(recalled)})
    if arguments.json:
        print_json(rows)
    else:
        print_table(rows)


def _layer(arguments: argparse.Namespace) -> Layer:
    """The layer of the options; ValueError where one of them is another layer's."""
    if arguments.layer == "delta":
        if arguments.window is not None:
            raise ValueError("--window with delta; allowed: with kernels")
        beta = 1.0 if arguments.beta is None else arguments.beta
        return delta(beta, 1.0 if arguments.decay is None else arguments.decay)
    if arguments.beta is not None:
        raise ValueError(f"--beta with {arguments.layer}; allowed: with delta")
    layer: Layer = (
        least_squares() if arguments.layer == "least_squares" else layer_of(arguments.layer)
    )
    if arguments.window is not None:
        layer = window(layer, arguments.window)
    if arguments.decay is not None:
        layer = decay(layer, arguments.decay)
    return layer
