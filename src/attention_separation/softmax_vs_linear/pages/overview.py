"""The report's first page, its opening words, and a caption for each figure."""

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from attention_separation.pages.captions import Caption
from attention_separation.pages.overview import Overview, Section, write_overview
from attention_separation.results.tables import (
    numpy_column,
    read_parquet,
    select_rows,
    table_from_rows,
)

from ..audits import phase
from ..models import MODELS, panel_tables
from ..models.contest import contests_in_words
from ..settings.jobs import OverviewJob
from ..settings.panels import Panel
from .captions import audit_caption, panels_caption
from .findings import SAYING, TABLES, findings, path_of
from .panel_findings import success_findings
from .story import story

__all__ = ["read_overview", "run"]

TITLE = "Softmax against linear attention"
QUESTION = (
    "Can a network with softmax attention tell two datasets apart where the same network with "
    "linear attention, at the same threshold, cannot? The paper (arXiv 2310.11685) states theorems "
    "that say so of two networks with random weights, F_exp and F_lin, and experiments. A trial "
    "draws D0, D1 and signs y; it succeeds if F_exp is positive on D1 and zero on D0, while F_lin "
    "is zero on both."
)
HONESTY = (
    "The paper's own curves are not published as data: nothing here claims to agree with them. "
    "Agrees, undecided and differs are said of this reproduction's trials and its own exact or "
    "reference values. Both take attention's distinct rows from the same functions: what shows "
    "those right are tests against n x n attention. An asterisk, or a column `reconstructed`, "
    "marks what the paper's text does not state and is read or chosen here."
)

PANELS = pa.schema(
    [
        *((name, pa.string()) for name in ("panel", "model", "swept")),
        *((name, pa.int64()) for name in ("points", "trials")),
        ("mean rate", pa.float64()),
        ("computed", pa.string()),
        *((f"{which} computed", pa.float64()) for which in ("mean", "least", "largest")),
        *((name, pa.string()) for name in ("verdict", "reconstructed")),
    ]
)


def tables_of_panels(figures: list[pa.Table]) -> dict[str, pa.Table]:
    """The numbers of each panel that figures show, also where several show it."""
    return {
        panel: select_rows(table, panel=panel)
        for table in figures
        for panel in table["panel"].unique().to_pylist()
    }


def panels_overview(
    tables: Mapping[str, pa.Table], panels: Mapping[str, Panel], verdicts: dict[str, dict]
) -> pa.Table:
    """A row for each panel."""
    rows = []
    for name, own in sorted(tables.items()):
        rates, exact = numpy_column(own, "p_hat"), numpy_column(own, "p_exact")
        rows.append(
            {
                "panel": name,
                "model": MODELS[panels[name].model].words,
                "swept": own["parameter"][0].as_py().replace(",", ", "),
                "points": len(own),
                "trials": own["trials"][0].as_py(),
                "mean rate": float(rates.mean()),
                "computed": "exactly" if numpy_column(own, "p_error").max() == 0 else "reference",
                "mean computed": float(exact.mean()),
                "least computed": float(exact.min()),
                "largest computed": float(exact.max()),
                "verdict": verdicts[name]["verdict"] if name in verdicts else "not judged yet",
                "reconstructed": panels[name].reconstruction,
            }
        )
    return table_from_rows(rows, PANELS)


def run(job: OverviewJob, results: Path, output: Path) -> None:
    write_overview(read_overview(job, results), results, output)


def read_overview(job: OverviewJob, results: Path) -> Overview:
    """What there is to say of a folder of results."""
    tables = {
        name: read_parquet(results / path_of(name), schema, job.digests[name])
        for name, (schema, _) in SAYING.items()
        if name in job.digests
    }
    judged = tables["verdicts"].to_pylist() if "verdicts" in tables else []
    verdicts = {row["panel"]: row for row in judged}
    pictures = results / "figures"
    panels = {panel.name: panel for panel in job.panels}
    numbers, captions, contests = [], {}, {}
    for figure in job.shown:
        if figure.panels:
            path = pictures / f"{figure.name}.parquet"
            own = [panels[name] for name in figure.panels]
            columns = panel_tables.joined_schema(panel.contest for panel in own)
            numbers.append(read_parquet(path, columns, job.figures[figure.name]))
            contests |= {panel.name: panel.contest for panel in own}
            captions[figure.name] = panels_caption(figure.title, numbers[-1], own, verdicts)
        else:
            captions[figure.name] = _audit_caption(figure.name, pictures, job)
    tables_shown = tables_of_panels(numbers)
    shown = panels_overview(tables_shown, panels, verdicts)
    section = Section("The panels", {"": shown}, notes=contests_in_words(contests))
    exact = list(tables_shown.values())
    return Overview(
        title=TITLE,
        question=QUESTION,
        said=story(tables, exact),
        more=[*success_findings(exact), *findings(tables, exact)],
        honesty=HONESTY,
        scale="" if job.scale == "paper" else f"**{job.scale}**, not the paper's",
        missing=[name for name in TABLES if name not in tables],
        sections=[section] if numbers else [],
        figures=captions,
        tables={name: TABLES[name][1](table) for name, table in tables.items() if name in TABLES},
        opening=QUESTION,
    )


def _audit_caption(name: str, folder: Path, job: OverviewJob) -> Caption:
    schema = phase.SCHEMA if name == "phase" else SAYING[name][0]
    table = read_parquet(folder / f"{name}.parquet", schema, job.figures[name])
    of = {"theta": job.panels, "phase": job.maps}.get(name, [])
    return audit_caption(name, table, {panel.name: panel.contest for panel in of})
