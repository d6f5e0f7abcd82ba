# What the rules ask: where files are, how a result reads in a shell, what a report shows of it.

import importlib.util
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

from attention_separation.config import ConfigError, load_config
from attention_separation.results.files import check_writable
from attention_separation.results.job_files import (
    command_options,
    files_of_run,
    input_files,
    manifest_files,
    output_files,
    report_entry,
)
from attention_separation.results.provenance import code_digest
from attention_separation.results.study import sharing_folder
from attention_separation.settings.canonical import canonical_json
from attention_separation.verbs import VERBS, module_of


def checked_config():
    """The configuration; what is wrong with it ends the run before anything is written."""
    origin = f"config of module {MODULE!r}:" if MODULE else "--config"
    try:
        return load_config(PROJECT / "config.yaml", config, origin)
    except ConfigError as error:
        sys.exit(str(error))


CONFIG = checked_config()
STUDIES = CONFIG.studies()
FIRST = next(iter(STUDIES.values()))

# A folder of results has one manifest, of all studies in it.
HOSTS = {study.folder: study for study in reversed(STUDIES.values())}


def checked_folder():
    """Before any job: a folder that cannot be written costs none the work of hours."""
    try:
        check_writable(FIRST.folder)
    except OSError as error:
        sys.exit(str(error))


def checked_torch():
    """Before any job: without PyTorch every cell would fail, one after another."""
    if importlib.util.find_spec("torch"):
        return
    if any(
        "rank_train_" in job.rule.name or "needle_cell_" in job.rule.name
        for job in workflow.dag.needrun_jobs()
    ):
        sys.exit("training needs PyTorch, which `make setup-rank` installs")


def studies_with(verb):
    """The studies that have a verb of their own, such as one that writes their page of a report."""
    return [study for study in STUDIES.values() if study.verb(verb) in VERBS]


def every_result():
    """Every result, with its study."""
    return [(study, result) for study in STUDIES.values() for result in study.results.values()]


def whole_run(study):
    """What a whole run makes in the folder of a study, the manifest with it."""
    files = [path for other in sharing_folder(study, STUDIES) for path in files_of_run(other)]
    return [*files, f"{study.folder}/manifest.json"]


def inputs_of(study, result):
    """What a job reads, by option."""
    return {
        option: [f"{study.folder}/{path}" for path in paths]
        for option, paths in input_files(result).items()
    }


def outputs_of(study, result):
    """What a job writes; what a report shows of it is marked so."""
    return {
        key: [in_report(study, file) for file in files]
        for key, files in output_files(result).items()
    }


def in_report(study, file):
    """A file's path, marked if a report lists it."""
    path, entry = f"{study.folder}/{file.path}", report_entry(study, file)
    if entry is None:
        return path
    return report(
        path,
        caption=f"../report/{entry.caption}.rst",
        category=entry.category,
        labels=entry.labels or (lambda wildcards: study.labels(file.output, MADE_IN[study.name])),
    )


# Snakemake compares params as a set of values: one text each, that cannot be taken for another.
# Rules take this text from a function, for Snakemake would look for wildcards in a plain one.
def settings_of(result):
    """All that a result depends on beside code and inputs, as JSON."""
    return "{}" if result.settings is None else result.settings.canonical()


def code_of(*verbs):
    """Digest of the code that some verbs run."""
    return code_digest(*(module_of(verb) for verb in verbs))


def log_file(study, job):
    """Where a job's messages go."""
    return f"{study.folder}/logs/{job}.log"


def benchmark_file(study, job):
    """Where a job's time and memory go."""
    return f"{study.folder}/benchmarks/{job}.tsv"


def doubled(amount):
    """What a job asks of a cluster: twice as much at each retry, for the last may have lacked it."""
    return lambda wildcards, attempt: amount * 2 ** (attempt - 1)


def provenance_settings():
    """What the report's page of versions and settings states."""
    from attention_separation.results import installed

    return canonical_json(
        {
            "python": installed.python(),
            "packages": installed.packages(),
            "code": {"": code_of(*VERBS)} | {verb: code_of(verb) for verb in VERBS},
            "facts": FIRST.facts(),
            "config": json.dumps(CONFIG.model_dump(mode="json", by_alias=True, exclude_none=True)),
            "results": str(MADE_IN[FIRST.name]),
        }
    )
