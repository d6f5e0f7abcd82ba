# What the rules ask: where files are, how a result reads in a shell, what a report shows of it.

import importlib.util
import json
import mimetypes
import os
import shlex
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
from attention_separation.results.provenance import code_digest
from attention_separation.results.result import NUMBERS, files_asked
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
    if any("rank_train_" in job.rule.name for job in workflow.dag.needrun_jobs()):
        sys.exit("training needs PyTorch, which `make setup-rank` installs")


def studies_with(verb):
    """The studies that have a verb of their own, such as one that writes their page of a report."""
    return [study for study in STUDIES.values() if study.verb(verb) in VERBS]


def every_result():
    """Every result, with its study."""
    return [(study, result) for study in STUDIES.values() for result in study.results.values()]


def whole_run(study):
    """The files that a whole run of a study makes."""
    asked = [f"{study.folder}/{path}" for path in files_asked(study.results)]
    return [*asked, f"{study.folder}/manifest.json"]


def manifest_files(study):
    """Those of them that carry no metadata of their own."""
    return [path for path in whole_run(study)[:-1] if not path.endswith(".parquet")]


def input_files(study, result):
    """What a job reads, by option: the slices of its work, or its inputs."""
    if result.slices > 1:
        slices = range(1, result.slices + 1)
        return {"merge": [f"{study.folder}/{result.slice_path(k)}" for k in slices]}
    return {
        option: [f"{study.folder}/{output.path()}" for output in outputs]
        for option, outputs in result.inputs.items()
    }


def output_files(study, result):
    """What a job writes, those that it is told of by option; a report's files are marked so."""
    files = {}
    for option, outputs in result.outputs.items():
        for output in outputs:
            for suffix in output.kind.suffixes:
                told = option and suffix == output.kind.suffixes[0]
                key = option if told else f"{option or 'beside'}_{suffix}"
                files.setdefault(key, []).append(in_report(study, output, suffix, option))
    return files


def in_report(study, output, suffix, option):
    """A file of an output, marked if a report holds it: its page or picture, and its numbers."""
    path = f"{study.folder}/{output.path(suffix)}"
    if suffix == output.page:
        of_kind = "table" if suffix == "html" else "figure"
        return report(
            path,
            caption=f"../report/{of_kind if option else 'beside'}.rst",
            category=study.category or {"figure": "2 Figures", "table": "3 Tables"}[of_kind],
            labels=lambda wildcards: study.labels(output, MADE_IN[study.name]),
        )
    if output.page and suffix in NUMBERS and not output.beside:
        return report(
            path,
            caption="../report/data.rst",
            category="4 Data",
            labels={"numbers of": output.name, "format": suffix},
        )
    return path


def options_of(result, input, output):
    """A verb's options with the files of a job, as a shell reads them, and those beside."""
    words = []
    for files, options in ((input, input.keys()), (output, result.outputs)):
        for option in filter(None, options):
            words += [f"--{option}", *map(shlex.quote, files[option])]
    return " ".join([*words, *result.options])


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
