"""Pages of tables and pictures, and results that are pages."""

import math

import pyarrow as pa
import pytest

from attention_separation.messages.words import rounded_up
from attention_separation.pages.table_page import page, write_result
from attention_separation.results.tables import TableError


def test_a_page_shows_every_cell_and_escapes_it():
    table = pa.table(
        {
            "text": ["<b>&\nline", None], "number": [0.123456, None], "count": [12345, None],
            "yes_no": [True, False],
        }
    )  # fmt: skip
    text = page(table, "A < B", "About & more\nAnd more")
    assert '<p>About &amp; more</p>\n<p>And more</p>\n<div class="sortable"><div' in text
    assert "<table><caption>A &lt; B: 2 rows</caption><thead>" in text
    assert 'aria-label="A &lt; B: 2 rows"' in text
    assert "<td>&lt;b&gt;&amp;<br>line</td>" in text
    assert '<td class="number" data-value="0.123456">0.1235</td>' in text
    assert '<td class="number" data-value="12345">12,345</td>' in text
    assert "<td>yes</td>" in text
    assert text.count("<td></td>") == 3
    assert "<h1>A &lt; B</h1>" in text
    assert '<th scope="col">yes no</th>' in text
    assert "http" not in text


def test_large_numbers_stand_in_full_and_infinity_as_one():
    text = page(pa.table({"n": [322700.0, 1e20, math.inf, 0.5]}), "T", "A")
    for cell in ('322700.0">322,700<', '1e+20">1e+20<', 'Infinity">∞<', '0.5">0.5<'):
        assert f'data-value="{cell}' in text


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_result_holds_no_number_that_is_none(tmp_path, value):
    table = pa.table({"good": [1.0, None], "bad": [0.5, value]})
    with pytest.raises(TableError, match="column bad holds a value that is no finite number"):
        write_result(table, tmp_path / "t", {}, "T", "A")
    assert not list(tmp_path.iterdir())


def test_infinity_is_a_number_in_columns_that_say_so(tmp_path):
    table = pa.table({"last": [1.0, math.inf]})
    write_result(table, tmp_path / "t", {}, "T", "A", endless=["last"])
    assert (tmp_path / "t.csv").read_text().splitlines() == ['"last"', "1", "inf"]


def test_a_bound_is_rounded_up():
    assert [rounded_up(x) for x in (1.3e-6, 2e-6, 0.0123)] == ["2e-6", "2e-6", "0.012"]
