"""Verb `rank-verify`: whether the files of this paper's results are those of this code and config.

Nothing is computed again: another processor may move the last bits of training.
"""

import argparse
from pathlib import Path

from attention_separation.config import load_config, overrides_of
from attention_separation.head_rank.outputs import parquet_files
from attention_separation.results import verifying


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="folder of results, such as results/head_rank")
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="as after --config")


def run(arguments: argparse.Namespace) -> None:
    config = load_config(Path("config.yaml"), overrides_of(arguments.overrides))
    verifying.check_folder(arguments.folder)
    wrong = verifying.told(verifying.states(arguments.folder, parquet_files(config)))
    if wrong:
        raise ValueError(f"{wrong} files are not current")
