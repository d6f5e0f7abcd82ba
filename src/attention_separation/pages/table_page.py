"""A table of results as parquet, csv and a page of its own."""

from collections.abc import Collection
from pathlib import Path

import pyarrow as pa

from attention_separation.results.files import write_text
from attention_separation.results.tables import TableError, all_finite, write_csv, write_parquet

from .html import page


def write_result(
    table: pa.Table, stem: Path, metadata: dict[str, str], title: str, about: str,
    shown: pa.Table | None = None, endless: Collection[str] = (),
) -> None:  # fmt: skip
    """Write STEM.parquet, STEM.csv and STEM.html, a page with a title and a text about the table.

    `shown` is what the page shows if not the table itself. In `endless` columns a number may be
    infinite.

    Raises
    ------
    TableError
        If a number is NaN or infinite: null is the cell that has no meaning.
    """
    for name in {*table.column_names} - {*endless}:
        if not all_finite(table[name]):
            raise TableError(f"{stem}: column {name} holds a value that is no finite number")
    write_parquet(table, stem.with_name(f"{stem.name}.parquet"), metadata)
    write_csv(table, stem.with_name(f"{stem.name}.csv"))
    text = page(table if shown is None else shown, title, about)
    write_text(stem.with_name(f"{stem.name}.html"), text)
