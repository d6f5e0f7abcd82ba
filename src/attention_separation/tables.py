"""Tables on disk: parquet with its provenance, and csv."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from attention_separation.files import replacing
from attention_separation.html import write_html

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


def write_result(
    table: pa.Table, stem: Path, metadata: dict[str, str], title: str, about: str,
    shown: pa.Table | None = None,
) -> None:  # fmt: skip
    """Write STEM.parquet, STEM.csv and STEM.html, a page with a title and a text about the table.

    `shown` is what the page shows if not the table itself.

    Raises
    ------
    TableError
        If a number is NaN or infinite: null is the cell that has no meaning.
    """
    for name in table.column_names:
        if pa.types.is_floating(table[name].type) and not _finite(table[name]):
            raise TableError(f"{stem}: column {name} holds a value that is no finite number")
    write_parquet(table, stem.with_name(f"{stem.name}.parquet"), metadata)
    write_csv(table, stem.with_name(f"{stem.name}.csv"))
    page = table if shown is None else shown
    write_html(page, stem.with_name(f"{stem.name}.html"), title, about)


def _finite(column: pa.ChunkedArray) -> bool:
    return bool(np.isfinite(column.drop_null().to_numpy()).all())


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
