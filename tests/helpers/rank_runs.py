"""Grids of trained cells, and made-up runs of them as `training.runs.read_runs` reads them."""

from attention_separation.results.claims import claim_rows
from attention_separation.studies.head_rank.claims import learned_claims, trained_claims
from attention_separation.studies.head_rank.claims.claim import Evidence
from attention_separation.studies.head_rank.claims.published_claims import BEST_BELOW_FULL_RANK
from attention_separation.studies.head_rank.settings.cells import StreamKind
from attention_separation.studies.head_rank.settings.section import Grid, Normal, Part
from attention_separation.studies.head_rank.training.cell_table import OF_SHARES

RECIPE = {
    "d": 8, "feed_forward": 16, "batch": 4, "steps": 100, "lr": 0.01, "runs": 3, "held_out": 10,
}  # fmt: skip
FIG1 = Grid(**RECIPE, layers=[1, 3], widths=[1, 3], ranks=[2, 4, 8], n=[4])
FIG3 = Grid(
    **RECIPE, layers=[1, 3], widths=[3], ranks=[2, 4, 8], n=[4], matched=True,
    encodings=["none", "additive", "concatenated"],
    additive=[Normal(mean=-1, sd=1), Normal(mean=0, sd=0.02)],
)  # fmt: skip
FIG4 = Grid(**RECIPE | {"d": 16}, layers=[2], widths=[3], ranks=[2, 16], n=[3, 8])
ARMS = Grid(
    **RECIPE, layers=[1, 3], widths=[3], ranks=[2, 8], n=[4],
    also=[Part(regimes=["repeated"], schedules=["per_step", "per_epoch"])],
)  # fmt: skip
FIVE = Grid(**RECIPE, layers=[5], widths=[1], ranks=[2, 4, 8], n=[4])
COLLAPSE = Grid(
    **RECIPE, layers=[2, 3], widths=[1], ranks=[4], n=[4], encodings=["none", "concatenated"],
    additive=[Normal(mean=0, sd=0.02)], shares=True,
    also=[Part(encodings=["additive"]), Part(encodings=["concatenated"], warm_start=20)],
)  # fmt: skip
MEMORY = Grid(
    **RECIPE, layers=[3], widths=[1], ranks=[4], n=[4], regimes=["repeated"], batches=10,
    also=[Part(batches=100), Part(regimes=["fresh"])],
)  # fmt: skip
CROSSING = Grid(
    **RECIPE | {"steps": 500}, layers=[1], widths=[1], ranks=[8], n=[4], stop_after=200,
    encodings=["additive"], regimes=["fresh", "repeated"],
    also=[Part(schedules=["per_epoch"]), Part(layers=[3])],
)  # fmt: skip
DIMENSION = Grid(
    **RECIPE, layers=[1, 2], widths=[1], ranks=[2, 4, 8], n=[4],
    also=[Part(d=16, ranks=[4, 8, 16], feed_forward=32)],
)  # fmt: skip
VARIANTS = Grid(
    **RECIPE, layers=[1, 3], widths=[3], ranks=[2, 8], n=[4],
    also=[Part(biases=False), Part(layer_norm=True)],
)  # fmt: skip
LEVEL, MARGIN = 0.05, 0.03


def changed(grid: Grid, **settings) -> Grid:
    """The grid with other settings."""
    return grid.model_copy(update=settings)


def as_published(cell):
    """An error that has all that the paper claims, and this reproduction of initial values."""
    if cell.layers == 5:
        return 0.9
    if cell.rank == cell.model_dimension:
        return 0.01
    error = 0.5 if cell.layers == 1 else 0.08 * cell.n
    error += 0.2 * (cell.additive_mean == -1)
    return error - 0.1 * (cell.encoding == "concatenated" and cell.layers == 3)


def shares_of(cell):
    """Step, layer, share and norm: made up, one of them 0."""
    places = [(step, layer) for step in (0, 1, 10) for layer in range(1, cell.layers + 1)]
    return [(*place, 0.5 / (1 + place[0]) * (place[1] > 1), 1.0) for place in places]


def runs_of(*grids, error=as_published, reported=None):
    """The runs of the cells of some grids, each once."""
    products = [product for grid in grids for product in grid.products()]
    # Cells of one name may differ in how they are trained.
    cells = {cell.canonical(): cell for product in products for cell in product.cells(seed=1)}
    rows = []
    for cell in cells.values():
        full = cell.rank == cell.model_dimension
        for run in cell.seeds:
            value = error(cell) + 0.001 * run
            rows.append(
                cell.model_dump()
                | {"cell": f"{cell.name}_b{cell.batch}_s{cell.steps}", "rank": cell.rank}
                | {"total_heads": cell.total_heads}
                | {"run": run, "test_error": value, "dead": False}
                | {"min_train": value if reported is None else reported}
                | {"angle": [175.0 + run] * full, "norm": [90.0] * full, "scale": [-100.0] * full}
                | {"angle_value": [5.0] * full, "norm_value": [20.0] * full, "test_se": 0.001}
                | {"attention_error": value, "attention_se": 0.001}
                | {"curve_step": [100], "curve_train": [value], "curve_test": [value]}
                | dict(zip(OF_SHARES, zip(*shares_of(cell), strict=True), strict=True))
                | {f"{kind}_stream": "/".join(cell.stream_names(kind, run)) for kind in StreamKind}
            )
    return rows


FIGURE_CLAIMS = (
    *trained_claims.TRAINED_CLAIMS,
    BEST_BELOW_FULL_RANK,
    *learned_claims.LEARNED_CLAIMS,
)
"""Those on the paper's figures."""


def evidence_of(rows, margin=MARGIN):
    """The evidence of runs alone."""
    return Evidence(margin=margin, level=LEVEL, seed=1, runs=rows)


def rows_of_claims(rows):
    """The rows of claims on the paper's figures, by name."""
    return {row["claim"]: row for row in claim_rows(FIGURE_CLAIMS, evidence_of(rows))}


def judged(name, rows):
    """The row of a claim on trained transformers, whatever published values say."""
    (claim,) = [claim for claim in trained_claims.TRAINED_CLAIMS if claim.name == name]
    return claim.row(evidence_of(rows))
