"""Tables: made of rows or columns, and on disk as parquet with its provenance, and as csv.

A parquet file of ours has checksums of its pages, which other readers compare where they are asked
to, and which its footer has none of. So it has a *seal* too, between its columns and its footer,
where no reader looks: the sha256 of all its other bytes. Nothing is read from a file whose seal is
not that.

Wherever pyarrow converts Python objects itself, or an array to NumPy, it imports pandas if it is
installed, which would double the time of a short job: here its buffers are filled instead.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from .files import AGAIN, replacing

SEAL = b"sha256 of all other bytes: "
"""What stands before the digits of a seal."""

SEAL_DIGITS = 64

MAGIC = b"PAR1"
"""A parquet file begins and ends with it."""

END = 8
"""Bytes behind a footer: its length, and MAGIC."""

Part = TypeVar("Part")

Row = dict[str, Any]

R = TypeVar("R", bound=Mapping[str, Any])
"""A row of a table: its values by column, null as None."""

COLUMN_TYPES: dict[Any, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    list[str]: pa.list_(pa.string()),
    list[int]: pa.list_(pa.int64()),
    list[float]: pa.list_(pa.float64()),
    list[bool]: pa.list_(pa.bool_()),
}


class TableError(ValueError):
    """A file is no table of ours; the text names the file and what is wrong with it."""


def schema(**columns: type) -> pa.Schema:
    """The schema of a table with these columns, in order, each of str, int, float or bool, or a
    list of such."""
    return pa.schema({name: COLUMN_TYPES[kind] for name, kind in columns.items()})


def table_from_columns(columns: Mapping[str, Sequence | np.ndarray], schema: pa.Schema) -> pa.Table:
    """The table whose columns are sequences of values, or arrays of one axis; None is null.
    KeyError if a column of the schema is missing, TypeError if a value is not of its column's type,
    or would lose its fraction there."""
    arrays = [array_of(columns[field.name], field.type) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def table_from_rows(rows: Iterable[Mapping[str, object]], schema: pa.Schema) -> pa.Table:
    """The table of some rows; a column that a row has not is null there. TypeError as
    `table_from_columns` does."""
    rows = list(rows)
    columns = {name: [row.get(name) for row in rows] for name in schema.names}
    return table_from_columns(columns, schema)


def select_rows(table: pa.Table, **wanted: object) -> pa.Table:
    """The rows of a table that have the wanted value in each of the columns named."""
    for name, value in wanted.items():
        is_wanted = [cell == value for cell in table[name].to_pylist()]
        table = table.filter(array_of(is_wanted, pa.bool_()))
    return table


def chosen(rows: Iterable[R], **wanted: object) -> list[R]:
    """Those of some rows, mappings from column to value, that have the wanted value in each of the
    columns named."""
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def rows_by(rows: Iterable[R], column: str) -> dict[Any, list[R]]:
    """The rows that have each value of a column, by that value, in the order in which values first
    come."""
    rows_by_value: dict[Any, list[R]] = {}
    for row in rows:
        rows_by_value.setdefault(row[column], []).append(row)
    return rows_by_value


def numpy_column(table: pa.Table, name: str) -> np.ndarray:
    """A column of numbers as an array of one axis; null is NaN, which integers do not have."""
    return np.array(table[name].to_pylist(), table.schema.field(name).type.to_pandas_dtype())


def all_finite(column: pa.ChunkedArray) -> bool:
    """Whether no number of a column is NaN or infinite; null does not count."""
    return all(math.isfinite(x) for x in column.to_pylist() if isinstance(x, float))


def finite_or_null(value: float) -> float | None:
    """A number as tables hold it: null where it is none."""
    return value if math.isfinite(value) else None


def array_of(values: Sequence[Any] | np.ndarray, kind: pa.DataType) -> pa.Array:
    """An array of numbers, truth values, texts, or lists of these; None is null. TypeError if a
    value is not of that type, or would lose its fraction."""
    is_valid = np.array([value is not None for value in values], dtype=bool)
    validity = None if is_valid.all() else _bits(is_valid)
    if pa.types.is_string(kind):
        texts = [b"" if value is None else str.encode(value) for value in values]
        buffers = [validity, _part_offsets(texts), pa.py_buffer(b"".join(texts))]
        return pa.Array.from_buffers(kind, len(values), buffers)
    if pa.types.is_list(kind):
        lists = [() if value is None else value for value in values]
        items = array_of(list(chain.from_iterable(lists)), kind.value_type)
        buffers = [validity, _part_offsets(lists)]
        return pa.Array.from_buffers(kind, len(values), buffers, children=[items])
    numbers = np.zeros(len(values), kind.to_pandas_dtype())
    if is_valid.any():
        valid_values = np.array([value for value in values if value is not None])
        numbers[is_valid] = valid_values.astype(numbers.dtype, casting="same_kind")
    packed = _bits(numbers) if pa.types.is_boolean(kind) else pa.py_buffer(numbers)
    return pa.Array.from_buffers(kind, len(values), [validity, packed])


def _part_offsets(parts: Sequence[Sized]) -> pa.Buffer:
    """Where each of P parts starts when they are laid end to end, and where the last ends: P + 1
    int32 numbers, as Arrow wants them."""
    return pa.py_buffer(np.cumsum([0, *map(len, parts)], dtype=np.int32))


def _bits(truth: np.ndarray) -> pa.Buffer:
    """Truth values as Arrow wants them, one bit each."""
    return pa.py_buffer(np.packbits(truth, bitorder="little"))


def write_parquet(table: pa.Table, path: Path, metadata: dict[str, str]) -> None:
    """Write a table and its seal; equal tables, metadata and names of files give equal bytes.

    The name goes into the metadata: tables of one job share all its digests.
    """
    named = metadata | {"name": path.stem}
    entries = {key: named[key] for key in sorted(named)}
    sink = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata(entries), sink, write_page_checksum=True)
    content = sink.getvalue().to_pybytes()
    footer = _start_of_footer(content)
    seal = _seal_of(content[:footer], content[footer:])
    with replacing(path) as part:
        part.write_bytes(content[:footer] + seal + content[footer:])


def _start_of_footer(content: bytes) -> int:
    """The place in a parquet file's bytes where its footer starts."""
    length = int.from_bytes(content[-END : -len(MAGIC)], "little")
    return len(content) - END - length


def _seal_of(columns: bytes, footer: bytes) -> bytes:
    """The seal that stands between a file's columns and its footer."""
    return SEAL + hashlib.sha256(columns + SEAL + footer).hexdigest().encode()


def rounded(table: pa.Table, digits: int) -> pa.Table:
    """A table with its floating-point numbers rounded to `digits` significant digits; whole
    numbers, infinities and null stay as they are."""

    def rounded_value(value: float | None) -> float | None:
        """A number to so many significant digits."""
        if value is None or not math.isfinite(value) or value.is_integer():
            return value
        return float(f"{value:.{digits - 1}e}")

    for index, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            numbers = array_of([rounded_value(x) for x in table[index].to_pylist()], field.type)
            table = table.set_column(index, field, numbers)
    return table


def write_csv(table: pa.Table, path: Path) -> None:
    """Write a table as csv with a header line; null is an empty cell."""
    with replacing(path) as part:
        pyarrow.csv.write_csv(table, part)


def read_parquet(
    path: Path,
    schema: pa.Schema,
    settings: str | None = None,
    optional: Iterable[str] = (),
    is_sealed: bool = True,
) -> pa.Table:
    """The table of a file, which must have the columns of `schema` and, if `settings` is given,
    this digest of its settings. A column that is `optional` and not there is null. TableError as
    `read_table`, or if the file has other columns, or was made with other settings."""
    table = read_table(path, is_sealed)
    for place, field in enumerate(schema):
        if field.name in optional and field.name not in table.column_names:
            table = table.add_column(place, field, pa.nulls(len(table), field.type))
    if not table.schema.equals(schema, check_metadata=False):
        raise TableError(
            f"{path}: not a table of this version: its columns are {table.schema.names}, "
            f"expected {schema.names}; {AGAIN}"
        )
    if settings is not None:
        _check_settings(path, table.schema, settings)
    return table


def check_inputs(
    digests: Mapping[str, Sequence[str]], files: Mapping[str, Path | list[Path]]
) -> None:
    """Raise unless each of a job's input files was made with the settings that the job expects.

    digests : the digests of settings expected of the files of each option, in order
    files : the paths under each option; that of a picture stands for the table beside it

    A job that outlived its killed workflow may write after a later one: its table is not wanted.
    TableError as `read_table`, or if one was made with other settings, ValueError if there are
    more or fewer tables than digests.
    """
    for option, wanted in digests.items():
        if option not in files:
            raise ValueError(f"--settings: inputs of --{option}; allowed: {', '.join(files)}")
        path_or_paths = files[option]
        paths = path_or_paths if isinstance(path_or_paths, list) else [path_or_paths]
        if len(paths) != len(wanted):
            raise ValueError(f"--{option}: {len(paths)} files; allowed: {len(wanted)}")
        for path, settings in zip(paths, wanted, strict=True):
            table = path.with_suffix(".parquet")
            _check_settings(table, read_schema(table), settings)


def metadata_of(schema: pa.Schema) -> dict[str, str]:
    """What a table of ours was made with, and the name of its file."""
    return {key.decode(): text.decode() for key, text in (schema.metadata or {}).items()}


def _check_settings(path: Path, schema: pa.Schema, settings: str) -> None:
    metadata = metadata_of(schema)
    if metadata.get("settings") != settings:
        raise TableError(f"{path}: made with other settings than these; {AGAIN}")
    name = metadata.get("name", path.stem)
    if name != path.stem:
        raise TableError(f"{path}: written as {name}; {AGAIN}")


def read_table(path: Path, is_sealed: bool = True) -> pa.Table:
    """The table of a parquet file, whatever its columns. TableError if the file is not ours, or is
    damaged; one without a seal, of an earlier version, is read only if `is_sealed` is false."""
    return _read(path, lambda file: file.read(use_threads=False), is_sealed)


def read_schema(path: Path, is_sealed: bool = True) -> pa.Schema:
    """The columns of a parquet file, with its metadata. TableError as `read_table`."""
    return _read(path, lambda file: file.schema_arrow, is_sealed)


def _read(path: Path, part_of: Callable[[pq.ParquetFile], Part], is_sealed: bool) -> Part:
    """What `part_of` takes from a parquet file; none of it is interpreted before its seal has been
    compared.

    The part is read in this thread: one of pyarrow's own that still held the bytes, which are
    Python's, when the process ended would abort it.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        text = f"{path}: no parquet file that can be read: {error.strerror}; {AGAIN}"
        raise TableError(text) from error
    inner = content.removeprefix(MAGIC)
    if len(inner) == len(content) or not inner.endswith(MAGIC):
        raise TableError(f"{path}: no parquet file that can be read; {AGAIN}")
    footer = _start_of_footer(content)
    columns = content[: max(0, footer - len(SEAL) - SEAL_DIGITS)]
    if SEAL in content:
        if content[len(columns) : footer] != _seal_of(columns, content[footer:]):
            raise TableError(f"{path}: damaged, for its bytes are not those written; {AGAIN}")
    elif is_sealed:
        raise TableError(f"{path}: not a table of this version: it has no seal; {AGAIN}")
    try:
        return part_of(pq.ParquetFile(pa.BufferReader(content)))
    except (pa.ArrowException, OSError) as error:
        text = f"{path}: no parquet file that can be read: {error}; {AGAIN}"
        raise TableError(text) from error
