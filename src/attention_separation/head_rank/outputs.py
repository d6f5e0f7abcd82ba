"""What a run of this paper makes: every parquet file, with its digests when it is current."""

from attention_separation.__main__ import module_of
from attention_separation.config import Config, digest_of
from attention_separation.head_rank.study import NUMBERS, TABLES
from attention_separation.results.provenance import code_digest
from attention_separation.results.verifying import Current
from attention_separation.settings.canonical import digest


def parquet_files(config: Config) -> dict[str, Current]:
    """The parquet files of a whole run, by their path below the folder of results."""
    study, seed = config.head_rank, config.seed
    found = {}

    def add(path: str, settings: str, verb: str) -> None:
        found[f"{path}.parquet"] = Current(settings, code_digest(module_of(verb)))

    for name, (_, _, figure) in NUMBERS.items():
        add(f"numbers/{name}", digest_of(study.numbers_job(name, seed)), f"rank-{name}")
        job = study.numbers_figure_job(name, seed)
        add(f"figures/{figure}", digest_of(job), f"rank-{name}-figure")
    for name, job in study.every_cell(seed).items():
        add(f"cells/{name}", digest(job.canonical()), "rank-train")
    for figure in study.cells_of_figures(seed):
        add(f"figures/{figure}", digest_of(study.figure_job(figure, seed)), "rank-figure")
    for name in TABLES:
        add(f"tables/{name}", digest_of(study.claims_job(seed)), "rank-claims")
    return found
