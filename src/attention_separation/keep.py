"""Tables and pictures of finished runs, put into docs/, where pages are made from them."""

import argparse
from pathlib import Path

from .commands import STUDIES
from .config import load_config
from .pages.keeping import keep_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    names = [prefix or "paper" for prefix in STUDIES]
    parser.add_argument("studies", nargs="+", choices=names, help="of which studies")
    parser.add_argument("--docs", type=Path, default=Path("docs"), help="folder to write to")


def run(arguments: argparse.Namespace) -> None:
    studies = load_config(Path("config.yaml")).studies()
    for name in arguments.studies:
        study = studies[STUDIES["" if name == "paper" else name]]
        count = keep_run(study, arguments.docs)
        print(f"{name}: {count} results of {study.folder} in {arguments.docs / study.kept_in}")
        if name == "rank":
            from .head_rank.paper_size import keep_paper_size

            for line in keep_paper_size(Path(study.folder), arguments.docs):
                print(line)
