# Functions of the workflow: where files are, and what each job depends on.

import json
import mimetypes
import os
import sys
from pathlib import Path

# The name under which another workflow uses this one as a module; None where this one runs itself.
MODULE = __name__

# From this file's own folder: `workflow.basedir` is that of the workflow that runs.
PROJECT = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parent.parent
SOURCE = PROJECT / "src"
if not SOURCE.is_dir():
    sys.exit(f"module {MODULE!r}: {SOURCE} is no folder; let `snakefile:` be a path in a clone")
ENVIRONMENT = str(PROJECT / "workflow" / "envs" / "environment.yaml")

# Else a report would warn of every parquet file that it does not know what it is.
mimetypes.add_type("application/vnd.apache.parquet", ".parquet")

# This workflow and its jobs run the package that lies here, installed or not, with one Python. Where
# they lie is in the jobs' environment: in a prefix of shells other workflows' rules would get it
# too, and in a rule's text or params it would rerun everything in another place.
sys.path.insert(0, str(SOURCE))
os.environ.update(
    ATTENTION_SEPARATION_SOURCE=str(SOURCE), ATTENTION_SEPARATION_PYTHON=sys.executable
)
PACKAGE = (
    'set -euo pipefail; PYTHONPATH="$ATTENTION_SEPARATION_SOURCE"'
    ' "$ATTENTION_SEPARATION_PYTHON" -m attention_separation'
)

import attention_separation

if SOURCE not in Path(attention_separation.__file__).parents:
    sys.exit(f"{PROJECT}: {attention_separation.__file__} is loaded already; use one clone only")

from attention_separation.__main__ import VERBS, module_of
from attention_separation.config import ConfigError, canonical, load_config
from attention_separation.results.files import check_writable
from attention_separation.results.provenance import code_digest
from attention_separation.settings.canonical import canonical_json, digest
from attention_separation.softmax_vs_linear.models import MODELS
from attention_separation.softmax_vs_linear.outputs import (
    SCHEMATICS,
    code_of,
    code_of_figure,
    models_of,
)


def checked_settings():
    """The configuration; what is wrong with it ends the run before anything is written."""
    origin = f"config of module {MODULE!r}:" if MODULE else "--config"
    try:
        return load_config(PROJECT / "config.yaml", config, origin)
    except ConfigError as error:
        sys.exit(str(error))


def checked_folder():
    """Before any job: a folder that cannot be written costs none the work of hours."""
    try:
        check_writable(RESULTS)
    except OSError as error:
        sys.exit(str(error))


AUDIT_FIGURES = ("threshold", "theta", "choices", "phase")
TABLES = {
    "verdicts": "verdicts on the panels",
    "claims": "claims of the paper",
    "whp": "with high probability?",
    "choices": "open choices",
    "threshold": "best thresholds",
}
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


def pictures(figure, results=RESULTS):
    """The pictures of a figure; the figure of one panel has the panel's name."""
    extensions = ("svg", "png", "pdf")
    return {extension: f"{results}/figures/{figure}.{extension}" for extension in extensions}


def figure_files(figure, results=RESULTS):
    """The pictures of a figure, and its numbers."""
    numbers = {key: f"{results}/figures/{figure}.{key}" for key in ("parquet", "csv")}
    return pictures(figure, results) | numbers


def table_files(name, results=RESULTS):
    """The files of a table of results."""
    extensions = ("parquet", "csv", "html")
    return {extension: f"{results}/tables/{name}.{extension}" for extension in extensions}


def shown_pictures(figure, panels=()):
    """The pictures of a figure, in the report with a caption; an audit's is of no panels."""
    return pictures(figure) | {
        "svg": report(
            pictures(figure)["svg"],
            caption="../report/figure.rst",
            category="2 Figures",
            labels=lambda wildcards: labels_of_figure(figure, panels),
        )
    }


def shown_figure(figure, panels=()):
    """The files of a figure, those that the report holds marked so."""
    return shown_pictures(figure, panels) | shown_data(figure, figure_files(figure))


def shown_table(name):
    """The files of a table of results, those that the report holds marked so."""
    files = table_files(name)
    page = report(
        files["html"],
        caption="../report/table.rst",
        category="3 Tables",
        labels={"table": TABLES[name]},
    )
    # What a figure shows is among its data already.
    shown = {} if name in AUDIT_FIGURES else shown_data(name, files)
    return files | shown | {"html": page}


def shown_data(name, files):
    """The numbers among some files, in the report as data; nothing else of them."""
    return {
        kind: report(
            files[kind],
            caption="../report/data.rst",
            category="4 Data",
            labels={"numbers of": name, "format": kind},
        )
        for kind in ("csv", "parquet")
    }


def labels_of_figure(figure, panels):
    """What stands beside a figure in the report; asked for only when a report is made."""
    from attention_separation.softmax_vs_linear.pages.labels import labels

    return labels(SETTINGS, figure, list(panels), MADE_IN)


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
    if SETTINGS.theta_job().rows:
        figures.append("theta")
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


def log_file(job, results=RESULTS):
    """Where a job's messages go."""
    return f"{results}/logs/{job}.log"


def benchmark_file(job, results=RESULTS):
    """Where a job's time and memory go."""
    return f"{results}/benchmarks/{job}.tsv"


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
    return [figure_files(name).values() for name in names_of_figures()]


def names_of_figures():
    """The figures of config.yaml, and panels that are in none of them."""
    shown = {panel for figure in SETTINGS.figures.values() for panel in figure.panels}
    alone = [panel for panel in SETTINGS.panels if panel not in shown]
    return [*SETTINGS.figures, *alone]


def all_reported():
    """Names of all figures and tables that a whole run makes."""
    audits = [name for name in AUDIT_FIGURES if pictures(name)["svg"] in audits_of_all()]
    tables = [name for name in TABLES if name != "threshold" or "threshold" in audits]
    return {"figures": [*names_of_figures(), *audits, *SCHEMATICS], "tables": tables}


def made_so_far(folder):
    """Names of the figures and tables that have been made in a folder; of all, where none has."""
    every = all_reported()
    alone = [name for name in panels_of_figures() if name not in every["figures"]]
    found = {
        "figures": [
            n for n in [*alone, *every["figures"]] if (folder / f"figures/{n}.svg").exists()
        ],
        "tables": [n for n in every["tables"] if (folder / f"tables/{n}.html").exists()],
    }
    return found if any(found.values()) else every


def reported_figures():
    """The files of each figure that the report holds: pictures, and numbers unless a drawing."""
    return {
        name: list((pictures if name in SCHEMATICS else figure_files)(name).values())
        for name in REPORTED["figures"]
    }


def overview_job():
    """What the report's overview depends on beside the files that it reads."""
    panels = panels_of_figures()
    tables = [*REPORTED["tables"], *sorted({"phase", "theta"} & {*REPORTED["figures"]})]
    audits = [name for name in AUDIT_FIGURES if name in REPORTED["figures"]]
    figures = {name: panels.get(name, []) for name in REPORTED["figures"]}
    return SETTINGS.overview_job(figures, [*dict.fromkeys([*tables, *audits])])


def provenance_settings():
    """What the report's page of versions and settings states."""
    from attention_separation.results import installed

    code = {verb: code_of_verb(verb) for verb in VERBS}
    return canonical_json(
        {
            "python": installed.python(),
            "packages": installed.packages(),
            "code": {"": code_digest(*(module_of(verb) for verb in VERBS))} | code,
            "config": json.dumps(
                SETTINGS.model_dump(mode="json", by_alias=True, exclude_none=True)
            ),
            "results": str(MADE_IN),
        }
    )


# Snakemake compares params as a set of values: one text each, that cannot be taken for another.
# Rules take these texts from functions, for Snakemake would look for wildcards in plain ones.
def panel_settings(panel):
    """All that a panel's table depends on, as JSON."""
    return SETTINGS.panel_job(panel).canonical()


def panel_code(panel):
    """Digest of the code that a panel's table depends on."""
    return code_of("simulate", [SETTINGS.panels[panel].model])


def takes_long(panel):
    """Whether a panel's reference values, and its trials, take seconds."""
    return not MODELS[SETTINGS.panels[panel].model].has_maps


def exact_code(panels):
    """Digest of the code that the exact values of some panels depend on."""
    return code_of("exact", [SETTINGS.panels[panel].model for panel in panels])


def code_of_verb(verb, *more):
    """Digest of the code that a verb's outputs depend on, with further modules."""
    return code_digest(module_of(verb), *more)


def code_of_audit(verb):
    """Digest of the code that an audit depends on: of the models that it is of."""
    return code_of(verb, models_of(SETTINGS, verb))


def runs_here(job):
    """Whether a job runs on the submitting machine under a cluster's profile too.

    All but the panels' trials is work of seconds, less than a cluster takes to start a job.
    """
    return not job.startswith(("simulate_", "slice_"))


def panel_runs_here(panel):
    """The same of a panel's trials: short ones do, and the merging of slices."""
    return bool(slices_of_panel(panel)) or SETTINGS.panel_seconds(panel) < SETTINGS.jobs.local_below


def doubled(amount):
    """What a job asks of a cluster: twice as much at each retry, for the last may have lacked it."""
    return lambda wildcards, attempt: amount * 2 ** (attempt - 1)
