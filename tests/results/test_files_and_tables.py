"""Files are whole or absent; tables carry their provenance and refuse what is not theirs."""

import math
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from damage import flipped
from making import ROOT, STUDIES

from attention_separation.results.declaration import Current
from attention_separation.results.file_states import CURRENT, table_state
from attention_separation.results.files import replacing
from attention_separation.results.tables import (
    SEAL,
    TableError,
    array_of,
    check_inputs,
    numpy_column,
    read_parquet,
    read_schema,
    read_table,
    select_rows,
    table_from_columns,
    table_from_rows,
    write_csv,
    write_parquet,
)

TABLE = pa.table({"a": [1, 2], "b": [0.5, None]})

ARRAYS = [
    ([1, None, -3], pa.int64()),
    (range(3), pa.int64()),
    (np.arange(5), pa.int64()),
    ([1, 2.5, None, math.inf, np.float64(0.1)], pa.float64()),
    (np.linspace(0, 1, 9), pa.float64()),
    (["a", None, "ü𝑛", ""], pa.string()),
    ([True, None, False] * 7, pa.bool_()),
    ([[1.5, None], None, [], [2]], pa.list_(pa.float64())),
    ([["a"], ["b", "c"]], pa.list_(pa.string())),
    *(([None, None], kind) for kind in (pa.int64(), pa.float64(), pa.string(), pa.bool_())),
    *(([], kind) for kind in (pa.int64(), pa.string(), pa.bool_(), pa.list_(pa.int64()))),
]


@pytest.mark.parametrize(("values", "kind"), ARRAYS, ids=str)
def test_arrays_are_those_that_pyarrow_makes(values, kind):
    found = array_of(values, kind)
    found.validate(full=True)
    assert found.equals(pa.array(values, kind))


@pytest.mark.parametrize(
    ("values", "kind"),
    [(["a"], pa.int64()), ([1.5], pa.int64()), ([1], pa.string()), (["x"], pa.bool_()),
     ([1], pa.bool_()), ([[1.5]], pa.list_(pa.int64()))],
    ids=str,
)  # fmt: skip
def test_values_of_another_type_are_refused(values, kind):
    with pytest.raises(TypeError):
        array_of(values, kind)


def test_a_table_is_made_of_columns_or_of_rows():
    columns = {"a": [1, 2], "b": [0.5, None]}
    assert table_from_columns(columns, TABLE.schema).equals(TABLE)
    assert table_from_rows([{"a": 1, "b": 0.5, "c": 0}, {"a": 2}], TABLE.schema).equals(TABLE)
    assert table_from_rows([], TABLE.schema).equals(TABLE.slice(0, 0))
    with pytest.raises(KeyError, match="b"):
        table_from_columns({"a": [1]}, TABLE.schema)


def test_rows_are_selected_and_columns_read():
    assert select_rows(TABLE, a=2).to_pylist() == [{"a": 2, "b": None}]
    assert len(select_rows(TABLE, a=2, b=0.5)) == 0
    np.testing.assert_array_equal(numpy_column(TABLE, "b"), [0.5, np.nan])
    assert numpy_column(TABLE, "a").dtype == np.int64


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
    """A second one leaves that of the first alone."""
    path = tmp_path / "out.txt"
    with replacing(path) as one:
        one.write_text("one")
        with replacing(path) as two:
            assert one != two
            two.write_text("two")
        assert path.read_text() == "two"
    assert path.read_text() == "one"


KILLED_WRITER = """
import os, signal, sys
from attention_separation.results.files import replacing
with replacing(sys.argv[1]) as part:
    part.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_writer_left_goes_with_the_next_one(tmp_path):
    path, other = tmp_path / "out.txt", tmp_path / "out.txt.more"
    command = [sys.executable, "-c", KILLED_WRITER, str(path)]
    assert subprocess.run(command, cwd=ROOT / "src", check=False).returncode == -signal.SIGKILL
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


def test_parquet_keeps_values_and_metadata_and_its_bytes(tmp_path):
    one, two = tmp_path / "one.parquet", tmp_path / "elsewhere/one.parquet"
    write_parquet(TABLE, one, {"seed": "1", "settings": "x"})
    write_parquet(TABLE, two, {"settings": "x", "seed": "1"})
    assert one.read_bytes() == two.read_bytes()
    read = read_parquet(one, TABLE.schema, "x")
    assert read.equals(TABLE)
    assert read.schema.metadata == {b"name": b"one", b"seed": b"1", b"settings": b"x"}
    # Other readers do not see the seal.
    assert pq.read_table(one).equals(read, check_metadata=True)


def test_a_table_under_another_name_is_refused_though_its_settings_are_asked_for(tmp_path):
    """As one of the same job is, which shares all digests."""
    one, two = tmp_path / "fig4.parquet", tmp_path / "fig4_lines.parquet"
    digests = {"settings": "x", "code": "y"}
    write_parquet(TABLE, two, digests)
    assert table_state(two, Current(**digests)) == CURRENT
    two.replace(one)
    assert str(table_state(one, Current(**digests))) == "written as fig4_lines; run again"
    words = re.escape(f"{one}: written as fig4_lines; remove the file and run again")
    with pytest.raises(TableError, match=words):
        read_parquet(one, TABLE.schema, "x")
    with pytest.raises(TableError, match=words):
        check_inputs({"table": ["x"]}, {"table": one})


def test_no_two_tables_of_a_study_share_a_name_and_all_digests():
    for study in STUDIES.values():
        tables = study.expected_tables().items()
        carried = {(Path(path).stem, table.settings, table.code) for path, table in tables}
        assert len(carried) == len(tables)


IN_ONE_THREAD = """
import sys
from pathlib import Path
import psutil, pyarrow as pa
from attention_separation.results.tables import *
process = psutil.Process()
path = Path(sys.argv[1])
table = pa.table({"a": [1, 2], "b": [0.5, None], "c": ["x", "y"]})
before = process.num_threads()
write_parquet(table, path, {"settings": "x"})
write_csv(table, path.with_suffix(".csv"))
read_schema(path)
rounded(select_rows(read_parquet(path, table.schema, "x"), a=1), 3)
pa.concat_tables([read_table(path), table.replace_schema_metadata()]).combine_chunks()
print(process.num_threads() - before)
"""


def test_tables_need_no_thread_of_pyarrow(tmp_path):
    """One that still held a file's bytes when the process ended would abort it (status -6)."""
    command = [sys.executable, "-c", IN_ONE_THREAD, tmp_path / "a.parquet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"


@pytest.mark.parametrize("content", [b"", b"PAR1 half", b"nothing of the kind"])
def test_a_broken_table_is_named(tmp_path, content):
    path = tmp_path / "broken.parquet"
    path.write_bytes(content)
    with pytest.raises(TableError, match=r"broken\.parquet: no parquet file"):
        read_parquet(path, TABLE.schema, "x")


EVERY_KIND = pa.table({str(k): pa.array(values, kind) for k, (values, kind) in enumerate(
    [([1, None, -3], pa.int64()), ([0.1313, math.inf, None], pa.float64()),
     (["a", None, "ü"], pa.string()), ([True, None, False], pa.bool_()),
     ([[1.5, None], None, []], pa.list_(pa.float64()))])})  # fmt: skip


def test_a_file_with_any_bit_changed_is_refused_and_named(tmp_path):
    path = tmp_path / "flipped.parquet"
    write_parquet(EVERY_KIND, path, {"settings": "x", "code": "y"})
    whole = path.read_bytes()
    for bit in range(0, 8 * len(whole), 31):
        path.write_bytes(flipped(whole, bit))
        for read in (read_table, read_schema):
            with pytest.raises(TableError, match=r"flipped\.parquet: .*remove the file") as error:
                read(path)
            assert "\n" not in str(error.value)
    path.write_bytes(whole)
    assert read_table(path).equals(EVERY_KIND)


@pytest.mark.parametrize("change", ["cut", "longer", "twice"])
def test_a_file_of_other_bytes_is_refused_and_named(tmp_path, change):
    path = tmp_path / "other.parquet"
    write_parquet(EVERY_KIND, path, {"settings": "x"})
    whole = path.read_bytes()
    changed = {"cut": whole[:-30] + whole[-4:], "longer": whole + b"PAR1", "twice": whole * 2}
    path.write_bytes(changed[change])
    with pytest.raises(TableError, match=r"other\.parquet: damaged"):
        read_parquet(path, EVERY_KIND.schema, "x")
    with pytest.raises(TableError, match=r"other\.parquet: damaged"):
        check_inputs({"table": ["x"]}, {"table": path})


def test_a_table_without_a_seal_is_read_where_it_need_have_none(tmp_path):
    path = tmp_path / "earlier.parquet"
    pq.write_table(TABLE, path)
    for read in (read_table, read_schema):
        with pytest.raises(TableError, match="not a table of this version: it has no seal"):
            read(path)
    assert read_parquet(path, TABLE.schema, is_sealed=False).equals(TABLE)


def test_a_text_that_looks_like_a_seal_is_text(tmp_path):
    path = tmp_path / "text.parquet"
    table = pa.table({SEAL.decode(): [SEAL.decode() + "0" * 64, SEAL.decode()]})
    write_parquet(table, path, {"settings": "x"})
    assert read_table(path).equals(table)


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


def test_inputs_of_a_job_are_those_of_its_settings(tmp_path):
    for name in ("a", "b"):
        table = pa.table({"x": [1.0]})
        write_parquet(table, tmp_path / f"{name}.parquet", {"settings": name})
    a, b = tmp_path / "a.parquet", tmp_path / "b.parquet"
    check_inputs({"tables": ["a", "b"], "one": ["b"]}, {"tables": [a, b], "one": b, "output": a})
    with pytest.raises(TableError, match=r"b\.parquet: made with other settings"):
        check_inputs({"tables": ["a", "b"]}, {"tables": [b, a]})
    with pytest.raises(ValueError, match="--tables: 1 files; allowed: 2"):
        check_inputs({"tables": ["a", "b"]}, {"tables": [a]})
    a.write_text("broken")
    with pytest.raises(TableError, match="no parquet file that can be read"):
        check_inputs({"one": ["a"]}, {"one": a})


def test_a_changed_bit_of_a_page_is_noticed_by_its_checksum(tmp_path):
    """By any reader that is asked to look; where it is in the footer, by the seal alone."""
    path = tmp_path / "table.parquet"
    numbers = np.random.default_rng(0).random(500)
    write_parquet(pa.table({"x": numbers}), path, {})
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(content)
    with pytest.raises(OSError, match="CRC checksum"):
        pq.read_table(path, page_checksum_verification=True)
    with pytest.raises(TableError, match="damaged"):
        read_table(path)
