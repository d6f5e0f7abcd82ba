"""Bits of results changed at random: who notices."""

import contextlib
import io
import os
import random
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from attention_separation.__main__ import main
from attention_separation.results.declaration import Study, sharing_folder
from attention_separation.results.file_states import CURRENT, states
from attention_separation.results.job_files import command_options, input_files, output_files
from attention_separation.results.manifest import unlisted

REMEDY = "run again"


def flipped(content: bytes, bit: int) -> bytes:
    """Some bytes of which one bit is another."""
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def write_unseen(path: Path, content: bytes) -> None:
    """Change a file's bytes and not its time: Snakemake sees no change."""
    before = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def flip_unseen(path: Path) -> None:
    """Change one bit in the middle of a file so."""
    content = path.read_bytes()
    write_unseen(path, flipped(content, 4 * len(content)))


@contextlib.contextmanager
def one_bit_changed(path: Path, generator: random.Random) -> Iterator[int]:
    """A file with one bit changed, anywhere, meanwhile."""
    content = path.read_bytes()
    bit = generator.randrange(8 * len(content))
    path.write_bytes(flipped(content, bit))
    try:
        yield bit
    finally:
        path.write_bytes(content)


def assert_verify_sees_damage(
    studies: Mapping[str, Study], study: Study, project_folder: Path, flips: int
) -> None:
    """Of so many bits in each kind of file that there is, `verify` sees each, names the file and
    says what to do."""
    generator = random.Random(0)
    folder = project_folder / study.folder
    together = sharing_folder(study, studies)
    assert {*states(folder, together).values()} == {CURRENT}
    kinds: dict[tuple[str, str], list[Path]] = {}
    for path in sorted(unlisted(folder)):
        kinds.setdefault((path.parent.name, path.suffix), []).append(path)
    assert len(kinds) > 6
    for paths in kinds.values():
        for _ in range(flips):
            path = generator.choice(paths)
            with one_bit_changed(path, generator) as bit:
                found = states(folder, together)
            wrong = {name: state for name, state in found.items() if state != CURRENT}
            name = str(path.relative_to(folder))
            assert any(name in f"{file}: {state}" for file, state in wrong.items()), (name, bit)
            assert all(REMEDY in str(state) for state in wrong.values()), wrong


def assert_no_job_reads_damage(study: Study, project_folder: Path, monkeypatch) -> int:
    """Every job that reads tables says of each, once damaged, in one sentence which it is and what
    to do, and writes nothing; how many tables these were."""
    generator = random.Random(1)
    monkeypatch.chdir(project_folder)
    count = 0
    for result in study.results.values():
        inputs = {
            option: [f"{study.folder}/{path}" for path in paths]
            for option, paths in input_files(result).items()
        }
        outputs = {
            key: [f"{study.folder}/{output.path(suffix)}" for output, suffix in files]
            for key, files in output_files(result).items()
        }
        files = [path for paths in inputs.values() for path in paths]
        if not all(map(Path.exists, map(Path, files))):
            continue
        # A page names pictures by their paths, and reads none.
        tables = [path for path in files if path.endswith(".parquet")]
        words = ["job", result.module, "--settings", result.settings.canonical()]
        words += shlex.split(command_options(result, inputs, outputs))
        for path in tables:
            with one_bit_changed(Path(path), generator), _said() as said:
                before = _times(study.folder)
                assert main(words) == 1, path
                assert _times(study.folder) == before
            sentence = said.getvalue().partition("to run it alone:")[0]
            assert sentence.count("\n") == 1, sentence
            assert path in sentence
            assert REMEDY in sentence
            count += 1
    return count


def _said() -> contextlib.redirect_stderr:
    return contextlib.redirect_stderr(io.StringIO())


def _times(folder: str) -> dict[Path, int]:
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    return {path: path.stat().st_mtime_ns for path in files}
