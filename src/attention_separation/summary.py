"""What the results of a study say, a line each."""

import argparse
from pathlib import Path

from .commands import study_of
from .config import load_config, overrides_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="as after --config")


def run(arguments: argparse.Namespace) -> None:
    config = load_config(Path("config.yaml"), overrides_of(arguments.overrides))
    study = config.studies()[study_of(arguments.command)]
    for line in study.summary(Path(study.folder)):
        print(line)
