"""Tables of results as parquet, csv and pages that a browser opens from disk: nothing is fetched,
and a click or a key sorts."""

from collections.abc import Collection
from html import escape
from pathlib import Path

import pyarrow as pa

from ..messages.words import counted
from ..results.files import write_text
from ..results.tables import Row, TableError, all_finite, write_csv, write_parquet

TABLE_STYLE = """
:root { color-scheme: light dark; --ink: #222; --ground: #fff; --pale: #f4f7fa; --line: #ddd;
  --soft: #555; --link: #0072b2; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e4e4; --ground: #16191d; --pale: #232a31;
  --line: #3c444d; --soft: #a9b1ba; --link: #6cbdf0; } }
body { font: 15px/1.5 "DejaVu Sans", system-ui, sans-serif; color: var(--ink);
  background: var(--ground); margin: 2em auto; max-width: 90em; padding: 0 1em; }
h1 { font-size: 1.4em; } p { max-width: 50em; } a { color: var(--link); }
h1, p { overflow-wrap: anywhere; }
.wide { overflow: auto; max-height: 90vh; }
:focus-visible { outline: 2px solid var(--link); outline-offset: -2px; }
table { border-collapse: collapse; font-size: 13px; }
caption { text-align: left; color: var(--soft); padding: .3em 0; }
th, td { text-align: left; vertical-align: top; padding: .3em .7em;
  border-bottom: 1px solid var(--line); }
th { position: sticky; top: 0; background: var(--ground); border-bottom: 2px solid var(--ink); }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr:hover { background: var(--pale); } .sortable th { cursor: pointer; }
th button { all: unset; cursor: pointer; } th button:focus-visible { outline: 2px solid; }
th[aria-sort="ascending"] button::after { content: " \\25b2"; }
th[aria-sort="descending"] button::after { content: " \\25bc"; }
"""

SORT = """<script>
for (const [column, head] of document.querySelectorAll(".sortable th").entries()) {
  const button = document.createElement("button");
  button.title = "sort";
  button.append(...head.childNodes);
  head.append(button);
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
"""A click on a column's name, or Enter where it has the focus, sorts by it, a second one downwards;
empty cells stand last."""


def page(table: pa.Table, title: str, about: str) -> str:
    """The text of a page that shows a table beneath a text about it, a paragraph per line."""
    paragraphs = "".join(f"<p>{escape(line)}</p>\n" for line in about.splitlines())
    rows = f"{title}: {counted(len(table), 'row')}"
    sortable = f'<div class="sortable">{table_element(table, rows)}</div>\n{SORT}'
    return document(title, f"{paragraphs}{sortable}")


def document(title: str, body: str, style: str = "") -> str:
    """The text of a page; `body` is HTML, and `style` is added to the pages' common style."""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>'
        f"{escape(title)}</title><style>{TABLE_STYLE}{style}</style></head>\n<body><h1>{escape(title)}</h1>\n"
        f"{body}</body></html>\n"
    )


def table_element(table: pa.Table, caption: str) -> str:
    """The HTML of a table in a box of its own, in which it scrolls, by keys too, where it is wider
    than the window. Null is an empty cell, a number is rounded to four digits, and a text may have
    several lines."""
    names = [escape(name.replace("_", " ")) for name in table.column_names]
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    rows = "\n".join(_table_row(row) for row in table.to_pylist())
    words = escape(caption)
    return (
        f"{box_start(caption)}<table><caption>{words}</caption><thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{rows}\n</tbody></table></div>"
    )


def box_start(label: str) -> str:
    """The start of an HTML element that scrolls, by keys too, where what it holds is wider than the
    window; "</div>" ends it."""
    return f'<div class="wide" role="region" aria-label="{escape(label)}" tabindex="0">'


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
