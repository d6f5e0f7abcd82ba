"""The pages of docs/ and README.md, from their templates and the tables that docs/ keeps."""

import argparse
from pathlib import Path

from .pages.facts import FACTS
from .pages.rendering import write_pages


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--docs", type=Path, default=Path("docs"), help="folder to write to")


def run(arguments: argparse.Namespace) -> None:
    write_pages(arguments.docs / "templates", arguments.docs, FACTS)
