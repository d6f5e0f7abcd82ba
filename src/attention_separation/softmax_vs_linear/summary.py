"""What the results say: a line for each panel, and beside each figure in a report."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from ..results.declaration import TABLE, Output
from ..results.tables import TableError, numpy_column, read_parquet
from ..statistics.claims import count_verdicts
from .figures import verdicts
from .models import MODELS
from .models.panel_tables import simulated_schema
from .settings.panels import MARK

HEADER = (
    f"{'panel':<12}{'points':>7}{'trials':>10}{'min':>8}{'median':>8}{'max':>8}"
    f"{'mean':>8}{'computed':>9}  verdict"
)


def summary(study, folder: Path) -> Iterator[str]:
    """What the panels' tables in a folder of results say, line by line; ValueError if there are
    none, TableError if one was made with other settings."""
    made = []
    for name, panel in study.simulated.items():
        path = folder / "panels" / f"{name}.parquet"
        if path.exists():
            made.append(read_parquet(path, simulated_schema(panel.contest), panel.digest()))
    if not made:
        raise ValueError(f"{folder / 'panels'}: no panels there; run snakemake first")
    judged = verdicts_made(study, folder)
    yield "success rate over the points of each panel"
    yield HEADER
    for table in made:
        name, rate = table["panel"][0].as_py(), numpy_column(table, "p_hat")
        numbers = "".join(f"{value:8.3f}" for value in (rate.min(), np.median(rate), rate.max()))
        trials = "/".join(str(count) for count in np.unique(numpy_column(table, "trials")))
        if row := judged.get(name):
            numbers += f"{row['mean_p_hat']:8.3f}{row['mean_p_exact']:9.3f}  {row['verdict']}"
        yield f"{name:<12}{len(rate):>7}{trials:>10}{numbers}"
    for name, figure in study.section.figures.items():
        if (folder / "figures" / f"{name}.png").exists():
            yield f"{folder / 'figures' / name}.{{svg,png,pdf,csv,parquet}}  {figure.title}"
    yield f"{folder / 'panels'}/*.parquet  the panels' tables"
    yield f"{folder / 'tables'}/*.html  verdicts, claims, open choices, thresholds"


def verdicts_made(study, folder: Path) -> dict[str, dict]:
    """The verdicts of the panels, where a folder of results has them, made with these settings."""
    path = folder / "tables" / "verdicts.parquet"
    if not path.exists():
        return {}
    settings = study.results["verdicts"].settings.digest()
    return {row["panel"]: row for row in read_parquet(path, verdicts.SCHEMA, settings).to_pylist()}


UNKNOWN = "not judged"


def labels(study, output: Output, folder: Path) -> dict[str, str]:
    """Name, model, swept parameters and verdict of a figure, or what a table is of; the verdict
    stands in a folder of results, and values that are reconstructed are marked."""
    if output.kind is TABLE:
        return {"table": output.title}
    panels = [study.marked[name] for name in output.panels]
    if not panels:
        return {"figure": output.name, **output.labels}
    models = dict.fromkeys(MODELS[panel.model].words for panel in panels)
    swept = dict.fromkeys(
        f"{name}{MARK * (name in panel.reconstructed)}" for panel in panels for name in panel.sweep
    )
    return {
        "figure": output.name,
        "model": ", ".join(models),
        "swept": ", ".join(swept),
        "verdict": verdict_label(study, output.panels, folder),
    }


def verdict_label(study, panels: Iterable[str], folder: Path) -> str:
    """The verdict on the panels: how many of each, or one word where they all have the same."""
    try:
        made = verdicts_made(study, folder)
    except TableError:
        # Of other settings, or half of a table: it says nothing of these panels.
        return UNKNOWN
    found = [made[panel]["verdict"] if panel in made else UNKNOWN for panel in panels]
    if len(set(found)) == 1:
        return found[0]
    return count_verdicts(found)
