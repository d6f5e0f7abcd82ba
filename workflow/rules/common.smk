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

from attention_separation.config import ConfigError, load_config
from attention_separation.provenance import canonical_json, code_digest
from attention_separation.softmax_vs_linear.panels import trials_module

SIMULATE_MODULE = "attention_separation.softmax_vs_linear.simulate"
FIGURE_MODULE = "attention_separation.softmax_vs_linear.figures"


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


def figure_files(figure):
    """All files of a figure; the figure of one panel has the panel's name."""
    extensions = ("svg", "png", "pdf", "parquet", "csv")
    return {extension: f"{RESULTS}/figures/{figure}.{extension}" for extension in extensions}


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


def figures_of_all():
    """Pictures of the figures of config.yaml, and of panels that are in none of them."""
    shown = {panel for figure in SETTINGS.figures.values() for panel in figure.panels}
    alone = [panel for panel in SETTINGS.panels if panel not in shown]
    return [figure_files(name).values() for name in [*SETTINGS.figures, *alone]]


# Snakemake compares params as a set of values: one text each, that cannot be taken for another.
# Rules take these texts from functions, for Snakemake would look for wildcards in plain ones.
def panel_settings(panel):
    """All that a panel's table depends on, as JSON."""
    return SETTINGS.panel_job(panel).canonical()


def panel_code(panel):
    """Digest of the code that a panel's table depends on."""
    return code_digest(SIMULATE_MODULE, trials_module(SETTINGS.panels[panel].model))


def figure_settings(figure):
    """All that a figure depends on beside its panels' tables, as JSON."""
    job = SETTINGS.figure_job(figure, panels_of_figures()[figure])
    return canonical_json(job.model_dump(mode="json", by_alias=True, exclude_none=True))


def figure_code():
    """Digest of the code that figures depend on."""
    return code_digest(FIGURE_MODULE)
