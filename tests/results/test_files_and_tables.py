"""Files are whole or absent; tables carry their provenance and refuse what is not theirs."""

import os
import re
import signal

import pyarrow as pa
import pytest

from attention_separation.results.files import check_writable, replacing
from attention_separation.results.tables import TableError, read_parquet, write_csv, write_parquet

TABLE = pa.table({"a": [1, 2], "b": [0.5, None]})


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old")

    def interrupted():
        with replacing(path) as part:
            part.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_has_its_name_only_when_whole_and_its_folder_is_made(tmp_path):
    path = tmp_path / "new" / "out.txt"
    with replacing(path) as part:
        part.write_text("whole")
        assert not path.exists()
        written = part.stat().st_ino
    assert path.read_text() == "whole"
    # Renamed, not copied: a reader finds the old file or the new one.
    assert path.stat().st_ino == written
    assert path.stat().st_mode & 0o444 == 0o444


def test_two_writers_do_not_share_a_file(tmp_path):
    path = tmp_path / "out.txt"
    with replacing(path) as one, replacing(path) as two:
        assert one != two
        one.write_text("one")
        two.write_text("two")
    assert path.read_text() == "one"


def test_a_second_writer_leaves_the_first_ones_file_alone(tmp_path):
    path = tmp_path / "out.txt"
    with replacing(path) as one:
        one.write_text("one")
        with replacing(path) as two:
            two.write_text("two")
        assert path.read_text() == "two"
    assert path.read_text() == "one"


def test_what_a_killed_writer_left_goes_with_the_next_one(tmp_path):
    path, other = tmp_path / "out.txt", tmp_path / "out.txt.more"
    pid = os.fork()
    if not pid:
        with replacing(path) as part:
            part.write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)
    (left,) = tmp_path.iterdir()
    assert left.read_text() == "half"
    with replacing(other) as part:
        part.write_text("whole")
    assert left.exists()
    with replacing(path) as part:
        part.write_text("whole")
    assert {*tmp_path.iterdir()} == {path, other}


def test_what_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "out.txt"
    words = re.escape(f"{path}: cannot be written: ")
    with pytest.raises(OSError, match=words), replacing(path) as part:
        part.write_text("")
    folder = re.escape(f"{tmp_path / 'file'}: no file can be made in this folder: Not a directory")
    for each in (tmp_path / "file", tmp_path / "file" / "results"):
        with pytest.raises(OSError, match=folder):
            check_writable(each)
    check_writable(tmp_path / "new" / "results")
    assert [*tmp_path.iterdir()] == [tmp_path / "file"]


def test_parquet_keeps_values_and_metadata_and_its_bytes(tmp_path):
    one, two = tmp_path / "one.parquet", tmp_path / "two.parquet"
    write_parquet(TABLE, one, {"seed": "1", "settings": "x"})
    write_parquet(TABLE, two, {"settings": "x", "seed": "1"})
    assert one.read_bytes() == two.read_bytes()
    read = read_parquet(one, TABLE.schema, "x")
    assert read.equals(TABLE)
    assert read.schema.metadata[b"seed"] == b"1"


@pytest.mark.parametrize("content", [b"", b"PAR1 half", b"nothing of the kind"])
def test_a_broken_table_is_named(tmp_path, content):
    path = tmp_path / "broken.parquet"
    path.write_bytes(content)
    with pytest.raises(TableError, match=r"broken\.parquet: no parquet file"):
        read_parquet(path, TABLE.schema, "x")


def test_a_foreign_table_is_named(tmp_path):
    path = tmp_path / "foreign.parquet"
    write_parquet(TABLE.rename_columns(["a", "z"]), path, {})
    with pytest.raises(TableError, match=r"its columns are \['a', 'z'\]"):
        read_parquet(path, TABLE.schema, "x")


def test_csv_has_a_header_and_empty_cells(tmp_path):
    path = tmp_path / "out.csv"
    write_csv(TABLE, path)
    assert path.read_text() == '"a","b"\n1,0.5\n2,\n'


def test_a_table_of_other_settings_is_refused(tmp_path):
    path = tmp_path / "late.parquet"
    write_parquet(TABLE, path, {"settings": "trials=15000"})
    with pytest.raises(TableError, match="made with other settings"):
        read_parquet(path, TABLE.schema, "trials=100")
    write_parquet(TABLE, path, {})
    with pytest.raises(TableError, match="made with other settings"):
        read_parquet(path, TABLE.schema, "trials=100")
