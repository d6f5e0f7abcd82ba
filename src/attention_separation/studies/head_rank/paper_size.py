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
from ...pages.keeping import DIGITS
from ...results.tables import rounded, table_from_rows, write_csv
from ...statistics.contrasts import Run
from .claims.claim import SCHEMA as CLAIMS
from .claims.claim import Evidence
from .claims.one_run_claims import one_run_rows
from .comparison import (
    COMPARED,
    COMPARED_HEADS,
    COSTS,
    CROSSING,
    PUBLISHED,
    compared,
    compared_heads,
    cost_rows,
    crossing_rows,
    published_rows,
)
from .figures.training_figures import FIGURES as DRAWN
from .figures.training_figures import shown
from .kept_figures import AS_PUBLISHED, BY_HEART, NEW_SETS, by_heart_rows, figures_of
from .kept_runs import keep_runs, read_kept, read_made_with

SCALES = ("paper_size", "reference", "crossing", AS_PUBLISHED, NEW_SETS, "as_published_begun")
"""Scales of which runs are kept, the quick one first."""


def keep_paper_size(results: Path, docs: Path, margin: float, level: float) -> Iterator[str]:
    """Keep what a folder of results has of SCALES, draw all that is kept, and judge what single
    runs by the authors' recipe say, by the section's margin and level; a sentence on each scale."""
    folder = docs / "head_rank"
    write_csv(table_from_rows(published_rows(), PUBLISHED), folder / "published.csv")
    rows_by_scale: dict[str, list[Run]] = {}
    rows_compared: list[dict[str, Any]] = []
    rows_of_heads: list[dict[str, Any]] = []
    rows_of_crossing: list[dict[str, Any]] = []
    for scale in SCALES:
        folder_of_scale = folder / scale
        count = keep_runs(results / scale, folder_of_scale)
        rows = read_kept(folder_of_scale)
        rows_by_scale[scale] = rows
        made_with = read_made_with(folder_of_scale)
        for name, rows_of_figure in figures_of(rows).items():
            seed = int(made_with[rows_of_figure[0]["cell"]]["seed"])
            figure = DRAWN[name](shown(name, rows_of_figure, seed))
            save(figure, folder_of_scale / name, ("svg",))
        rows_compared += compared(rows, made_with)
        rows_of_heads += compared_heads(rows)
        rows_of_crossing += crossing_rows(rows, made_with)
        cells = counted(count, "cell")
        yield f"{scale}: {cells} put into {folder_of_scale}, which has {len(rows)} runs"
    by_recipe = rows_by_scale[AS_PUBLISHED] + rows_by_scale[NEW_SETS]
    by_heart = by_heart_rows(rows_by_scale)
    if by_heart:
        save(DRAWN[BY_HEART](by_heart), folder / AS_PUBLISHED / BY_HEART, ("svg",))
    # No claim of these simulates anything: there is no seed.
    evidence = Evidence(margin=margin, level=level, seed=0, runs=by_recipe)
    _write_rounded(one_run_rows(evidence), CLAIMS, folder / "one_run_claims.csv")
    models = ("figure", "layers", "width", "encoding", "n", "lr", "steps", "rank")
    rows_compared.sort(key=itemgetter(*models))
    rows_of_heads.sort(key=itemgetter("quantity", "width", "steps"))
    rows_of_crossing.sort(key=itemgetter("layers", "encoding", "schedule", "regime"))
    _write_rounded(rows_compared, COMPARED, folder / "compared.csv")
    _write_rounded(rows_of_heads, COMPARED_HEADS, folder / "compared_heads.csv")
    _write_rounded(rows_of_crossing, CROSSING, folder / "crossing.csv")
    _write_rounded(cost_rows(), COSTS, folder / "costs.csv")


def _write_rounded(rows: list[dict[str, Any]], columns: pa.Schema, path: Path) -> None:
    write_csv(rounded(table_from_rows(rows, columns), DIGITS), path)
