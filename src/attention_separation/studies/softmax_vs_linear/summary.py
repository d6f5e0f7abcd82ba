"""What the results of the first paper say: a line for each panel, and what stands beside each
figure in a report. A verdict says whether a panel's simulation agrees with its exact values."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from ...results.declaration import TABLE, Output
from ...results.tables import Row, TableError, numpy_column, read_parquet
from ...statistics.claims import count_verdicts
from .figures import verdicts
from .figures.figure_text import marked
from .models import MODELS
from .models.panel_tables import simulated_schema
from .settings.run_panels import RunPanels

HEADER = (
    f"{'panel':<12}{'points':>7}{'trials':>10}{'min':>8}{'median':>8}{'max':>8}"
    f"{'mean':>8}{'computed':>9}  verdict"
)


def summary(panels: RunPanels, verdicts_digest: str, folder: Path) -> Iterator[str]:
    """The lines of a summary of the panels' tables in a folder of results; ValueError if there are
    none, TableError if one was made with other settings. `verdicts_digest` is that of the settings
    that the table of verdicts is to carry."""
    tables = {}
    for name, panel in panels.simulated.items():
        path = folder / "panels" / f"{name}.parquet"
        if path.exists():
            tables[name] = read_parquet(path, simulated_schema(panel.contest), panel.digest())
    if not tables:
        raise ValueError(f"{folder / 'panels'}: no panels there; run snakemake first")
    verdict_rows = verdicts_in(verdicts_digest, folder)
    yield "success rate over the points of each panel"
    yield HEADER
    for name, table in tables.items():
        rate = numpy_column(table, "p_hat")
        line = f"{name:<12}{len(rate):>7}"
        trials = "/".join(str(count) for count in np.unique(numpy_column(table, "trials")))
        line += f"{trials:>10}{rate.min():8.3f}{np.median(rate):8.3f}{rate.max():8.3f}"
        if name in verdict_rows:
            row = verdict_rows[name]
            line += f"{row['mean_p_hat']:8.3f}{row['mean_p_exact']:9.3f}  {row['verdict']}"
        yield line
    for name, figure in panels.section.figures.items():
        if (folder / "figures" / f"{name}.png").exists():
            yield f"{folder / 'figures' / name}.{{svg,png,pdf,csv,parquet}}  {figure.title}"
    yield f"{folder / 'panels'}/*.parquet  the panels' tables"
    yield f"{folder / 'tables'}/*.html  verdicts, claims, open choices, thresholds"
    if verdict_rows:
        yield _last_line([*verdict_rows.values()], folder)


def _last_line(verdict_rows: list[Row], folder: Path) -> str:
    """The summary's last line: whether simulation and exact values agree, and the page to open
    next, if there is one."""
    answer = verdicts.agreement(verdict_rows)
    index = folder / "index.html"
    return f"{answer}: {index}" if index.exists() else answer


def verdicts_in(digest: str, folder: Path) -> dict[str, Row]:
    """The rows of the table of verdicts in a folder of results, by panel; none where there is no
    such table. TableError if its settings have another digest."""
    path = folder / "tables" / "verdicts.parquet"
    if not path.exists():
        return {}
    rows = read_parquet(path, verdicts.SCHEMA, digest).to_pylist()
    return {row["panel"]: row for row in rows}


UNKNOWN = "not judged"


def labels(panels: RunPanels, verdicts_digest: str, output: Output, folder: Path) -> dict[str, str]:
    """What stands beside a figure or a table in a report: the name, model, swept parameters and
    verdict of a figure, or what a table is of. Verdicts are read in a folder of results, and
    parameters that are reconstructed are marked."""
    if output.kind is TABLE:
        return {"table": output.title}
    shown = [panels.marked[name] for name in output.panels]
    models = []
    swept = []
    for panel in shown:
        models.append(MODELS[panel.model].words)
        swept += [marked(name, name in panel.reconstructed) for name in panel.sweep]
    return {
        "figure": output.name,
        "model": ", ".join(dict.fromkeys(models)),
        "swept": ", ".join(dict.fromkeys(swept)),
        "verdict": verdict_label(verdicts_digest, output.panels, folder),
    }


def verdict_label(verdicts_digest: str, panels: Iterable[str], folder: Path) -> str:
    """The verdict on some panels, in words: one word where they all have the same, else how many
    have each."""
    try:
        rows = verdicts_in(verdicts_digest, folder)
    except TableError:
        # Of other settings, or half of a table: it says nothing of these panels.
        return UNKNOWN
    judged = [rows[panel]["verdict"] if panel in rows else UNKNOWN for panel in panels]
    if len(set(judged)) == 1:
        return judged[0]
    return count_verdicts(judged)
