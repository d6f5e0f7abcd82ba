"""The page from which all results of a run are reached: its figures, its verdicts, links to the
rest, and what to type next. It has no script, and loads nothing but the pictures beside it."""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from ..pages.table_page import box_start, document, table_element
from ..results.declaration import FIGURE, TABLE
from ..results.files import write_text
from ..results.tables import Row, read_parquet, schema, table_from_rows
from ..statistics.claims import count_verdicts
from .lemmas import claims_table
from .lemmas.facts import Lemmas
from .softmax_vs_linear.figures import verdicts as panel_verdicts
from .softmax_vs_linear.settings.panels import IndexJob

TITLE = "Softmax against linear attention: results"

INDEX_STYLE = """
body { max-width: 60em; } h2 { font-size: 1.15em; margin: 2em 0 .5em; }
.answer { font-size: 1.3em; margin: .5em 0; } figure { margin: 0; }
figure img { width: 100%; min-width: 55em; background: #fff; }
figcaption { color: var(--soft); font-size: 13px; }
.wide { max-height: none; } th { position: static; }
dt { margin-top: .5em; } dd { margin: 0; } dt a, dd a { display: inline-block; padding: .15em 0; }
code { background: var(--pale); padding: .1em .3em; overflow-wrap: anywhere; }
@media (max-width: 30em) { th, td { padding: .3em .35em; } th { font-size: 12px; } }
@media print {
  body { font-size: 10pt; max-width: none; margin: 0; } a { color: inherit; text-decoration: none; }
  figure img { min-width: 0; } figure, tr, dt { break-inside: avoid; }
  h2, dt { break-after: avoid; } .screen { display: none; }
}
"""

ORIGINAL = (
    "Dots are success rates with 95 % intervals, lines are computed. The paper's own curves exist "
    "as pictures alone: agreement with them is not claimed. An asterisk marks what the paper does "
    "not state."
)

NEXT = {
    "make report": "every figure and table in one file that opens offline",
    "snakemake fig4c": "one panel, after source .venv/bin/activate",
    'make paper CONFIG="trials=20000"': "the same with more trials",
    "attention-separation separate --kernel 'x**4' --n 1000": "what your own attention can do",
    "attention-separation verify results": "are these files of this code and configuration?",
    "make explore": "the same question with sliders, in the browser",
    "make rank, make needle, make recall": "the other studies",
}
"""Commands, and what each gives."""

ENDINGS = ("html", "svg", "png", "pdf", "csv", "parquet")

PANELS = schema(panel=str, verdict=str, trials=int, simulated=float, computed=float)
BOUNDS = schema(part=str, verdict=str, n=str)


def page(
    job: IndexJob,
    verdict_rows: Sequence[Row],
    claim_rows: Iterable[Row],
    figures: Iterable[Path],
    others: Iterable[Path],
) -> str:
    """The page's text; pictures and tables are paths from it, each with its first suffix."""
    answer = panel_verdicts.agreement(verdict_rows)
    parts = [
        f'<p class="answer"><strong>{escape(answer)}</strong></p>',
        f"<p>Scale: {escape(job.scale)}; engine: {job.engine}. {ORIGINAL}</p>",
        *(_figure_element(job, verdict_rows, path) for path in figures),
        "<h2>Verdicts on the panels</h2>",
        _panel_table(verdict_rows),
        "<h2>Bounds that the paper states</h2>",
        _bounds(Lemmas.of_claims(claim_rows)),
        "<h2>All tables and pictures</h2>",
        _links(job, others),
        '<div class="screen"><h2>What to type next</h2>',
        _next(),
        "</div>",
    ]
    return document(TITLE, "\n".join(parts), INDEX_STYLE)


def _figure_element(job: IndexJob, verdict_rows: Sequence[Row], path: Path) -> str:
    """A figure with its title, its verdicts and links to its files."""
    name = path.stem
    title = escape(job.titles[name])
    panels = job.panels[name]
    verdicts = count_verdicts(row["verdict"] for row in verdict_rows if row["panel"] in panels)
    alt = f"{title}. Success rates of {len(panels)} panels, simulated and computed: {verdicts}."
    return (
        f'<h2>{title}</h2>\n<figure>{box_start(job.titles[name])}<a href="{path}">'
        f'<img src="{path}" alt="{alt}"></a></div>\n'
        f"<figcaption>{len(panels)} panels: {verdicts}. {_file_links(job, path)}"
        "</figcaption></figure>"
    )


def _panel_table(verdict_rows: Iterable[Row]) -> str:
    rows = [
        row | {"simulated": row["mean_p_hat"], "computed": row["mean_p_exact"]}
        for row in verdict_rows
    ]
    words = "Mean success rates over the points of a panel"
    return table_element(table_from_rows(rows, PANELS), words)


def _bounds(lemmas: Lemmas) -> str:
    rows = [
        {
            "part": row["place"],
            "verdict": lemmas.word(row["verdict"]),
            "n": lemmas.sizes(row["verdict"]),
        }
        for row in lemmas.stated
    ]
    words = f"Of {lemmas.bounds.total()}, {lemmas.bounds_in_words}."
    return table_element(table_from_rows(rows, BOUNDS), words)


def _links(job: IndexJob, paths: Iterable[Path]) -> str:
    """A list of titles, each with links to the files of that name."""
    links_by_name: dict[str, list[str]] = {}
    for path in paths:
        links_by_name.setdefault(path.stem, []).append(_file_links(job, path))
    entries = [
        f"<dt>{escape(job.titles[name])}</dt><dd>{'; '.join(links)}</dd>"
        for name, links in links_by_name.items()
    ]
    return "<dl>" + "\n".join(entries) + "</dl>"


def _file_links(job: IndexJob, path: Path) -> str:
    """Links to the files of a figure or a table, and to those beside it of the same job."""
    is_figure = path.parent.name == FIGURE.folder
    suffixes = (FIGURE if is_figure else TABLE).suffixes
    files = {"picture" if is_figure else "table": [path.with_suffix(f".{s}") for s in suffixes]}
    for words, paths in job.beside.get(path.stem, {}).items():
        files[words] = [Path(file) for file in paths]
    return "; ".join(f"{words} {_endings(paths)}" for words, paths in files.items())


def _endings(paths: Iterable[Path]) -> str:
    """Links to files by their endings, what a browser opens lemmas."""
    endings = {path.suffix.removeprefix("."): path for path in paths}
    return " ".join(
        f'<a href="{endings[ending]}">{ending}</a>' for ending in sorted(endings, key=ENDINGS.index)
    )


def _next() -> str:
    entries = [
        f"<dt><code>{escape(command)}</code></dt><dd>{escape(words)}</dd>"
        for command, words in NEXT.items()
    ]
    return "<dl>" + "\n".join(entries) + "</dl>"


def run(
    job: IndexJob, figures: list[Path], pictures: list[Path], tables: list[Path], output: Path
) -> None:
    folder = output.parent
    table_by_name = {path.stem: path for path in tables}
    verdict_rows = read_parquet(table_by_name["verdicts"], panel_verdicts.SCHEMA).to_pylist()
    claim_rows = read_parquet(table_by_name["claims"], claims_table.SCHEMA).to_pylist()
    others = [path.relative_to(folder) for path in (*tables, *pictures)]
    shown = [path.relative_to(folder) for path in figures]
    write_text(output, page(job, verdict_rows, claim_rows, shown, others))
