"""Tables on disk: parquet with its provenance, and csv."""

from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from attention_separation.results.files import replacing

AGAIN = "remove the file and run again"


class TableError(ValueError):
    """A file is no table of ours; the text names the file and what is wrong with it."""


def write_parquet(table: pa.Table, path: Path, metadata: dict[str, str]) -> None:
    """Write a table; equal tables and metadata give equal bytes."""
    entries = {key: metadata[key] for key in sorted(metadata)}
    with replacing(path) as part:
        pq.write_table(table.replace_schema_metadata(entries), part)


def write_csv(table: pa.Table, path: Path) -> None:
    """Write a table as csv with a header line; null is an empty cell."""
    with replacing(path) as part:
        pyarrow.csv.write_csv(table, part)


def column_names(path: Path) -> list[str]:
    """The names of a table's columns; TableError if the file is no parquet file."""
    return _read(path).schema.names


def read_parquet(path: Path, schema: pa.Schema, settings: str | None = None) -> pa.Table:
    """Read a table that must have the columns of `schema` and, if given, a digest of `settings`.

    Raises
    ------
    TableError
        If the file is no parquet file, has other columns, or was made with other settings.
    """
    table = _read(path)
    if not table.schema.equals(schema, check_metadata=False):
        raise TableError(
            f"{path}: not a table of this version: its columns are {table.schema.names}, "
            f"expected {schema.names}; {AGAIN}"
        )
    # A job that outlived its killed workflow may write after a later one: its table is not wanted.
    found = (table.schema.metadata or {}).get(b"settings", b"").decode()
    if settings is not None and found != settings:
        raise TableError(f"{path}: made with other settings than these; {AGAIN}")
    return table


def _read(path: Path) -> pa.Table:
    try:
        return pq.ParquetFile(path).read()
    except (pa.ArrowException, OSError) as error:
        raise TableError(f"{path}: no parquet file that can be read: {error}; {AGAIN}") from error
