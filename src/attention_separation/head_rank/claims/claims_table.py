"""What the paper says of trained transformers, judged; what this reproduction says of them and of
its constructions; and the errors of all cells.

The estimator of a cell is the mean held-out error over its runs, with an interval of the difference
to another cell's, or of the ratio; the least error over runs is never judged.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from ...pages.table_page import write_result
from ...results.provenance import record
from ...results.tables import read_parquet, schema, select_rows, table_from_rows
from ...statistics.claims import NOT_JUDGED, NOT_RUN, Estimate, at_least, at_most, judge
from ..constructions.farthest_point import least_error
from ..constructions.features import SCHEMA as FEATURES
from ..constructions.temperature import SCHEMA as TEMPERATURE
from ..constructions.vote import SCHEMA as VOTE
from ..settings.jobs import ClaimsJob
from ..theory import bound_table, found_table, plurality_table
from ..training import published_values
from ..training.cell_table import DEAD, SETTINGS, USUAL
from ..training.published_values import HARD, RANKS, READING_1, SIZE_1
from ..training.runs import APART, cells_of, chosen, read_runs, sizes
from .judging import ORIGINS, PUBLISHED, SCHEMA, claim, judge_claim, row_of
from .learned_claims import learned, more_heads
from .theory_claims import theory
from .trained_claims import BATCH_CLAIMS, CLAIMS, VARIANT_CLAIMS

TITLE = "Claims on the rank of attention heads"
ABOUT = (
    "What the paper says, and what this reproduction says of its own (origin), at the scale that "
    "was run ({scale}). The paper gives no bounds: the margin, the factor and the angle that judge "
    "its words are this reproduction's. Errors are held-out: means over runs that differ in "
    "initial values and data; predicting zero has error 1. A claim agrees if the interval of every "
    "comparison lies wholly on the claimed side of the bound, differs if one lies wholly on the "
    "other side, and is undecided otherwise. Of two means of runs the bound is the margin, "
    "{margin:g}, unless another is shown, and the interval is simultaneous at level {level:g} over "
    "the claim's comparisons: Student's of the differences seed by seed where the groups have the "
    "same seeds, and runs of one seed share training data, initial values or held-out sets; else "
    "Welch's (interval says which). The level is nominal, for runs that scatter normally: over the "
    "few runs of a cell, of which one may be dead or stuck, it need not be kept. A dead run has "
    f"{100 * DEAD:g} % of the training error of uniform attention, or more. Not judged is what "
    "was run and cannot decide: reason says why; of runs of a cell that end "
    f"{APART:g} or more times apart no mean speaks. N(m, s) is normal with mean m and standard "
    "deviation s. Of values read off the paper's figures the interval is how far readings may be "
    "off. Claims on learned angles and on random heads are on these heads and draws alone: they "
    "have no intervals. Measured is the comparison that decides: of those with the claim's verdict "
    "the one that is furthest from agreeing."
)


SIZES = sizes([SIZE_1])
"""Of what the paper's figures show: the claims that no run here can judge."""


def _difference(larger: float, smaller: float) -> Estimate:
    """With an interval that says how far two readings may be off, and nothing of the spread over
    runs: the values are least training losses over five runs."""
    return Estimate.within(larger - smaller, READING_1 * (larger + smaller))


def five_layers(margin: float) -> dict[str, object]:
    """The row on five layers with d^2 parameters per layer, beside three."""
    found = claim(
        "five layers", PUBLISHED,
        "Five layers with d^2 parameters per layer have a larger error than three, at every rank",
        "margin, of the difference of least errors as read",
    )  # fmt: skip
    deep, less = (published_values.FIGURE_1[layers, 1] for layers in (5, 3))
    compared = [
        at_least(f"r={rank}", _difference(five, three), margin)
        for rank, five, three in zip(RANKS, deep, less, strict=True)
    ]
    return row_of(found, SIZES, judge(compared))


def best_below_full_rank() -> dict[str, object]:
    """The row on the best model of lower rank and the worst of full rank."""
    # Five layers with d^2 parameters, which the paper sets apart, are left out here as there.
    shown = {key: errors for key, errors in published_values.FIGURE_1.items() if key != HARD}
    lower = {(*key, rank): error for key, errors in shown.items()
             for rank, error in zip(RANKS[:-1], errors, strict=False)}  # fmt: skip
    best, worst = min(lower, key=lower.get), max(shown, key=lambda key: shown[key][-1])
    # Its matrices have 4 w d^2 numbers per layer, whatever the rank.
    times = best[0] * best[1] // (worst[0] * worst[1])
    few, full = lower[best], shown[worst][-1]
    found = claim(
        "best below full rank", PUBLISHED,
        "But for five layers with d^2 parameters per layer, the best model below full rank, with "
        f"{times} times the attention parameters (80 in the text), has no smaller error than the "
        "worst of full rank",
        "no difference, of least errors as read; how far runs spread is not known",
    )  # fmt: skip
    smaller = f"{100 * abs(1 - few / full):.0f} % {'smaller' if few < full else 'larger'}"
    name = (
        f"L={best[0]}, w={best[1]}, r={best[2]} against L={worst[0]}, w={worst[1]}, "
        f"r={RANKS[-1]}: {few:g} against {full:g} as read, +-{100 * READING_1:g} % of each, least "
        f"of five runs of unknown spread; {smaller}, difference"
    )
    return row_of(found, SIZES, judge([at_most(name, _difference(full, few), 0.0)]))


SHOWN = (
    "d", "n", "layers", "width", "encoding", "additive_mean", "additive_sd", "regime", "schedule",
    *USUAL,
)  # fmt: skip
"""Settings of a cell that the table shows."""

ERRORS_SCHEMA = schema(
    cell=str, **{name: SETTINGS[name] for name in SHOWN}, rank=int, heads=int,
    attention_parameters=int, runs=int, dead=int, mean=float, sd=float, rank_0=float,
    over_rank_0=float, least=float, largest=float, se=float, mean_train=float,
    least_min_train=float,
)  # fmt: skip
"""One row per cell: ERRORS_ABOUT says what they are. Errors are of the runs that ended with a
number; `over_rank_0` is null for two points, where `rank_0` is 0; `se` is the largest of a run;
`mean_train` is of the last epoch."""

ERRORS_TITLE = "Errors of trained transformers"
ERRORS_ABOUT = (
    "At the scale that was run ({scale}). The estimate of a cell is the mean of its runs' errors "
    "on sets never trained on, sd their spread over seeds; se says how little of it is due to the "
    "number of held-out sets. Rank 0 is the error of uniform attention, of the best "
    "-a x_i + b sum_j x_j, whose weights depend on no point: the mean is shown over it, too. "
    "The least run, and the least training loss of any epoch and run, "
    "which is what the paper plots, stand beside them and are not estimates. A dead run ended "
    f"with a training error of at least {DEAD:g} of that of uniform attention (of predicting zero, "
    "for two points): it looks at no point."
)


def errors_table(runs: pa.Table) -> pa.Table:
    """The table of the runs of some cells, in the order of the cells."""
    return table_from_rows(map(_of_cell, cells_of(runs.to_pylist())), ERRORS_SCHEMA)


def _of_cell(runs: list[dict]) -> dict[str, object]:
    test = _numbers(runs, "test_error")
    train, least = _numbers(runs, "train_error"), _numbers(runs, "min_train")
    row = {name: runs[0][name] for name in ERRORS_SCHEMA.names if name in runs[0]}
    mean, rank_0 = float(np.mean(test)) if test else None, least_error(row["d"], row["n"])
    return row | {
        "heads": runs[0]["total_heads"], "runs": len(runs),
        "dead": sum(run["dead"] for run in runs),
        "mean": mean, "sd": float(np.std(test, ddof=1)) if len(test) > 1 else None,
        "rank_0": rank_0,
        "over_rank_0": mean / rank_0 if mean is not None and rank_0 else None,
        "least": min(test, default=None), "largest": max(test, default=None),
        "se": max(_numbers(runs, "test_se"), default=None),
        "mean_train": float(np.mean(train)) if train else None,
        "least_min_train": min(least, default=None),
    }  # fmt: skip


def _numbers(runs: list[dict], name: str) -> list[float]:
    return [run[name] for run in runs if run[name] is not None]


def of_runs(job: ClaimsJob, rows: list[dict]) -> Iterator[dict[str, object]]:
    """Rows of claims on runs; of those that no run here can judge, on published values."""
    for each in CLAIMS:
        row = judge_claim(each, rows, job.margin, job.level)
        if row["claim"] == "five layers" and row["verdict"] in (NOT_RUN, NOT_JUDGED):
            row = five_layers(job.margin)
        yield row
    yield best_below_full_rank()
    yield from learned(rows, job.seed, job.margin, job.level)
    yield more_heads(rows)


def of_trained(job: ClaimsJob, rows: list[dict]) -> Iterator[dict[str, object]]:
    """Rows of all claims on runs; but for claims on variants, of networks like the paper's."""
    usual = chosen(rows, **USUAL)
    yield from of_runs(job, usual)
    for claims, own in ((VARIANT_CLAIMS, rows), (BATCH_CLAIMS, usual)):
        yield from (judge_claim(each, own, job.margin, job.level) for each in claims)


def run(
    job: ClaimsJob, tables: list[Path], vote: Path, features: Path, temperature: Path,
    bound: list[Path], found: Path, plurality: Path, output: Path,
) -> None:  # fmt: skip
    runs = read_runs(tables)
    numbers = {
        "vote": select_rows(read_parquet(vote, VOTE), series="error"),
        "features": read_parquet(features, FEATURES),
        "temperature": read_parquet(temperature, TEMPERATURE),
        "needed": read_parquet(bound[1], bound_table.NEEDED),
        "found": read_parquet(found, found_table.SCHEMA),
        "plurality": read_parquet(plurality, plurality_table.SCHEMA),
    }
    rows = [*of_trained(job, runs.to_pylist()), *theory(numbers, job.level)]
    rows.sort(key=lambda row: ORIGINS.index(row["origin"]))
    provenance = record(job.canonical(), __name__)
    for table, path, title, about in (
        (table_from_rows(rows, SCHEMA), output, TITLE, ABOUT),
        (errors_table(runs), output.with_name("rank_errors"), ERRORS_TITLE, ERRORS_ABOUT),
    ):
        write_result(table, path, provenance, title, about.format(**job.model_dump()))
