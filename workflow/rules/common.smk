# What the rules ask: where files are, how a result reads in a shell, what a report shows of it.

import csv
import importlib.util
import json
import mimetypes
import os
import shlex
import shutil
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

# A reader's profile may ask for a conda that is not there.
DEPLOYMENT = workflow.deployment_settings
if not MODULE and not shutil.which("conda"):
    DEPLOYMENT.deployment_method = {
        method for method in DEPLOYMENT.deployment_method if method.name != "CONDA"
    }
USES_CONDA = any(method.name == "CONDA" for method in DEPLOYMENT.deployment_method)

# Else a report would warn of every parquet file that it does not know what it is.
mimetypes.add_type("application/vnd.apache.parquet", ".parquet")

# This workflow and its jobs run the package that lies here, installed or not, with one Python, but
# where conda makes an environment of the jobs': that of it. Where they lie is in the jobs' environment:
# in a prefix of shells other workflows' rules would get it too, and in a rule's text or params it
# would rerun everything in another place. -P: no module of the folder that Snakemake runs in.
sys.path.insert(0, str(SOURCE))
os.environ.update(
    ATTENTION_SEPARATION_SOURCE=str(SOURCE),
    ATTENTION_SEPARATION_PYTHON="python" if USES_CONDA else sys.executable,
)
PACKAGE = (
    'set -euo pipefail; PYTHONPATH="$ATTENTION_SEPARATION_SOURCE"'
    ' "$ATTENTION_SEPARATION_PYTHON" -P -m attention_separation'
)

import attention_separation

if SOURCE not in Path(attention_separation.__file__).parents:
    sys.exit(f"{PROJECT}: {attention_separation.__file__} is loaded already; use one clone only")

from attention_separation.config import ConfigError, load_config, read_config
from attention_separation.results.files import check_writable
from attention_separation.results import job_files
from attention_separation.results.provenance import code_digest
from attention_separation.results.declaration import FIGURE, Output, Result
from attention_separation.settings.strict_model import canonical_json
from attention_separation.studies.softmax_vs_linear.study import LINES, PAPERS_FIGURES


def checked_config():
    """The configuration; what is wrong with it ends the run before anything is written."""
    origin = f"config of module {MODULE!r}:" if MODULE else "--config"
    try:
        return load_config(PROJECT / "config.yaml", config, origin)
    except ConfigError as error:
        sys.exit(str(error))


CONFIG = checked_config()
STUDIES = CONFIG.studies()
FIRST, LEMMAS, CHOICES, KERNELS, RANK, NEEDLE, RECALL = STUDIES.values()
RESULTS = FIRST.folder
# The studies of each folder, by the rule that makes its manifest.
MANIFESTS = {
    "manifest": [FIRST, LEMMAS, CHOICES, KERNELS],
    "rank_manifest": [RANK],
    "needle_manifest": [NEEDLE],
    "recall_manifest": [RECALL],
}


def announced_files():
    """Before any job: which files of settings are not read."""
    note = read_config(PROJECT / "config.yaml").note()
    if note:
        logger.warning(note)


def checked_folder():
    """Before any job: a folder that cannot be written costs none the work of hours."""
    try:
        check_writable(FIRST.folder)
    except OSError as error:
        sys.exit(str(error))


# What rules of studies need beside what the workflow needs, and what installs it.
NEEDS = {
    "rank_train": ("torch", "training needs PyTorch, which `make setup WITH=rank` installs"),
    "needle_cell": ("torch", "training needs PyTorch, which `make setup WITH=rank` installs"),
}


def expected_seconds(job):
    """What a job took last time here, by its benchmark; else what it is declared to take."""
    if not job.output:
        return 0.0
    try:
        with open(job.benchmark) as table:
            return float([*csv.DictReader(table, delimiter="\t")][-1]["s"])
    except (TypeError, OSError, LookupError, ValueError):
        path = job.output[0]
        is_declared = path in WRITERS or "slice" in job.wildcards.keys()
        return declared(path)[1].seconds if is_declared else 1.0


def announced_jobs():
    """Before any job: what is to be expected, which Snakemake's own output has no place for."""
    seconds = {job.jobid: expected_seconds(job) for job in workflow.dag.needrun_jobs()}
    told = {"expected_seconds": seconds, "makes_nothing": workflow.touch}
    logger.info(None, extra=told)
    if workflow.touch:
        logger.warning("--touch makes nothing: what there is counts as up to date")


def checked_libraries():
    """Before any job: without PyTorch every cell would fail, one after another."""
    for job in workflow.dag.needrun_jobs():
        for rule, (library, sentence) in NEEDS.items():
            # As a module's, rules have its prefix.
            if f"_{job.rule.name}".endswith(f"_{rule}") and not importlib.util.find_spec(library):
                sys.exit(sentence)


# What each job is, as its study declares it once: its module, settings, files, and what it asks for.
JOBS = {
    name: (study, result) for study in STUDIES.values() for name, result in study.results.items()
}
WRITERS = {
    f"{study.folder}/{path}": name
    for name, (study, result) in JOBS.items()
    for output in result.all_outputs()
    for path in output.paths()
}


def declared(path):
    """The study and the declaration of the job that writes a file, or a slice of its table."""
    path = Path(path)
    if path.parent.parent.name == "slices":
        path = path.parents[2] / "panels" / f"{path.parent.name}.parquet"
    # As a module's, files lie below its prefix.
    name = WRITERS.get(str(path)) or next(
        (name for file, name in WRITERS.items() if path.match(file)), None
    )
    if name is None:
        sys.exit(f"{path}: the settings have no such panel, figure or cell")
    return JOBS[name]


def named(rulename, wildcards):
    """The declaration of a rule, or of the panel or cell that a wildcard rule is asked for."""
    if "figure" in wildcards.keys():
        rulename = wildcards.figure
    if "cell" in wildcards.keys():
        rulename = f"{rulename}_{wildcards.cell}"
    if "panel" in wildcards.keys():
        rulename = f"{'exact' if rulename.endswith('exact') else 'simulate'}_{wildcards.panel}"
    # As a module's, rules have its prefix.
    names = [name for name in JOBS if f"_{rulename}".endswith(f"_{name}")]
    if not names:
        sys.exit(f"{rulename}: the settings have no such panel, figure or cell")
    return JOBS[max(names, key=len)][1]


def reads(name):
    """What a job reads, by option; nothing where the settings have no such job."""
    if name not in JOBS:
        return {}
    study, result = JOBS[name]
    files = job_files.input_files(result).items()
    return {option: [f"{study.folder}/{path}" for path in paths] for option, paths in files}


# The paper's panels that a figure lacks, because config.yaml has no such panel or does not list it.
LACKING = {}


def drawn(figure, option, *paths):
    """What a figure of the paper reads, in the order of config.yaml: of the paths of the paper's
    panels those that it lists, and panels of one's own."""
    files = reads(figure).get(option, [])
    LACKING[figure] = [Path(path).stem for path in paths if path not in files]
    return files


def writes(name):
    """What a job writes; what a report shows of it is marked so."""
    return in_report(*JOBS[name]) if name in JOBS else {}


def slices_of(panel):
    """The slices that a panel's trials are cut into."""
    return reads(f"simulate_{panel}").get("merge", [])


def is_local(name):
    """Whether a job runs on the submitting machine under a cluster's profile too."""
    return name not in JOBS or JOBS[name][1].is_local


def cells_of(study):
    """The names of the jobs that train a cell of a study."""
    return [
        name
        for name, result in study.results.items()
        if result.all_outputs()[0].kind.folder == "cells"
    ]


def panels_of(what):
    """A wildcard's pattern: panels whose trials or exact values have a job of their own. Where a
    rule stands by name, Snakemake prefers it."""
    return "|".join(each for each in FIRST.section.panels if f"{what}_{each}" in JOBS) or "(?!)"


def files_of(study, results):
    """The files that some results of a study make."""
    outputs = [output for name in results for output in study.results[name].all_outputs()]
    return [f"{study.folder}/{path}" for output in outputs for path in output.paths()]


# Panels drawn alone and figures of one's own, which have a wildcard rule, and what it makes.
OWN_FIGURES = [
    name
    for name, result in FIRST.results.items()
    if result.module.endswith("panel_figure") and name not in PAPERS_FIGURES
]
ANY_FIGURE = Result(
    "figure",
    "",
    None,
    {"output": (Output(FIGURE, "{figure}"),), "": (Output(LINES, "{figure}_lines"),)},
)


# A rule's params, from the file that it writes: Snakemake compares them as a set of values. It would
# leave out those of a function with an argument `output`.
def job_of(wildcards, **files):
    result = declared(files["output"][0])[1]
    return f"{result.module} --settings {shlex.quote(job_files.settings_file(result))}"


def code_of(wildcards, **files):
    return declared(files["output"][0])[1].code


def description_of(wildcards, output):
    result = declared(output[0])[1]
    lacking = LACKING.get(result.name)
    without = f", without {', '.join(lacking)}, which config.yaml has not" if lacking else ""
    return result.description + without


def options_of(wildcards, input, output):
    study, result = declared(output[0])
    if "slice" in wildcards.keys():
        return f"--output {shlex.quote(output[0])} --slice {wildcards.slice}/{wildcards.of}"
    return job_files.command_options(result, input, output)


def priority_of(wildcards, rulename):
    return named(rulename, wildcards).priority


def asked(what):
    """What a job asks of a cluster: twice as much at each retry, for the last may have lacked it."""

    def amount(wildcards, attempt, rulename):
        return getattr(named(rulename, wildcards), what) * 2 ** (attempt - 1)

    return amount


def document(name, text):
    """Give a rule whose name is computed its docstring, which `snakemake --list-rules` prints."""
    getattr(rules, name).rule.docstring = text


def sentence_on(result):
    """What a job does, and of a figure what it is of."""
    title = result.all_outputs()[0].title
    is_said = title in result.description
    return result.description if is_said else f"{result.description}: {title}"


# The job begins its log and ends it; what it says is appended between.
JOB = (
    "export ATTENTION_SEPARATION_LOG={log:q};"
    " {params.package} job {params.job} {params.options} >> {log:q} 2>&1"
)


def in_report(study, result):
    """The files of a result, by name in its rule; those that a report lists are marked."""
    return {
        key: [_marked(study, *file) for file in files]
        for key, files in job_files.output_files(result).items()
    }


def _marked(study, output, suffix):
    path = f"{study.folder}/{output.path(suffix)}"
    if not output.is_reported(suffix):
        return path

    def labels(wildcards):
        own = wildcards.get("figure")
        shown = JOBS[own][1].all_outputs()[0] if own else output
        return study.labels(shown, MADE_IN[study.name])

    return report(
        path,
        caption=f"../report/{study.name}.rst",
        category=lambda wildcards: CATEGORIES[study.name],
        subcategory="Tables" if suffix == "html" else "Figures",
        labels=labels,
    )


def digest_of(*modules):
    """Digest of the code of some modules of the package."""
    return code_digest(*(f"attention_separation.{module}" for module in modules))


def provenance_settings():
    """What the report's page of versions and settings states."""
    from attention_separation.results import environment

    return canonical_json(
        {
            "python": environment.python(),
            "packages": environment.packages(),
            "code": digest_of(*{result.module for _, result in JOBS.values()}),
            "facts": FIRST.facts(),
            "config": json.dumps(CONFIG.model_dump(mode="json", by_alias=True, exclude_none=True)),
            "results": str(MADE_IN[FIRST.name]),
            "judged": {output.name: output.judged for output in JUDGED.values()},
        }
    )
