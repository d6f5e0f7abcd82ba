"""The files of a job as its rule and command line name them, and what a report says of each."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

from ..settings.strict_model import digest
from .declaration import Output, Result, Study
from .files import write_text


def input_files(result: Result) -> dict[str, list[str]]:
    """The paths of the files that a job reads, below the folder of results, by option: the tables
    of its slices under "merge", or its inputs."""
    if result.slices > 1:
        return {"merge": [result.slice_path(k) for k in range(1, result.slices + 1)]}
    return {
        option: [output.path() for output in outputs] for option, outputs in result.inputs.items()
    }


def output_files(result: Result) -> dict[str, list[tuple[Output, str]]]:
    """The files that a job writes, each as an output and a suffix, by their names in its rule.

    The file whose path the job is told has the option as its name; the others, which lie beside it,
    have the option, or "beside", and the suffix.
    """
    files: dict[str, list[tuple[Output, str]]] = {}
    for option, outputs in result.outputs.items():
        for output in outputs:
            for suffix in output.kind.suffixes:
                key = f"{option or 'beside'}_{suffix}"
                if option and suffix == output.kind.suffixes[0]:
                    key = option
                files.setdefault(key, []).append((output, suffix))
    return files


SETTINGS_FOLDER = Path(".snakemake/settings")


def settings_file(result: Result) -> str:
    """The path of the file with a job's settings as JSON, which is written if it is missing or
    damaged. Its name has their digest: no later change of the configuration reaches the job."""
    return file_of(result.name, result.settings.canonical())


def file_of(name: str, text: str) -> str:
    """The path of the file with some settings' text, which is written if it is missing or damaged;
    its name is `name` and the text's digest."""
    path = SETTINGS_FOLDER / f"{name}-{digest(text)}.json"
    if not path.exists() or path.read_bytes() != text.encode():
        write_text(path, text)
    return str(path)


def command_options(
    result: Result, inputs: Mapping[str, Sequence[str]], outputs: Mapping[str, Sequence[str]]
) -> str:
    """A job's options as words of a shell command: each option of its rule's inputs and outputs
    with its files, then `result.options`."""
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
    """The paths of those `files_of_run` of some studies that a manifest lists: all but parquet
    files, which carry metadata of their own."""
    files = chain.from_iterable(map(files_of_run, studies))
    return [path for path in files if not path.endswith(".parquet")]
