"""One line per panel of what its table says."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from attention_separation.results.tables import numpy_column, read_parquet

from ..audits import verdicts
from ..models.panel_tables import simulated_schema

HEADER = (
    f"{'panel':<12}{'points':>7}{'trials':>10}{'min':>8}{'median':>8}{'max':>8}"
    f"{'mean':>8}{'computed':>9}  verdict"
)


def verdict_columns(verdict: dict | None) -> str:
    """Mean success rate, its exact or reference value and the verdict; nothing where there is none
    yet."""
    if verdict is None:
        return ""
    return f"{verdict['mean_p_hat']:8.3f}{verdict['mean_p_exact']:9.3f}  {verdict['verdict']}"


def summary_line(table: pa.Table) -> str:
    """Points, trials per point, and the smallest, median and largest success rate."""
    rate = numpy_column(table, "p_hat")
    numbers = "".join(f"{value:8.3f}" for value in (rate.min(), np.median(rate), rate.max()))
    trials = "/".join(str(count) for count in np.unique(numpy_column(table, "trials")))
    return f"{table['panel'][0].as_py():<12}{len(rate):>7}{trials:>10}{numbers}"


def summary(study, folder: Path) -> Iterator[str]:
    """What the panels' tables in a folder of results say, line by line.

    Raises
    ------
    ValueError
        If there are none.
    TableError
        If one was made with other settings.
    """
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
        yield summary_line(table) + verdict_columns(judged.get(table["panel"][0].as_py()))
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
