"""Tables of results as parquet, csv and pages that a browser opens from disk: nothing is fetched,
and a click sorts."""

from collections.abc import Collection
from html import escape
from pathlib import Path

import pyarrow as pa

from ..results.files import write_text
from ..results.tables import Row, TableError, all_finite, write_csv, write_parquet

TABLE_STYLE = """
body { font: 15px/1.5 "DejaVu Sans", system-ui, sans-serif; color: #222;
  margin: 2em auto; max-width: 90em; padding: 0 1em; }
h1 { font-size: 1.4em; } p { max-width: 50em; }
table { border-collapse: collapse; font-size: 13px; }
th, td { text-align: left; vertical-align: top; padding: .3em .7em; border-bottom: 1px solid #ddd; }
th { position: sticky; top: 0; background: #fff; border-bottom: 2px solid #222; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr:hover { background: #f4f7fa; } .sortable th { cursor: pointer; }
"""

SORT = """<script>
for (const [column, head] of document.querySelectorAll(".sortable th").entries()) {
  head.title = "sort";
  head.onclick = () => {
    const body = head.closest("table").tBodies[0];
    const down = head.ariaSort === "ascending";
    const key = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
    const order = (a, b) => key(a) === "" ? 1 : key(b) === "" ? -1
      : (down ? -1 : 1) * (a.cells[column].dataset.value && b.cells[column].dataset.value
        ? key(a) - key(b) : key(a).localeCompare(key(b)));
    body.append(...[...body.rows].sort(order));
    for (const other of head.parentNode.cells) other.ariaSort = "none";
    head.ariaSort = down ? "descending" : "ascending";
  };
}
</script>
"""
"""A click on a column's name sorts by it, a second one downwards; empty cells stand last."""


def page(table: pa.Table, title: str, about: str) -> str:
    """The text of a page that shows a table beneath a text about it, a paragraph per line."""
    paragraphs = "".join(f"<p>{escape(line)}</p>\n" for line in about.splitlines())
    sortable = f'<div class="sortable">{table_element(table)}</div>\n{SORT}'
    return document(title, f"{paragraphs}{sortable}")


def document(title: str, body: str, style: str = "") -> str:
    """The text of a page; `body` is HTML, and `style` is added to the pages' common style."""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>'
        f"{escape(title)}</title><style>{TABLE_STYLE}{style}</style></head>\n<body><h1>{escape(title)}</h1>\n"
        f"{body}</body></html>\n"
    )


def table_element(table: pa.Table) -> str:
    """The HTML of a table, where null is an empty cell and a number is rounded to four digits. A
    text may have several lines."""
    head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in table.column_names)
    rows = "\n".join(_table_row(row) for row in table.to_pylist())
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table>"


def _table_row(row: Row) -> str:
    """The HTML of a row of a table."""
    return f"<tr>{''.join(map(_cell, row.values()))}</tr>"


def _cell(value: object) -> str:
    """The HTML of a cell; a number has its value as an attribute, by which the browser sorts."""
    if value is None:
        return "<td></td>"
    if isinstance(value, bool):
        return f"<td>{'yes' if value else 'no'}</td>"
    if isinstance(value, int):
        return f'<td class="number" data-value="{value}">{value:,}</td>'
    if isinstance(value, float):
        # What a browser reads as a number.
        value_for_browser = str(value).replace("inf", "Infinity")
        return f'<td class="number" data-value="{value_for_browser}">{_rounded(value)}</td>'
    return f"<td>{'<br>'.join(escape(line) for line in str(value).splitlines())}</td>"


def _rounded(value: float) -> str:
    """A number as text with four digits; whole numbers below 10^15 in full."""
    is_whole = value.is_integer() and 1e4 <= abs(value) < 1e15
    return f"{value:,.0f}" if is_whole else f"{value:.4g}".replace("inf", "∞")


def write_result(
    table: pa.Table,
    output: Path,
    metadata: dict[str, str],
    title: str,
    about: str,
    shown: pa.Table | None = None,
    endless: Collection[str] = (),
) -> None:
    """Write to a path, with any ending, as parquet, as csv, and as html, a page with a title and a
    text about the table.

    `shown` is what the page shows if not the table itself. In `endless` columns a number may be
    infinite. TableError if a number is NaN or infinite: null is the cell that has no meaning.
    """
    for name in table.column_names:
        if name not in endless and not all_finite(table[name]):
            raise TableError(
                f"{output.with_suffix('')}: column {name} holds a value that is no finite number"
            )
    shown = table if shown is None else shown
    write_text(output.with_suffix(".html"), page(shown, title, about))
    write_csv(table, output.with_suffix(".csv"))
    # The last: by its digests all are taken to be current.
    write_parquet(table, output.with_suffix(".parquet"), metadata)
