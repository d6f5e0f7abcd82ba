"""What a run makes: every parquet file, with the digests that it carries when it is current."""

from collections.abc import Iterable

from attention_separation.__main__ import module_of
from attention_separation.config import Config, digest_of
from attention_separation.results.provenance import code_digest
from attention_separation.results.verifying import Current
from attention_separation.settings.closed import Closed
from attention_separation.softmax_vs_linear.models.regression import REGRESSION
from attention_separation.softmax_vs_linear.models.self_attention import SELF_ATTENTION
from attention_separation.softmax_vs_linear.settings.code_of_models import modules_of_others
from attention_separation.softmax_vs_linear.settings.jobs import FigureJob

SCHEMATICS = {
    "fig1": [REGRESSION.name],
    "fig2": [SELF_ATTENTION.name],
    "fig6": [SELF_ATTENTION.name],
}
"""The drawings, with the models that they are of."""

PATHS = {
    "verdicts": ("tables/verdicts", "tables/verdicts_points"),
    "claims": ("tables/claims",),
    "whp": ("tables/whp",),
    "choices": ("figures/choices", "tables/choices"),
    "threshold": ("figures/threshold", "tables/threshold"),
    "theta": ("figures/theta",),
    "phase": ("figures/phase",),
}
"""Where the one result of a verb lies, without its suffix."""


def code_of(verb: str, models: Iterable[str] | None = None) -> str:
    """Digest of the code that a verb's outputs depend on; those of some models alone do not depend
    on the others'."""
    without = () if models is None else modules_of_others(models)
    return code_digest(module_of(verb), without=without)


def code_of_figure(job: FigureJob) -> str:
    """Digest of the code that a figure of panels depends on beside its tables."""
    return code_of("figure", [look.panel.model for look in job.panels])


def models_of(config: Config, verb: str) -> list[str] | None:
    """The models whose code the one result of a verb depends on; None where it does not say."""
    if verb in ("verdicts", "check"):
        return []  # They read tables and know of no model.
    panels = {
        "whp": [of.exact for of in config.whp_job().panels],
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

    def add(path: str, job: Closed, code: str) -> None:
        found[path] = Current(digest_of(job), code)

    for name, panel in config.panels.items():
        add(f"panels/{name}", config.panel_job(name), code_of("simulate", [panel.model]))
        add(f"exact/{name}", config.exact_panel(name), code_of("exact", [panel.model]))
    panels_of = {name: figure.panels for name, figure in config.figures.items()}
    for name, panels in (panels_of | {name: [name] for name in config.panels}).items():
        job = config.figure_job(name, panels)
        add(f"figures/{name}", job, code_of_figure(job))
    for verb, paths in PATHS.items():
        job, code = getattr(config, f"{verb}_job")(), code_of(verb, models_of(config, verb))
        for path in paths:
            add(path, job, code)
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
