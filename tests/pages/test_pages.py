"""Pages of tables and pictures, and results that are pages."""

import pyarrow as pa
import pytest

from attention_separation.pages.html import page
from attention_separation.pages.overview import inline
from attention_separation.pages.table_page import write_result
from attention_separation.results.tables import TableError


def test_a_picture_in_a_page_is_the_drawing_alone():
    metadata = "<metadata>\n<x/>\n</metadata>"
    svg = f'<?xml version="1.0"?>\n<svg a="b">\n{metadata}\n<path/></svg>'
    assert inline(svg) == '<svg a="b">\n\n<path/></svg>'


def test_a_page_shows_every_cell_and_escapes_it():
    table = pa.table(
        {
            "text": ["<b>&\nline", None], "number": [0.123456, None], "count": [12345, None],
            "yes_no": [True, False],
        }
    )  # fmt: skip
    text = page(table, "A < B", "About & more\nAnd more")
    assert "<p>About &amp; more</p>\n<p>And more</p>\n<table>" in text
    assert "<td>&lt;b&gt;&amp;<br>line</td>" in text
    assert '<td class="number">0.1235</td>' in text
    assert '<td class="number">12,345</td>' in text
    assert "<td>yes</td>" in text
    assert text.count("<td></td>") == 3
    assert "<h1>A &lt; B</h1>" in text
    assert "<th>yes no</th>" in text
    assert "http" not in text


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_result_holds_no_number_that_is_none(tmp_path, value):
    table = pa.table({"good": [1.0, None], "bad": [0.5, value]})
    with pytest.raises(TableError, match="column bad holds a value that is no finite number"):
        write_result(table, tmp_path / "t", {}, "T", "A")
    assert not list(tmp_path.iterdir())
