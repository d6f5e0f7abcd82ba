"""What a run refuses before its first job."""

import os
import re
import resource
from pathlib import Path

import pytest

from attention_separation.results.start_of_run import (
    FOLDERS_OF_SNAKEMAKE,
    ROOM,
    check_places,
    check_room,
    check_writable,
    folders_of_run,
)


def test_what_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    folder = re.escape(f"{tmp_path / 'file'}: no file can be made in this folder: Not a directory")
    for each in (tmp_path / "file", tmp_path / "file" / "results"):
        with pytest.raises(OSError, match=folder):
            check_writable(each)
    check_writable(tmp_path / "new" / "results")
    assert [*tmp_path.iterdir()] == [tmp_path / "file"]


def test_a_folder_that_another_run_moves_away_meanwhile_is_no_fault(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "glob", lambda self, pattern: [tmp_path / "moved"])
    monkeypatch.setattr(Path, "is_dir", lambda self: True)
    check_writable(tmp_path)


PLACES = ("results", "results/smoke", "results/smoke/panels")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("put", "words"),
    [
        (Path.touch, "a file"),
        (os.mkfifo, "a file"),
        (lambda path: path.symlink_to("gone"), "a link that leads nowhere"),
        (lambda path: path.symlink_to(path), "a link that leads nowhere"),
    ],
)
def test_what_is_no_folder_is_named_wherever_one_must_be(tmp_path, monkeypatch, place, put, words):
    monkeypatch.chdir(tmp_path)
    Path(place).parent.mkdir(parents=True, exist_ok=True)
    put(Path(place))
    text = f"{place}: {words} stands where a folder must be; move it away, then the same command"
    with pytest.raises(OSError, match=re.escape(text)):
        check_places(PLACES, [])


def test_a_folder_is_named_where_a_file_must_be(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = "results/panels/fig3a.parquet"
    Path(table).mkdir(parents=True)
    with pytest.raises(OSError, match=f"^{table}: a folder stands where a file must be"):
        check_places(["results/panels"], [table])


def test_folders_files_and_links_to_folders_are_in_nobodys_way(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("elsewhere/panels").mkdir(parents=True)
    Path("results").symlink_to("elsewhere")
    Path("results/panels/fig3a.parquet").touch()
    check_places(["results/panels", "results/figures"], ["results/panels/fig3a.parquet"])


def test_the_folders_of_a_run_are_those_of_its_files_its_logs_and_snakemakes():
    class Study:
        folder = "results"

    folders = folders_of_run([Study], ["results/panels/fig3a.parquet"])
    assert folders == {
        "results/panels",
        "results/logs",
        "results/benchmarks",
        *FOLDERS_OF_SNAKEMAKE,
    }


def test_room_is_that_of_a_disk_and_a_limit_on_files_is_kept(tmp_path):
    """A file larger than the limit would end the run, but a smaller one need not."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM // 2, hard))
    try:
        check_room(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [*tmp_path.iterdir()] == []
    words = f"/dev/null/x: no file of {ROOM:,} bytes can be made in this folder: Not a directory"
    with pytest.raises(OSError, match=words):
        check_room("/dev/null/x")
