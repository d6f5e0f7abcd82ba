"""One layer of generalised heads, trained at the paper's budgets, beside what none can do."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ....messages.progress import Progress
from ....pages.table_page import write_result
from ....rank_bound.bound import bound
from ....results.provenance import record
from ....results.tables import schema, table_from_rows
from ....statistics.means import mean_of
from ....statistics.seeding import stream
from ..settings.jobs import LayersJob
from ..settings.titles import NUMBERED
from .bound_table import heads_by_budget, ranks_of_dimension
from .trained_layer import errors_on_new_sets, initial_layer, trained_layer

SCHEMA = schema(
    d=int, rank=int, heads=int, budget=str, rate=float, run=int, error=float, ci_low=float,
    ci_high=float, bound_any_value=float,
)  # fmt: skip
ABOUT = (
    "Mean squared errors on two orthogonal points and a uniform query, of layers of the class that "
    "the bound is on: softmax heads of this rank, each with any d x d value map, queries apart "
    "from the points, no MLP and no skip connection behind them; trained, on new batches, at each "
    "of some learning rates from each of some initial values. Each is an error that such heads "
    "have, so that the least error of so many is no larger; bound_any_value is what none of them "
    "is below. On sets never trained on, with 95 % intervals. A budget is the paper's: H is d/r, "
    "d^1.5/r and d^2/r, rounded. Predicting zero has error 1."
)


def layer_rows(job: LayersJob) -> Iterator[dict[str, object]]:
    """The table's rows."""
    sizes = []
    for d in job.dimensions:
        for rank in ranks_of_dimension(d):
            # Two budgets may be the same number of heads.
            budgets = {heads: name for name, heads in heads_by_budget(d, rank).items()}
            sizes += [(d, rank, heads, budgets[heads]) for heads in sorted(budgets)]
    total_heads = sum(heads for _, _, heads, _ in sizes)
    progress = Progress("rank-layers", total_heads * len(job.rates) * job.runs, "heads")
    for d, rank, heads, budget in sizes:
        size = {"d": d, "rank": rank, "heads": heads, "budget": budget}
        size["bound_any_value"] = float(bound(d, rank, heads, any_value=True))
        for highest_rate in job.rates:
            for run in range(job.runs):
                errors = _errors_of_run(job, d, rank, heads, highest_rate, run)
                error, ci_low, ci_high = mean_of(errors)
                columns = {"rate": highest_rate, "run": run, "error": error}
                columns |= {"ci_low": ci_low, "ci_high": ci_high}
                yield size | columns
                progress.advance(heads)


def _errors_of_run(
    job: LayersJob, d: int, rank: int, heads: int, highest_rate: float, run: int
) -> np.ndarray:
    """Errors on new sets of a layer that is trained here. Runs at several rates start alike, on the
    same batches."""
    names = ("head_rank", "layers", f"d={d},rank={rank},heads={heads}", f"run={run}")
    start = initial_layer(stream(job.seed, *names, "initial"), d, rank, heads)
    layer = trained_layer(
        stream(job.seed, *names, "data"),
        start,
        steps=job.steps,
        batch=job.batch,
        highest_rate=highest_rate,
    )
    return errors_on_new_sets(stream(job.seed, *names, "held-out"), layer, job.held_out)


def run(job: LayersJob, output: Path) -> None:
    table = table_from_rows(layer_rows(job), SCHEMA)
    write_result(table, output, record(job.canonical(), __name__), NUMBERED["rank_layers"], ABOUT)
