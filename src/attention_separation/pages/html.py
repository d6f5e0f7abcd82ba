"""Tables as pages that a browser opens from disk: no script, nothing fetched."""

from html import escape

import pyarrow as pa

STYLE = """
body { font: 15px/1.5 "DejaVu Sans", system-ui, sans-serif; color: #222;
  margin: 2em auto; max-width: 90em; padding: 0 1em; }
h1 { font-size: 1.4em; } p { max-width: 50em; }
table { border-collapse: collapse; font-size: 13px; }
th, td { text-align: left; vertical-align: top; padding: .3em .7em; border-bottom: 1px solid #ddd; }
th { position: sticky; top: 0; background: #fff; border-bottom: 2px solid #222; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr:hover { background: #f4f7fa; }
"""


def page(table: pa.Table, title: str, about: str) -> str:
    """The text of a page that shows a table beneath a text about it, a paragraph per line."""
    paragraphs = "".join(f"<p>{escape(line)}</p>\n" for line in about.splitlines())
    return document(title, f"{paragraphs}{table_element(table)}")


def document(title: str, body: str, style: str = "") -> str:
    """The text of a page; `body` is HTML, and `style` is added to the pages' common style."""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}'
        f"</title><style>{STYLE}{style}</style></head>\n<body><h1>{escape(title)}</h1>\n"
        f"{body}</body></html>\n"
    )


def table_element(table: pa.Table) -> str:
    """A table as HTML; null is an empty cell, numbers are rounded to four digits, and a text may
    have several lines."""
    head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in table.column_names)
    rows = "\n".join(
        "<tr>" + "".join(_cell(value) for value in row.values()) + "</tr>"
        for row in table.to_pylist()
    )
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table>"


def _cell(value: object) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, bool):
        return f"<td>{'yes' if value else 'no'}</td>"
    if isinstance(value, int):
        return f'<td class="number">{value:,}</td>'
    if isinstance(value, float):
        return f'<td class="number">{value:.4g}</td>'
    return f"<td>{'<br>'.join(escape(line) for line in str(value).splitlines())}</td>"
