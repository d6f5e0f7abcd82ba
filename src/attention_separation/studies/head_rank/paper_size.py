"""What docs/ keeps of trained runs: their tables, the figures drawn of them, and how they compare
with the published values.
"""

from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...messages.words import counted
from ...pages.drawing import save
from ...pages.keeping import KEPT_DIGITS
from ...results.tables import rounded, table_from_rows, write_csv
from ...statistics.contrasts import Run
from .claims.claim import SCHEMA as CLAIMS_SCHEMA
from .claims.claim import Evidence
from .claims.one_run_claims import one_run_rows
from .comparison import (
    COMPARED_SCHEMA,
    COSTS_SCHEMA,
    CROSSING_SCHEMA,
    HEADS_SCHEMA,
    PUBLISHED_SCHEMA,
    compared_rows,
    cost_rows,
    crossing_rows,
    head_rows,
    published_rows,
)
from .figures.training_figures import TRAINED_FIGURES, runs_shown
from .kept_figures import (
    BY_HEART_FIGURE,
    NEW_SETS_SCALE,
    PUBLISHED_SCALE,
    by_heart_rows,
    runs_by_figure,
)
from .kept_runs import keep_runs, read_kept, read_made_with

KEPT_SCALES = (
    "paper_size",
    "reference",
    "crossing",
    PUBLISHED_SCALE,
    NEW_SETS_SCALE,
    "as_published_begun",
)
"""Scales of which runs are kept, the quick one first."""


def keep_paper_size(results: Path, docs: Path, margin: float, level: float) -> Iterator[str]:
    """Keep what a folder of results has of KEPT_SCALES, draw all that is kept, and judge what
    single runs by the authors' recipe say, by the section's margin and level; a sentence on each
    scale."""
    folder = docs / "head_rank"
    write_csv(table_from_rows(published_rows(), PUBLISHED_SCHEMA), folder / "published.csv")
    rows_by_scale: dict[str, list[Run]] = {}
    rows_compared: list[dict[str, Any]] = []
    rows_of_heads: list[dict[str, Any]] = []
    rows_of_crossing: list[dict[str, Any]] = []
    for scale in KEPT_SCALES:
        folder_of_scale = folder / scale
        count = keep_runs(results / scale, folder_of_scale)
        rows = read_kept(folder_of_scale)
        rows_by_scale[scale] = rows
        made_with = read_made_with(folder_of_scale)
        for name, rows_of_figure in runs_by_figure(rows).items():
            seed = int(made_with[rows_of_figure[0]["cell"]]["seed"])
            figure = TRAINED_FIGURES[name](runs_shown(name, rows_of_figure, seed))
            save(figure, folder_of_scale / name, ("svg",))
        rows_compared += compared_rows(rows, made_with)
        rows_of_heads += head_rows(rows)
        rows_of_crossing += crossing_rows(rows, made_with)
        cells = counted(count, "cell")
        yield f"{scale}: {cells} put into {folder_of_scale}, which has {len(rows)} runs"
    by_recipe = rows_by_scale[PUBLISHED_SCALE] + rows_by_scale[NEW_SETS_SCALE]
    by_heart = by_heart_rows(rows_by_scale)
    if by_heart:
        figure = TRAINED_FIGURES[BY_HEART_FIGURE](by_heart)
        save(figure, folder / PUBLISHED_SCALE / BY_HEART_FIGURE, ("svg",))
    # No claim of these simulates anything: there is no seed.
    evidence = Evidence(margin=margin, level=level, seed=0, runs=by_recipe)
    _write_rounded(one_run_rows(evidence), CLAIMS_SCHEMA, folder / "one_run_claims.csv")
    models = ("figure", "layers", "width", "encoding", "n", "lr", "steps", "rank")
    rows_compared.sort(key=itemgetter(*models))
    rows_of_heads.sort(key=itemgetter("quantity", "width", "steps"))
    rows_of_crossing.sort(key=itemgetter("layers", "encoding", "schedule", "regime"))
    _write_rounded(rows_compared, COMPARED_SCHEMA, folder / "compared.csv")
    _write_rounded(rows_of_heads, HEADS_SCHEMA, folder / "compared_heads.csv")
    _write_rounded(rows_of_crossing, CROSSING_SCHEMA, folder / "crossing.csv")
    _write_rounded(cost_rows(), COSTS_SCHEMA, folder / "costs.csv")


def _write_rounded(rows: list[dict[str, Any]], columns: pa.Schema, path: Path) -> None:
    """Write rows as a CSV file of these columns, rounded to the digits that docs/ keeps."""
    write_csv(rounded(table_from_rows(rows, columns), KEPT_DIGITS), path)
