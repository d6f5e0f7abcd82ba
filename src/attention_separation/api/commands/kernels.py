"""Command `kernels`: the built-in kernels."""

import argparse

from ..listing import COLUMNS, kernels
from .options import print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="answer for programs")


def run(arguments: argparse.Namespace) -> None:
    if arguments.json:
        print_json([dict(zip(COLUMNS, row, strict=True)) for row in kernels.rows()])
    else:
        print(kernels)
