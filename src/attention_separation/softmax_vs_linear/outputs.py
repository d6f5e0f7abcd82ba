"""What a run makes: every parquet file, with the digests that it carries when it is current."""

from attention_separation.config import Config, digest_of
from attention_separation.provenance import code_digest
from attention_separation.settings import Closed
from attention_separation.softmax_vs_linear.panels import (
    PACKAGE,
    definitions_module,
    exact_module,
    trials_module,
)
from attention_separation.verifying import Current

SCHEMATICS = ("fig1", "fig2", "fig6")


def parquet_files(config: Config) -> dict[str, Current]:
    """The parquet files of a whole run, by their path below the folder of results."""
    found: dict[str, Current] = {}
    models = [panel.model for panel in config.panels.values()]

    def add(path: str, job: Closed, module: str, *more: str) -> None:
        found[path] = Current(
            digest_of(job), code_digest(f"{PACKAGE}.{module}", *sorted(set(more)))
        )

    for name, panel in config.panels.items():
        add(f"panels/{name}", config.panel_job(name), "simulate", trials_module(panel.model))
        add(f"exact/{name}", config.exact_panel(name), "exact", exact_module(panel.model))
    for name, figure in config.figures.items():
        add(f"figures/{name}", config.figure_job(name, figure.panels), "figures")
    for name in config.panels:
        add(f"figures/{name}", config.figure_job(name, [name]), "figures")
    for name in ("verdicts", "verdicts_points"):
        add(f"tables/{name}", config.verdicts_job(), "verdicts")
    add("tables/claims", config.claims_job(), "claims_table")
    add("tables/whp", config.whp_job(), "whp_table")
    for folder in ("tables", "figures"):
        job = config.choices_job()
        add(f"{folder}/choices", job, "choices_audit", *map(exact_module, models))
        job = config.threshold_job()
        of = [definitions_module(panel.panel.model) for panel in job.panels]
        add(f"{folder}/threshold", job, "threshold", *of)
    job = config.theta_job()
    of = [definitions_module(panel.panel.model) for row in job.rows for panel in row.panels]
    add("figures/theta", job, "theta", *of)
    of = [exact_module(entry.model) for entry in config.phase.values()]
    add("figures/phase", config.phase_job(), "phase", *of)
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
