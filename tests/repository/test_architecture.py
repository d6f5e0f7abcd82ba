"""docs/architecture.md is true: files and functions that it names, numbers on their way, jobs."""

import ast
import math
import re
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path

import pytest
from making import CONFIG, ROOT, SECTION, changed_study

from attention_separation.results.declaration import Output, Result, Study
from attention_separation.results.provenance import PACKAGE
from attention_separation.studies.softmax_vs_linear.figures.figure_text import held_title
from attention_separation.studies.softmax_vs_linear.simulation.simulate import simulate

SOURCE = ROOT / "src" / PACKAGE
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
PANEL = "fig4c"
IN_FIGURES = {name for figure in SECTION.figures.values() for name in figure.panels}
STUDY = changed_study(panels={k: v for k, v in SECTION.panels.items() if k in IN_FIGURES})
"""The first study without a user's own panels."""


def section(title: str) -> str:
    """The page below a heading, up to the next."""
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """The cells of a section's table, row by row, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def quoted(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def found(path: str) -> Path:
    """A file or folder that the page names, in the package or beside it."""
    own = SOURCE / path
    return own if own.exists() else ROOT / path


WAY = rows(section("The way of one number"))


def test_every_part_of_the_package_has_a_line():
    lines = [line.strip() for line in PAGE.splitlines() if line.startswith("    ")]
    drawn = {name.strip("/") for line in lines for name in line.partition("  ")[0].split(", ")}
    parts = {path.stem for path in SOURCE.iterdir()} - {"__init__", "__pycache__", "py"}
    assert len(parts) > 15
    assert sorted(parts - drawn) == []
    assert sorted(name for name in drawn - parts if (SOURCE / name).exists()) == []


@pytest.mark.parametrize("row", WAY, ids=[row[0] for row in WAY])
def test_a_stop_is_a_file_and_a_function_that_the_number_passes(row):
    file, *names = quoted(row[1])
    text = found(file).read_text(encoding="utf-8")
    assert re.search(r"\b(trials|theta)\b", text)
    if file.endswith(".py"):
        (name,) = names
        tree = ast.walk(ast.parse(text))
        assert name in {node.name for node in tree if isinstance(node, ast.FunctionDef)}
    else:
        assert all(re.search(rf"\b{name}\b", text) for name in names)


def test_the_numbers_of_the_stops():
    written, merged, declared, told, computed, stored, _, drawn = ("; ".join(row) for row in WAY)
    panel, theta = STUDY.panels.simulated[PANEL], "c + 0.1"
    assert f"`models.{panel.model}.theta` is `{theta}`" in written
    assert CONFIG.softmax_vs_linear.figures["fig4"].trials == panel.trials
    for stop in (merged, declared):
        assert f": {panel.trials};" in stop
        assert f"`{panel.fixed['theta']}`" in stop
    settings = STUDY.results[f"simulate_{PANEL}"].settings.canonical()
    assert {*quoted(told)} >= {f'"trials":{panel.trials}', f'"theta":"{theta}"'}
    assert all(text in settings for text in (f'"trials":{panel.trials}', f'"theta":"{theta}"'))
    points = panel.points()
    assert f"{panel.trials} at each of {len(points)} points" in computed
    assert f"{points[0].theta:g}, times" in computed
    table = simulate(panel.with_more(trials=1))
    assert {f"{tau:.4f}" for tau in table["tau"].to_pylist()} <= {*re.findall(r"[\d.]+", stored)}
    assert math.isclose(points[0].tau, points[0].theta * math.sqrt(math.log(points[0].n)))
    title = held_title(STUDY.panels.marked[PANEL])
    assert drawn.partition("the title: ")[2] in title


def test_what_is_to_be_touched_is_there():
    for row in rows(section("What to touch")):
        for name in quoted(row[1]):
            if "/" in name or name.endswith((".py", ".smk")):
                places = [found(name), *(ROOT / "workflow/rules").glob(name), *SOURCE.rglob(name)]
                assert any(place.exists() for place in places), name
            elif name.isupper():
                assert any(
                    re.search(rf"^{name}\b", path.read_text(encoding="utf-8"), re.M)
                    for path in SOURCE.rglob("*.py")
                ), name


def listed(names: Iterable[str], most: int = 5) -> str:
    """Names, each once; more than `most` as what they share."""
    names = [*dict.fromkeys(names)]
    if len(names) <= most:
        return ", ".join(f"`{name}`" for name in names)
    alike = takewhile(lambda letters: len({*letters}) == 1, zip(*names, strict=False))
    _, dot, suffix = names[0].partition(".")
    return f"`{''.join(first for first, *_ in alike)}*{dot}{suffix}`"


def file(output: Output) -> str:
    """Its path below the folder of results, for all formats."""
    return output.path("*" if len(output.kind.suffixes) > 1 else "")


def files(outputs: Iterable[Output]) -> str:
    """Paths, those of each folder together."""
    folders: dict[str, list[str]] = {}
    for output in outputs:
        folders.setdefault(output.kind.folder, []).append(file(output))
    return ", ".join(listed(paths, most=3) for paths in folders.values())


def grouped(study: Study) -> Iterable[list[Result]]:
    """The results that one line is of: those of a module, the trials figure by figure."""
    groups: dict[tuple, list[Result]] = {}
    figures = study.panels.figure_of if study is STUDY else {}
    for result in study.results.values():
        trials = [
            figures[each.name] for each in result.all_outputs() if each.kind.folder == "panels"
        ]
        groups.setdefault((result.module, result.in_default_run, *trials), []).append(result)
    return groups.values()


def table_of_jobs(studies: Iterable[Study]) -> str:
    """Every declared job with its module, what it reads and writes."""
    lines = ["| job | module | reads | writes |", "|---|---|---|---|"]
    for study in studies:
        for group in grouped(study):
            cells = (
                listed(result.name for result in group),
                f"`{group[0].module}`",
                files(output for result in group for output in sum(result.inputs.values(), ())),
                files(output for result in group for output in result.all_outputs()),
            )
            lines.append(f"| {' | '.join(cells)} |".replace("|  |", "| |"))
    return "\n".join(lines)


def test_the_table_of_jobs_is_that_of_the_declarations():
    # The first study is the one that `grouped` knows.
    studies = [STUDY, *[*CONFIG.studies().values()][1:]]
    table = table_of_jobs(studies)
    modules = {result.module for study in studies for result in study.results.values()}
    assert modules <= {*quoted(table)}
    assert table in PAGE, f"docs/architecture.md, From a job to its figure: paste\n\n{table}\n"
