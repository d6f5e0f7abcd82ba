"""Which of the kept runs each figure is of."""

from collections.abc import Callable

from ...results.tables import chosen
from ...statistics.contrasts import Run
from .settings.cells import TEXT_RATE
from .training import published_values
from .training.runs import is_full_rank, values

PUBLISHED_SCALE = "as_published_first_run"
NEW_SETS_SCALE = "as_published_new_sets"

FIGURE_3_RATES = {1: 0.005, 3: TEXT_RATE}
"""Of the runs that are drawn in Figure 3, by their layers."""

BY_HEART_FIGURE = "rank_by_heart"
"""The figure of three layers, on batches that come back and on new ones."""


def paper_figure(row: Run) -> int | None:
    """The paper's figure that a run is of: 1, 3 or 4; None of what was tried beside them."""
    is_text_rate = row["lr"] == TEXT_RATE
    is_tried = row["warm_start"] or (row["share"] and is_text_rate)
    is_beginning = row["stop_after"] is not None
    if row["d"] != published_values.SIZE_1["d"] or is_tried or is_beginning:
        return None
    if row["layers"] == 2:
        return 4
    return 1 if row["encoding"] == "none" and is_text_rate else 3


def _is_of_figure_3(row: Run) -> bool:
    """Whether a run is of the paper's Figure 3: of its width, and at the rate that is drawn."""
    # Those of three layers without an encoding are Figure 1's too.
    is_model = paper_figure(row) in (1, 3) and row["width"] == published_values.WIDTH_3
    return is_model and row["lr"] == FIGURE_3_RATES.get(row["layers"])


RUNS_OF_FIGURES: dict[str, Callable[[Run], bool]] = {
    "rank_fig1": lambda row: paper_figure(row) == 1,
    "rank_fig2": lambda row: paper_figure(row) == 1 and is_full_rank(row),
    "rank_fig3": _is_of_figure_3,
    "rank_fig4": lambda row: paper_figure(row) == 4 and row["lr"] == TEXT_RATE,
    "rank_collapse": lambda row: bool(row["share"]),
    "rank_memory": lambda row: row["d"] != published_values.SIZE_1["d"],
    "rank_crossing": lambda row: row["stop_after"] is not None and row["encoding"] != "none",
    BY_HEART_FIGURE: lambda row: row["stop_after"] is not None and row["encoding"] == "none",
}
"""The runs of one scale that each figure is of."""


def runs_by_figure(rows: list[Run]) -> dict[str, list[Run]]:
    """The runs of each figure that has any; one on encodings is of more than those without."""
    figures = {}
    for name, belongs in RUNS_OF_FIGURES.items():
        rows_of_figure = [row for row in rows if belongs(row)]
        has_enough = name != "rank_fig3" or len(values(rows_of_figure, "encoding")) > 1
        if rows_of_figure and has_enough:
            figures[name] = rows_of_figure
    return figures


def by_heart_rows(rows_by_scale: dict[str, list[Run]]) -> list[Run]:
    """Runs of three layers without an encoding by the authors' recipe, on the published batches and
    beside them on new ones; none where the former have no runs."""
    published = _three_layers(rows_by_scale[PUBLISHED_SCALE])
    ranks = values(published, "rank")
    new = [row for row in _three_layers(rows_by_scale[NEW_SETS_SCALE]) if row["rank"] in ranks]
    return published + new


def _three_layers(rows: list[Run]) -> list[Run]:
    """The runs of three layers that are of the paper's Figure 1."""
    return [row for row in chosen(rows, layers=3) if paper_figure(row) == 1]
