"""The files of a job as its rule and command line name them, and what a report says of each."""

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

from ..settings.strict_model import digest
from .declaration import Output, Result, Study


def input_files(result: Result) -> dict[str, list[str]]:
    """What a job reads, below the folder of results, by option: slices of its work, or inputs."""
    if result.slices > 1:
        return {"merge": [result.slice_path(k) for k in range(1, result.slices + 1)]}
    return {
        option: [output.path() for output in outputs] for option, outputs in result.inputs.items()
    }


def output_files(result: Result) -> dict[str, list[tuple[Output, str]]]:
    """What a job writes, each output with the suffix of its file, by name in its rule: the option,
    where the job is told this path."""
    files: dict[str, list[tuple[Output, str]]] = {}
    for option, outputs in result.outputs.items():
        for output in outputs:
            for suffix in output.kind.suffixes:
                is_told = option and suffix == output.kind.suffixes[0]
                key = option if is_told else f"{option or 'beside'}_{suffix}"
                files.setdefault(key, []).append((output, suffix))
    return files


SETTINGS_FOLDER = Path(".snakemake/settings")


def settings_file(result: Result) -> str:
    """The file that has the settings of a job as JSON, written where it is missing or damaged. Its
    name is their digest's: no later change of the configuration reaches the job."""
    return file_of(result.name, result.settings.canonical())


def file_of(name: str, text: str) -> str:
    """The same of any settings."""
    path = SETTINGS_FOLDER / f"{name}-{digest(text)}.json"
    content = text.encode()
    if not path.exists() or path.read_bytes() != content:
        SETTINGS_FOLDER.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        part.write_bytes(content)
        part.replace(path)
    return str(path)


def command_options(
    result: Result, inputs: Mapping[str, Sequence[str]], outputs: Mapping[str, Sequence[str]]
) -> str:
    """A job's options with the files of a job, as a shell reads them, and those beside."""
    words: list[str] = []
    # By keys alone: a rule's lists of files need not have more of a mapping.
    files_by_option = {option: inputs[option] for option in list(inputs.keys())}
    files_by_option |= {option: outputs[option] for option in result.outputs if option}
    for option, files in files_by_option.items():
        if option and files:
            paths = [files] if isinstance(files, str) else files
            words += [f"--{option}", *map(shlex.quote, paths)]
    return " ".join([*words, *result.options])


def files_of_run(study: Study) -> list[str]:
    """The files of a whole run of a study, but for the manifest of its folder."""
    return [f"{study.folder}/{path}" for path in study.paths_of_run()]


def manifest_files(studies: Iterable[Study]) -> list[str]:
    """Those of studies that carry no metadata of their own."""
    files = chain.from_iterable(map(files_of_run, studies))
    return [path for path in files if not path.endswith(".parquet")]
