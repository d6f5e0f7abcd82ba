"""What a run makes: every parquet file, with the digests that it carries when it is current."""

from collections.abc import Iterable

from attention_separation.__main__ import module_of
from attention_separation.config import Config, digest_of
from attention_separation.provenance import code_digest
from attention_separation.settings import Closed
from attention_separation.softmax_vs_linear.models import modules_of_others
from attention_separation.verifying import Current

SCHEMATICS = ("fig1", "fig2", "fig6")


def code_of(verb: str, models: Iterable[str] | None = None) -> str:
    """Digest of the code that a verb's outputs depend on; those of some models alone do not depend
    on the others'."""
    without = () if models is None else modules_of_others(models)
    return code_digest(module_of(verb), without=without)


def models_of(config: Config, verb: str) -> list[str] | None:
    """The models that the one result of a verb is of; None where it does not say."""
    panels = {
        "choices": config.choices_job().panels,
        "threshold": config.threshold_job().panels,
        "theta": [panel for row in config.theta_job().rows for panel in row.panels],
    }
    if verb == "phase":
        return [entry.model for entry in config.phase.values()]
    return [panel.panel.model for panel in panels[verb]] if verb in panels else None


def parquet_files(config: Config) -> dict[str, Current]:
    """The parquet files of a whole run, by their path below the folder of results."""
    found: dict[str, Current] = {}

    def add(path: str, job: Closed, verb: str, models: Iterable[str] | None = None) -> None:
        found[path] = Current(digest_of(job), code_of(verb, models))

    for name, panel in config.panels.items():
        add(f"panels/{name}", config.panel_job(name), "simulate", [panel.model])
        add(f"exact/{name}", config.exact_panel(name), "exact", [panel.model])
    for name, figure in config.figures.items():
        add(f"figures/{name}", config.figure_job(name, figure.panels), "figure")
    for name in config.panels:
        add(f"figures/{name}", config.figure_job(name, [name]), "figure")
    for name in ("verdicts", "verdicts_points"):
        add(f"tables/{name}", config.verdicts_job(), "verdicts")
    add("tables/claims", config.claims_job(), "claims")
    add("tables/whp", config.whp_job(), "whp")
    jobs = {
        "choices": config.choices_job(),
        "threshold": config.threshold_job(),
        "theta": config.theta_job(),
        "phase": config.phase_job(),
    }
    for verb, job in jobs.items():
        for folder in ("figures", "tables") if verb in ("choices", "threshold") else ("figures",):
            add(f"{folder}/{verb}", job, verb, models_of(config, verb))
    return {f"{path}.parquet": current for path, current in found.items()}


def optional(config: Config, path: str) -> bool:
    """Whether a whole run does without a file: panels drawn alone, audits without a subject."""
    folder, _, name = path.removesuffix(".parquet").partition("/")
    if folder == "figures" and name in config.panels:
        return any(name in figure.panels for figure in config.figures.values())
    if name == "threshold":
        return not config.threshold_job().panels
    if name == "theta":
        return not config.theta_job().rows
    return name == "phase" and not config.phase
