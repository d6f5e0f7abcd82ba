"""What this paper's figures show, in sentences, for its page of the report."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from attention_separation.pages.captions import Caption
from attention_separation.pages.prose import counted, from_to
from attention_separation.results.tables import read_parquet

from ..claims.runs import PUBLISHED_INITIAL, chosen, held_out_error, initial_words, listed
from ..constructions import features, temperature, vote
from ..figures.training_figures import NUMBERS
from ..settings.cells import EPOCH
from ..settings.titles import FIGURES
from ..theory import bound_table, found_table, plurality_table
from ..training.cell_table import DEAD
from .batch_findings import fresh_findings
from .construction_findings import features_findings, temperature_findings, vote_findings
from .points_findings import points_findings
from .theory_findings import heads_findings, theory_findings, vote_points_findings
from .training_findings import additive_findings, depth_findings, published_findings, rank_findings

OF_NUMBERS = {
    "rank_theory": (found_table.SCHEMA, theory_findings),
    "rank_heads": (bound_table.NEEDED, heads_findings),
    "rank_points": (plurality_table.SCHEMA, vote_points_findings),
    "rank_temperature": (temperature.SCHEMA, temperature_findings),
    "rank_vote": (vote.SCHEMA, vote_findings),
    "rank_random_features": (features.SCHEMA, features_findings),
}
"""Figures that need no training: the columns of their numbers, and what is said of them."""

OF_RUNS = {
    "rank_fig3": additive_findings,
    "rank_fig4": points_findings,
    "rank_fresh": fresh_findings,
}
"""What is said of the runs of further figures, with differences at a level."""


def read_numbers(figure: str, results: Path, settings: str | None = None) -> pa.Table:
    """The numbers of a figure in a folder of results: one row per run or head if it is of trained
    transformers; TableError if they were made with other settings than these."""
    columns = OF_NUMBERS[figure][0] if figure in OF_NUMBERS else NUMBERS[figure]
    return read_parquet(results / f"figures/{figure}.parquet", columns, settings)


def runs_of(rows: list[dict]) -> list[dict]:
    """Rows of trained transformers, one for each run."""
    return list({(row["cell"], row["run"]): row for row in rows}.values())


def figure_caption(figure: str, table: pa.Table, level: float) -> Caption:
    """The caption of a figure with these numbers; differences are at the claims' level."""
    if figure in OF_NUMBERS:
        _, say = OF_NUMBERS[figure]
        return Caption(FIGURES[figure], say(table))
    rows = table.to_pylist()
    runs = runs_of(rows)
    dead = sum(row["dead"] for row in runs)
    sentences = [
        f"{counted(len({row['cell'] for row in rows}), 'cell')}, {counted(len(runs), 'run')} in "
        f"all; {dead or 'none'} of them dead: with {100 * DEAD:g} % of uniform attention's error "
        "or more. Runs of one cell differ in initial values and data; of one seed, cells of one "
        "size share data.",
        *_shown(figure, rows),
    ]
    if additive := chosen(rows, encoding="additive"):
        sentences.append(_initial_values(additive))
    if figure == "rank_fig1":
        sentences += [*rank_findings(runs), *depth_findings(runs), *published_findings()]
    elif figure in OF_RUNS:
        sentences += OF_RUNS[figure](runs, level)
    return Caption(FIGURES[figure], sentences)


def _shown(figure: str, rows: list[dict]) -> list[str]:
    """What is drawn of trained transformers."""
    if figure == "rank_fig2":
        groups = sorted({(row["layers"], row["width"]) for row in rows})
        row = rows[0]
        recipe = (
            f"At d = {row['d']} and N = {row['n']}, after {listed(rows, 'steps')} steps of "
            f"{listed(rows, 'batch')} sets. The paper's norm is ‖K Qᵀ‖ over √d, without the 1/√r "
            f"of the logits: a head near −cI has c = norm/√r, which is norm/"
            f"{row['rank'] ** 0.5:.3g} here."
        )
        heads = [
            _of_heads(layers, width, chosen(rows, layers=layers, width=width))
            for layers, width in groups
        ]
        more = any(layers > 1 for layers, _ in groups)
        return [recipe, *heads, *["The paper's figure has one layer only."] * more]
    if figure == "rank_fresh":
        return [
            f"A point for each run, of three arms: new batches, and the same {EPOCH} again, both "
            "with one schedule of the rate per step; and the same ones with the published "
            "schedule, per epoch."
        ]
    rank_0 = "Short marks at the right" if figure == "rank_fig4" else "Dash-dotted"
    return [
        "Every run is shown by its error on sets never trained on; lines are means over runs, "
        f"short bars the least. {rank_0}: uniform attention (rank 0), the best −a xᵢ + b Σⱼ xⱼ, "
        "whose weights depend on no point.",
        *(_of_fact_1(rows) if figure == "rank_fig1" else []),
    ]


def _of_fact_1(rows: list[dict]) -> list[str]:
    """Runs of one layer with one head of full rank beside Fact 1's head."""
    own = [row for row in rows if row["fact_1_error"] is not None]
    if not own:
        return []
    errors, exact = (
        from_to(*(f"{end(each):.3f}" for end in (min, max)))
        for each in ([held_out_error(row) for row in own], [row["fact_1_error"] for row in own])
    )
    return [
        f"Squares: the error that Fact 1's head, −cI with V = I, has at the c that a run of one "
        f"layer with one head of full rank has learned, simulated: {exact}, where "
        f"{'the runs have' if len(own) > 1 else 'the run has'} {errors}."
    ]


def _initial_values(rows: list[dict]) -> str:
    """What additive encodings begin from."""
    laws = {initial_words(row): chosen([row], **PUBLISHED_INITIAL) for row in rows}
    words = [
        f"{law}{', as published' if theirs else ', a control'}" for law, theirs in laws.items()
    ]
    return (
        f"Additive encodings begin from normal values of mean m and standard deviation s, N(m, s): "
        f"{'; '.join(words)}."
    )


def _of_heads(layers: int, width: int, rows: list[dict]) -> str:
    """Angles and c of the heads of some cells of full rank."""
    angles = sorted(row["angle"] for row in rows if row["angle"] is not None)
    scales = sorted(-row["scale"] for row in rows if row["scale"] is not None)
    heads = counted(width, "head")
    name = f"L = {layers}, {heads} of full rank per layer, {len(rows)} in all"
    if not angles or not scales:
        return f"{name}: none with a number."
    return (
        f"{name}: median {np.median(angles):.0f} degrees from +I, {angles[0]:.0f} to "
        f"{angles[-1]:.0f}; c of the nearest −cI of the logits {scales[0]:.3g} to {scales[-1]:.3g}."
    )
