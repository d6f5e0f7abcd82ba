"""Pages of docs/ and README.md, from templates that a person writes and the tables that are kept.

A number on a page is an expression over a table; beneath each finding stands its guard,
`{% holds CONDITION %}`. A page whose guard fails is not written.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from traceback import extract_tb
from typing import Any

import pyarrow.csv
from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError, nodes
from jinja2.ext import Extension
from jinja2.parser import Parser

from ..messages.words import ten_to
from ..results.files import write_text
from ..results.tables import chosen

SUFFIX = ".j2"
MARKS = {"agrees": "✓", "differs": "✗", "undecided": "?"}


class PageError(ValueError):
    """A page that cannot be written; the text names it, and says what to do."""


MARK_OF_BROKEN = re.compile(r"\0(.*?):(\d+)\0")
"""What stands in place of a guard that does not hold: its template and its line there."""


class Holds(Extension):
    """`{% holds CONDITION %}`: nothing on the page, and no page where the condition is false."""

    # Declared as jinja2 does.
    tags: set[str] = {"holds"}  # noqa: RUF012

    def parse(self, parser: Parser) -> nodes.Node:
        """The node of a guard `{% holds CONDITION %}`: a call of `_check` with its template and
        line."""
        line = next(parser.stream).lineno
        condition = parser.parse_expression()
        place = [nodes.Const(parser.name), nodes.Const(line)]
        call = self.call_method("_check", [condition, *place])
        return nodes.Output([call]).set_lineno(line)

    def _check(self, condition: object, template: str, line: int) -> str:
        """Nothing on the page if a guard's condition holds; else a mark, as MARK_OF_BROKEN reads
        it."""
        return "" if condition else f"\0{template}:{line}\0"


class Tables:
    """The tables of a folder, read when asked for: `tables("kernels/kernels")` is a list of rows,
    each with its cells by column; an empty cell is None."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._read: dict[str, list[dict[str, Any]]] = {}

    def __call__(self, name: str, /, **wanted: object) -> list[dict[str, Any]]:
        """The rows that have the wanted values; PageError where there is no such table."""
        if name not in self._read:
            path = self.folder / f"{name}.csv"
            if not path.exists():
                text = f"{path} is missing; `make keep` puts a finished run's tables there"
                raise PageError(text)
            options = pyarrow.csv.ConvertOptions(null_values=[""], strings_can_be_null=True)
            self._read[name] = pyarrow.csv.read_csv(path, convert_options=options).to_pylist()
        return chosen(self._read[name], **wanted)


def one(rows: Iterable[Mapping[str, Any]], **wanted: object) -> Mapping[str, Any]:
    """The one row that has these values; PageError where there are none or several."""
    matching = chosen(rows, **wanted)
    if len(matching) != 1:
        raise PageError(f"{len(matching)} rows with {wanted}; allowed: one")
    return matching[0]


def whole(number: float) -> str:
    """A number without a fraction, as 12,620; from 10⁹ on to three digits, as 1.23·10⁹."""
    if abs(number) < 1e9:
        return f"{number:,.0f}"
    digits, power = f"{number:.2e}".split("e")
    return f"{digits}·{ten_to(int(power))}"


def fixed(number: float, places: int = 3) -> str:
    """A number with so many places."""
    return f"{number:.{places}f}"


def short(number: float | None) -> str:
    """A number to three digits; nothing for None."""
    return "" if number is None else f"{number:.3g}"


def mark(verdict: str) -> str:
    """A verdict with its mark."""
    return f"{MARKS.get(verdict, '·')} {verdict}"


def render(template: Path, tables: Tables, facts: Mapping[str, Callable[[Tables], Any]]) -> str:
    """The text of a page, from tables; `facts` are values with arithmetic, by the name that
    templates have for them; PageError if a name is not defined, a table is missing, or guards do
    not hold, each of which it names."""
    environment = Environment(
        loader=FileSystemLoader(template.parent),
        undefined=StrictUndefined,
        extensions=[Holds],
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"whole": whole, "fixed": fixed, "short": short, "mark": mark}
    environment.globals |= {"tables": tables, "one": one, "where": chosen}
    try:
        environment.globals |= {name: make(tables) for name, make in facts.items()}
        # Not `render`, whose errors have no line of a template left.
        text = "".join(environment.get_template(template.name).generate())
    except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise PageError(f"{_place(error, template)}: {error}") from error
    broken: list[str] = []
    for mark_of_broken in MARK_OF_BROKEN.finditer(text):
        name, line = mark_of_broken.groups()
        if name != template.name:
            # A page whose statement this one includes: what is said is of that page.
            return render(template.with_name(name), tables, facts)
        page_before = MARK_OF_BROKEN.sub("", text[: mark_of_broken.start()])
        broken.append(_broken(template, int(line), page_before))
    if broken:
        raise PageError("\n".join([*broken, ADVICE]))
    return text


def _place(error: Exception, template: Path) -> str:
    """The template and the line on which an error occurred."""
    frames = extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(template)]
    return f"{template.name}, line {lines[-1]}" if lines else template.name


def _broken(template: Path, line: int, page: str) -> str:
    """The finding whose guard does not hold, with the numbers that the tables have now: the last
    paragraph or table of the page up to there."""
    paragraph = page.rstrip().rpartition("\n\n")[2].splitlines()
    finding = "\n".join(text for text in paragraph if not text.startswith("|--"))
    guard = template.read_text(encoding="utf-8").splitlines()[line - 1].strip()
    return f"{template.name}, line {line}: a finding no longer holds.\n  {finding}\n  {guard}"


ADVICE = "Write what the tables say now, and its guard; or put back the tables of the kept run."


LONG_DESCRIPTION = "long_description.md"
"""In docs/site/: what a package index shows."""


def _folder_of(page: str, docs: Path) -> Path:
    """The folder that a page is written to."""
    if page == "README.md":
        return docs.parent
    return docs / "site" if page == LONG_DESCRIPTION else docs


def write_pages(templates: Path, docs: Path, facts: Mapping[str, Callable[[Tables], Any]]) -> None:
    """Write every page of a folder of templates, README.md beside `docs`, the others in it.

    All are rendered before any is written; PageError as `render`.
    """
    tables = Tables(docs)
    pages = {}
    for template in sorted(templates.glob(f"[!_]*.md{SUFFIX}")):
        name = template.name.removesuffix(SUFFIX)
        pages[_folder_of(name, docs) / name] = render(template, tables, facts)
    for path, text in pages.items():
        write_text(path, text)
