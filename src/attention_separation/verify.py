"""Whether files of results are those of this code and config.

Parquet files carry digests of what they depend on. Pictures, csv and html have those of the parquet
file beside them, and a sha256 in manifest.json. Of the first paper a sample of points is computed
again; of the second nothing, for another processor may move the last bits of training.
"""

import argparse
from pathlib import Path

from .commands import study_of
from .config import load_config, overrides_of
from .results import file_states
from .results.declaration import sharing_folder

SAMPLE = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="folder of results, such as results")
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="as after --config")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="points to compute again")
    parser.add_argument("--seed", type=int, default=0, help="which points these are")


def run(arguments: argparse.Namespace) -> None:
    config = load_config(Path("config.yaml"), overrides_of(arguments.overrides))
    studies = config.studies()
    study = studies[study_of(arguments.command)]
    file_states.check_folder(arguments.folder)
    expected = {}
    for each in sharing_folder(study, studies):
        expected |= each.expected_tables()
    found = file_states.states(arguments.folder, expected)
    wrong = file_states.print_states(found)
    again = study.recompute(arguments.folder, arguments.sample, arguments.seed)
    for sentence in again:
        print(f"computed again: {sentence}")
    different = [sentence for sentence in again if not sentence.endswith("the same")]
    if wrong or different:
        points = f", {len(different)} points differ" if again else ""
        raise ValueError(f"{wrong} files are not current{points}")
