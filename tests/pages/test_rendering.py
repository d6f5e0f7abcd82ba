"""Templates: values of tables, guards beneath findings, and what is said where a page is wrong."""

import pytest

from attention_separation.pages.rendering import (
    PageError,
    Tables,
    mark,
    one,
    render,
    short,
    whole,
    write_pages,
)
from attention_separation.results.tables import chosen

TABLE = '"name","n","p"\n"a",1000,0.25\n"b",2000000000,\n'
FINDING = """# Title

**a reaches {{ one(tables("t"), name="a").n | whole }}**
tokens. {{ twice(4) }}
{% holds one(tables("t"), name="a").n CONDITION %}
"""
FACTS = {"twice": lambda tables: lambda number: 2 * number}


@pytest.fixture
def docs(tmp_path):
    (tmp_path / "docs/templates").mkdir(parents=True)
    (tmp_path / "docs/t.csv").write_text(TABLE)
    return tmp_path / "docs"


def template(docs, text, name="page.md.j2"):
    path = docs / "templates" / name
    path.write_text(text, encoding="utf-8")
    return path


def rendered(docs, text):
    return render(template(docs, text), Tables(docs), FACTS)


def test_a_guard_that_holds_leaves_nothing_on_the_page(docs):
    page = rendered(docs, FINDING.replace("CONDITION", "> 900"))
    assert page == "# Title\n\n**a reaches 1,000**\ntokens. 8\n"


def test_a_guard_that_fails_says_where_what_the_tables_have_and_what_to_do(docs):
    with pytest.raises(PageError) as error:
        rendered(docs, FINDING.replace("CONDITION", "> 1000"))
    assert str(error.value) == (
        "page.md.j2, line 5: a finding no longer holds.\n"
        "  **a reaches 1,000**\ntokens. 8\n"
        '  {% holds one(tables("t"), name="a").n > 1000 %}\n'
        "Write what the tables say now, and its guard; or put back the tables of the kept run."
    )


def test_a_guard_of_a_page_that_another_includes_is_named_with_its_own(docs):
    words = "{% macro said() %}\nWords.\n{% holds false %}\n{% endmacro %}\n{{ said() }}"
    template(docs, words, "own.md.j2")
    with pytest.raises(PageError, match=r"^own\.md\.j2, line 3: a finding no longer holds\."):
        rendered(docs, '{% from "own.md.j2" import said %}\n{{ said() }}')


def test_a_guard_beneath_a_table_shows_its_rows(docs):
    with pytest.raises(PageError) as error:
        rendered(docs, "Words.\n\n| a | b |\n|---|---|\n| c | d |\n{% holds false %}\n")
    assert str(error.value).splitlines()[1:3] == ["  | a | b |", "| c | d |"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{{ nothing }}", "page.md.j2, line 2: 'nothing' is undefined"),
        ("{% holds nothing > 1 %}", "page.md.j2, line 2: 'nothing' is undefined"),
        ("{{ one(tables('t'), name='a').none }}", "page.md.j2, line 2: .* has no attribute 'none'"),
        ("{{ tables('none') }}", r"page.md.j2, line 2: .*none\.csv is missing; `make keep` puts"),
        (
            "{{ one(tables('t'), name='c') }}",
            "page.md.j2, line 2: 0 rows with {'name': 'c'}; allowed: one",
        ),
        ("{{ tables('t', size=1) }}", "page.md.j2, line 2: 'size'"),
        ("{{ one(tables('t'), name='b').p | whole }}", "page.md.j2, line 2: .*NoneType"),
        ("{% holds %}", "page.md.j2, line 2: unexpected 'end"),
    ],
)
def test_what_is_wrong_is_said_with_the_page(docs, text, words):
    with pytest.raises(PageError, match=words):
        rendered(docs, f"Words.\n{text}")


def test_all_pages_are_rendered_before_any_is_written(docs):
    template(docs, "Start.\n", "README.md.j2")
    template(docs, "Whole.\n", "long_description.md.j2")
    template(docs, "{% macro x() %}X{% endmacro %}", "_parts.md.j2")
    template(docs, '{% from "_parts.md.j2" import x %}\n{{ x() }}\n', "a.md.j2")
    wrong = template(docs, "{% holds false %}\n", "z.md.j2")
    with pytest.raises(PageError, match=r"z\.md\.j2, line 1"):
        write_pages(docs / "templates", docs, {})
    files = {path.name for path in docs.parent.rglob("*.md")}
    assert files == set()
    wrong.unlink()
    write_pages(docs / "templates", docs, {})
    pages = {path.relative_to(docs.parent).as_posix() for path in docs.parent.rglob("*.md")}
    assert pages == {"README.md", "docs/a.md", "docs/site/long_description.md"}
    assert (docs / "a.md").read_text() == "X\n"


def test_rows_of_tables(docs):
    tables = Tables(docs)
    assert tables("t", name="b") == [{"name": "b", "n": 2_000_000_000, "p": None}]
    assert chosen(tables("t"), n=1000, p=0.25) == [one(tables("t"), name="a")]
    with pytest.raises(PageError, match="2 rows"):
        one(tables("t"))


def test_numbers_and_verdicts():
    assert [whole(x) for x in (0, 12620.4, 1.234e9, 1e12)] == [
        "0", "12,620", "1.23·10⁹", "1.00·10¹²",
    ]  # fmt: skip
    assert [short(x) for x in (None, 0.12345, 1e-7)] == ["", "0.123", "1e-07"]
    assert [mark(x) for x in ("agrees", "differs", "undecided", "not run")] == [
        "✓ agrees", "✗ differs", "? undecided", "· not run",
    ]  # fmt: skip
