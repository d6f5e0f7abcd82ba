# What the rules ask: where this project lies, its configuration, and what its studies declare of a job.

import importlib.util
import json
import mimetypes
import shutil
import sys
from pathlib import Path

# The name under which another workflow uses this one as a module; None where this one runs itself.
MODULE = __name__

# From this file's own folder: `workflow.basedir` is that of the workflow that runs.
RULES = workflow.current_basedir.get_path_or_uri(secret_free=True)
PROJECT = Path(RULES).parent.parent
SOURCE = PROJECT / "src"
if not SOURCE.is_dir():
    sys.exit(
        f"module {MODULE!r}: {RULES} is in no clone, whose package and config.yaml jobs need;"
        " let `snakefile:` be a path in a clone"
    )
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
# where conda makes an environment of the jobs': that of it.
sys.path.insert(0, str(SOURCE))

import attention_separation

if SOURCE not in Path(attention_separation.__file__).parents:
    sys.exit(f"{PROJECT}: {attention_separation.__file__} is loaded already; use one clone only")

from attention_separation.config import ConfigError, load_config, read_config
from attention_separation.results import declared_jobs, job_files
from attention_separation.results.declared_jobs import cells_of
from attention_separation.results.file_states import (
    CURRENT,
    OTHER_CODE,
    UNRECORDED,
    said_of_states,
    table_state,
)
from attention_separation.results.job_files import files_of_run
from attention_separation.results.provenance import code_digest
from attention_separation.results.start_of_run import (
    check_places,
    check_snakemake_can_write,
    check_writable,
    folders_of_run,
)
from attention_separation.settings.strict_model import canonical_json
from attention_separation.studies.softmax_vs_linear.study import PAPERS_FIGURES


def checked_config():
    """The configuration; what is wrong with it ends the run before anything is written."""
    origin = f"config of module {MODULE!r}:" if MODULE else "--config"
    try:
        return load_config(PROJECT / "config.yaml", config, origin)
    except ConfigError as error:
        sys.exit(str(error))


CONFIG = checked_config()
# Snakemake's banner and its report name the file, which `configfile:` would merge with what beats it:
# then no fault could say where it stands.
if not MODULE:
    workflow.configfiles.insert(0, PROJECT / "config.yaml")

STUDIES = CONFIG.studies()
PAPER, LEMMAS, CHOICES, KERNELS, RANK, NEEDLE, RECALL = STUDIES.values()
RESULTS = PAPER.folder
JOBS = declared_jobs.DeclaredJobs(STUDIES.values())
# The first paper's panels and figures, in the order of config.yaml.
PANELS = [*PAPER.section.panels]
FIGURES = [*PAPER.section.figures]
panels_of_figure = PAPER.panels.panels_of_figure
panels_first_shown_in = PAPER.panels.panels_first_shown_in
slices_of = JOBS.slices_of
COMMAND = declared_jobs.command_line(SOURCE, "python" if USES_CONDA else sys.executable)
# Of a job that no study declares.
COMMAND_ALONE = declared_jobs.JobCommand(COMMAND, seconds=1.0)


# Before Snakemake looks for files and makes its own.


def check_disk():
    """What is in the way of files that are to be made, and no room for Snakemake's own."""
    try:
        check_places(folders_of_run(STUDIES.values(), JOBS.paths()), JOBS.paths())
        check_snakemake_can_write()
    except OSError as error:
        sys.exit(str(error))


if not MODULE and workflow.is_main_process:
    check_disk()


# Before any job.


def files_to_make_again():
    """The state of each file that is not current, and that Snakemake would leave as it is. It knows
    what files were made with by records of its own, which may be gone, or not be asked; a table
    says it itself. A sentence, a start page and a manifest say nothing: of them the records are asked
    whatever a profile says, and without a record they are made again. By a record for this code,
    which `--touch` writes, a reader says of another code that it gives the same."""
    prefix = str(MADE_IN[PAPER.name]).removesuffix(PAPER.folder)
    jobs_by_table = JOBS.by_table()
    without_tables = JOBS.without_tables() | {
        f"{study.folder}/manifest.json" for study in STUDIES.values()
    }
    records = workflow.persistence
    states = {}
    for job in workflow.dag.jobs:
        if workflow.dag.needrun(job):
            continue
        is_recorded = records.has_metadata(job) and not records.params_changed(job)
        for path in map(str, job.output):
            file = path.removeprefix(prefix)
            state = CURRENT
            if file in jobs_by_table:
                state = table_state(Path(path), jobs_by_table[file].digests(file))
            elif file in without_tables:
                state = UNRECORDED
            is_believed = is_recorded and state in (UNRECORDED, OTHER_CODE)
            states[path] = CURRENT if is_believed else state
    return {path: state for path, state in states.items() if state != CURRENT}


def start_jobs_at_once():
    """Let no jobs that run here wait for others of the last second. For that limit Snakemake looks
    once a second, for each job done, at the inputs of all that are to come."""
    # A graph or a list of rules is printed without such settings.
    if workflow.scheduling_settings and workflow.local_exec:
        workflow.scheduling_settings.max_jobs_per_timespan = None


def build_dag(build=workflow._build_dag):
    """Snakemake's own, and then a look into the tables: `onstart` would come too late, after
    "Nothing to be done", and not in a dry run."""
    build()
    start_jobs_at_once()
    if not workflow.is_main_process or workflow.touch:
        return
    states = files_to_make_again()
    if states:
        for line in said_of_states(states):
            logger.warning(line)
        workflow.dag.forcefiles.update(states)
        workflow.async_run(workflow.dag.update_needrun())


workflow._build_dag = build_dag


def announce_files():
    """Which files of settings are not read."""
    note = read_config(PROJECT / "config.yaml").note()
    if note:
        logger.warning(note)


def check_folder():
    """A folder that cannot be written costs none the work of hours."""
    try:
        check_writable(RESULTS)
    except OSError as error:
        sys.exit(str(error))


def check_libraries():
    """Without PyTorch every cell would fail, one after another."""
    training = {rules.rank_train.rule, rules.needle_cell.rule}
    trains = any(job.rule in training for job in workflow.dag.needrun_jobs())
    if trains and not importlib.util.find_spec("torch"):
        sys.exit("training needs PyTorch, which `make setup WITH=rank` installs")


def announce_jobs():
    """What is to be expected, which Snakemake's own output has no place for."""
    seconds = {}
    for job in workflow.dag.needrun_jobs():
        command = job.params.get("run")
        declared = command.seconds if command else 0.0
        seconds[job.jobid] = declared_jobs.expected_seconds(job.benchmark, declared)
    logger.info(None, extra={"expected_seconds": seconds, "makes_nothing": workflow.touch})
    if workflow.touch:
        logger.warning(
            "--touch makes nothing: what there is counts as up to date, but what is of other settings"
        )


# What a rule asks of the declaration of its job. A rule says the job's name, in which wildcards may
# stand; what it is asked for is computed where the job is to run.


def job_of(name, wildcards):
    """The declaration; a job that the settings do not make ends the run."""
    try:
        return JOBS[name.format_map(dict(wildcards.items()))].result
    except LookupError as error:
        sys.exit(str(error.args[0]))


def run_of(name):
    """What a shell runs the job's module with."""
    return lambda wildcards: declared_jobs.JobCommand(COMMAND, job_of(name, wildcards).seconds)


def settings_of(name):
    """The file with the job's settings, whose name has their digest."""
    return lambda wildcards: written(job_files.settings_file, job_of(name, wildcards))


def written(write, *arguments):
    """What a function returns that writes a file; one that cannot be written ends the run."""
    try:
        return write(*arguments)
    except OSError as error:
        sys.exit(str(error))


def code_of(*modules):
    """The digest of the code of modules, and of all that they import."""
    return lambda wildcards: code_digest(*(f"attention_separation.{module}" for module in modules))


def priority_of(name):
    """Of jobs that could run, the one with the highest runs first."""
    return lambda wildcards: job_of(name, wildcards).priority


def asked_of(name):
    """What the job asks of a cluster: twice as much at each retry, for the last may have lacked it."""
    return {
        "mem_mb": lambda wildcards, attempt: job_of(name, wildcards).memory_mb * 2 ** (attempt - 1),
        "runtime": lambda wildcards, attempt: job_of(name, wildcards).minutes * 2 ** (attempt - 1),
    }


def any_of(names):
    """A wildcard's pattern for some names; one that nothing has where there are none."""
    return "|".join(names) or "(?!)"


def if_declared(name, *paths):
    """The paths, where the configuration has such a job: an audit may have no subject."""
    return list(paths) if name in JOBS else []


def in_report(study, name, path):
    """A job's page or picture, marked for the report."""

    def labels(wildcards):
        job = JOBS[name.format_map(dict(wildcards.items()))]
        output = job.output_of(path.format_map(dict(wildcards.items())))
        return study.labels(output, MADE_IN[study.name])

    return report(
        path,
        caption=f"../report/{study.name}.rst",
        category=lambda wildcards: category_of(study),
        subcategory="Tables" if path.endswith(".html") else "Figures",
        labels=labels,
    )


def category_of(study):
    """The study as the report numbers it; one whose files are made as others' inputs has no number."""
    return CATEGORIES.get(study.name, study.title)


# Of jobs that one loop makes rules for.


def outputs_in_report(job):
    """What a job writes, by name; what a report lists is marked."""
    return {
        key: [
            in_report(job.study, job.result.name, file.path) if file.is_reported else file.path
            for file in files
        ]
        for key, files in job.outputs().items()
    }


def options_of(result):
    """The job's options with its files, as a shell reads them."""
    return lambda wildcards, input, output: job_files.command_options(result, input, output)


def document(name, text):
    """Give a rule whose name is computed its docstring, which `snakemake --list-rules` prints."""
    getattr(rules, name).rule.docstring = text


def provenance_settings():
    """What the report's page of versions and settings states."""
    from attention_separation.results import environment

    modules = [f"attention_separation.{module}" for module in JOBS.modules()]
    config = CONFIG.model_dump(mode="json", by_alias=True, exclude_none=True)
    return canonical_json(
        {
            "python": environment.python(),
            "packages": environment.packages(),
            "code": code_digest(*modules),
            "facts": PAPER.facts(),
            "config": json.dumps(config),
            "results": str(MADE_IN[PAPER.name]),
            "judged": {output.name: output.judged for output in JUDGED.values()},
        }
    )
