# Functions of the workflow: where files are, and what each job depends on.

import shlex
import sys
from pathlib import Path

PROJECT = Path(workflow.basedir)
SOURCE = PROJECT / "src"
ENVIRONMENT = str(PROJECT / "workflow" / "envs" / "environment.yaml")

# This workflow and its jobs run the package that lies here, installed or not, with one Python.
sys.path.insert(0, str(SOURCE))
shell.prefix(
    f"export PYTHONPATH={shlex.quote(str(SOURCE))};"
    f" export PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH;"
    " set -euo pipefail; "
)

from attention_separation.__main__ import module_of
from attention_separation.config import ConfigError, load_config
from attention_separation.provenance import code_digest, digest
from attention_separation.softmax_vs_linear.outputs import SCHEMATICS, settings_text
from attention_separation.softmax_vs_linear.panels import (
    definitions_module,
    exact_module,
    trials_module,
)


def checked_settings():
    """The configuration; what is wrong with it ends the run before anything is written."""
    try:
        return load_config(PROJECT / "config.yaml", config)
    except ConfigError as error:
        sys.exit(str(error))


SETTINGS = checked_settings()
RESULTS = SETTINGS.results


def table_of_panel(panel):
    """The table of a panel."""
    return f"{RESULTS}/panels/{panel}.parquet"


def slices_of_panel(panel):
    """The tables of a panel's slices; none where one job does all of its trials."""
    count = SETTINGS.panel_slices(panel)
    if count == 1:
        return []
    return [f"{RESULTS}/slices/{panel}/{k}-of-{count}.parquet" for k in range(1, count + 1)]


def minutes_of_panel(panel):
    """Minutes that a job with trials of a panel asks for: three times its estimate."""
    seconds = SETTINGS.panel_seconds(panel) / SETTINGS.panel_slices(panel)
    return max(5, int(3 * seconds / 60) + 1)


def exact_of_panel(panel):
    """The table of a panel's exact values."""
    return f"{RESULTS}/exact/{panel}.parquet"


def pictures(figure):
    """The pictures of a figure; the figure of one panel has the panel's name."""
    extensions = ("svg", "png", "pdf")
    return {extension: f"{RESULTS}/figures/{figure}.{extension}" for extension in extensions}


def figure_files(figure):
    """The pictures of a figure, and its numbers."""
    numbers = {key: f"{RESULTS}/figures/{figure}.{key}" for key in ("parquet", "csv")}
    return pictures(figure) | numbers


def table_files(name):
    """The files of a table of results."""
    extensions = ("parquet", "csv", "html")
    return {extension: f"{RESULTS}/tables/{name}.{extension}" for extension in extensions}


def prefixed(prefix, files):
    """Files under names with a prefix, for a rule with two kinds of them."""
    return {f"{prefix}_{extension}": path for extension, path in files.items()}


def tables_of_all():
    """The tables of results that have something to say."""
    tables = ["verdicts", "claims", "whp", "choices"]
    return tables + (["threshold"] if SETTINGS.threshold_job().panels else [])


def audits_of_all():
    """The check of the verdicts, the tables, their figures, and the schematics."""
    figures = ["choices"]
    if SETTINGS.threshold_job().panels:
        figures.append("threshold")
    if SETTINGS.phase:
        figures.append("phase")
    return [
        f"{RESULTS}/tables/check.txt",
        f"{RESULTS}/tables/verdicts_points.csv",
        *(path for name in tables_of_all() for path in table_files(name).values()),
        *(path for name in figures for path in figure_files(name).values()),
        *(path for name in SCHEMATICS for path in pictures(name).values()),
    ]


def listed_files():
    """The files of a whole run that carry no metadata of their own."""
    figures = [path for files in figures_of_all() for path in files]
    return [path for path in [*audits_of_all(), *figures] if not path.endswith(".parquet")]


def log_file(job):
    """Where a job's messages go."""
    return f"{RESULTS}/logs/{job}.log"


def benchmark_file(job):
    """Where a job's time and memory go."""
    return f"{RESULTS}/benchmarks/{job}.tsv"


def panels_of_figures():
    """The panels of each figure: those of config.yaml, and every panel on its own."""
    figures = {name: figure.panels for name, figure in SETTINGS.figures.items()}
    return figures | {panel: [panel] for panel in SETTINGS.panels}


def panels_of_exact():
    """The panels whose exact values one job computes: those that a figure is the first to show."""
    groups = {}
    for panel, figure in SETTINGS.figure_of().items():
        groups.setdefault(figure, []).append(panel)
    return groups


def figures_of_all():
    """Pictures of the figures of config.yaml, and of panels that are in none of them."""
    shown = {panel for figure in SETTINGS.figures.values() for panel in figure.panels}
    alone = [panel for panel in SETTINGS.panels if panel not in shown]
    return [figure_files(name).values() for name in [*SETTINGS.figures, *alone]]


def modules_of(models, module):
    """Names of modules of some models, each once."""
    return [module(model) for model in sorted(set(models))]


# Snakemake compares params as a set of values: one text each, that cannot be taken for another.
# Rules take these texts from functions, for Snakemake would look for wildcards in plain ones.
def panel_settings(panel):
    """All that a panel's table depends on, as JSON."""
    return SETTINGS.panel_job(panel).canonical()


def panel_code(panel):
    """Digest of the code that a panel's table depends on."""
    return code_digest(module_of("simulate"), trials_module(SETTINGS.panels[panel].model))


def exact_code(panels):
    """Digest of the code that the exact values of some panels depend on."""
    models = [SETTINGS.panels[panel].model for panel in panels]
    return code_of_verb("exact", *modules_of(models, exact_module))


def code_of_verb(verb, *more):
    """Digest of the code that a verb's outputs depend on, with modules that it finds by name."""
    return code_digest(module_of(verb), *more)
