"""What the paper says of trained transformers, judged; what this reproduction says of them and of
its constructions; and the errors of all cells.

The estimator of a cell is the mean held-out error over its runs, with an interval of the difference
to another cell's, or of the ratio; the least error over runs is never judged.
"""

from pathlib import Path

import pyarrow as pa

from attention_separation.pages.table_page import write_result
from attention_separation.results.provenance import record
from attention_separation.results.tables import read_parquet, table_from_rows
from attention_separation.statistics.verdict_words import NOT_JUDGED, NOT_RUN

from ..constructions.features import SCHEMA as FEATURES
from ..constructions.temperature import SCHEMA as TEMPERATURE
from ..constructions.vote import SCHEMA as VOTE
from ..settings.jobs import ClaimsJob
from ..theory import bound_table, found_table, plurality_table
from ..training.cell_table import DEAD
from . import batch_claims, errors_table
from .construction_claims import constructions
from .judging import APART, LEARNED, judge_claim
from .learned_claims import learned
from .outcomes import SCHEMA, WHOSE
from .published_values import best_below_full_rank, five_layers
from .runs import read_runs
from .theory_claims import theory
from .trained_claims import CLAIMS

TITLE = "Claims on the rank of attention heads"
_ABOUT = (
    "What the paper says, and what this reproduction says of its own (whose), at the scale that "
    "was run ({scale}). The paper gives no bounds: the margin, the factor and the angle that judge "
    "its words are this reproduction's. Errors are held-out: means over runs that differ in "
    "initial values and data; predicting zero has error 1. A claim agrees if every one of its "
    "comparisons does: if an interval lies wholly on the claimed side of the bound. It differs if "
    "one lies wholly on the other side, and is undecided otherwise. Of two means of runs the bound "
    "is the margin, {margin:g}, unless another is shown, and the interval is simultaneous at level "
    "{level:g} over the claim's comparisons. Runs of one seed share their training data, their "
    "initial values or their held-out sets from cell to cell: where two groups have the same seeds "
    "and share one of these, the interval is Student's of the differences seed by seed; where they "
    "share none, as on different numbers of points, or differ in seeds, it is Welch's (interval "
    "says which). The level is nominal, for runs that scatter normally: over the few runs of a "
    "cell, of which one may be dead or stuck, it need not be kept. A dead run has "
    f"{100 * DEAD:g} % of the training error of uniform attention, or more. "
    "Not judged is what was run and cannot decide (reason): of a single run there is no interval; "
    "runs trained with other steps are compared with none; runs of three layers of full rank "
    f"that end {APART:g} or more times apart, or of which some are dead, have no mean that speaks "
    f"for them; and where w is not the paper's d, more points are tried only if full rank at the "
    f"fewest has learned, to less than {LEARNED:g} of uniform attention's error. "
    "N(m, s) is normal with mean m and standard deviation s. "
    "Of values read off the paper's figures the interval is how far readings may be off. "
    "Claims on learned angles are on the heads of these runs, and those on random heads on these "
    "draws: they have no intervals to judge by. Measured is the comparison that decides: of those "
    "with the claim's verdict the one that is furthest from agreeing."
)


def about(scale: str, margin: float, level: float) -> str:
    """What the table of claims is, in words."""
    return _ABOUT.format(scale=scale, margin=margin, level=level)


def of_runs(job: ClaimsJob, rows: list[dict]) -> list[dict[str, object]]:
    """Rows of claims on runs; of those that no run here can judge, on published values."""
    found = [judge_claim(claim, rows, job.margin, job.level) for claim in CLAIMS]
    found = [
        five_layers(job.margin)
        if row["claim"] == "five layers" and row["verdict"] in (NOT_RUN, NOT_JUDGED)
        else row
        for row in found
    ]
    return [
        *found,
        best_below_full_rank(),
        *learned(rows, job.seed, job.margin, job.level),
    ]


def claims_table(
    job: ClaimsJob,
    runs: pa.Table,
    vote_table: pa.Table,
    features_table: pa.Table,
    numbers: dict[str, pa.Table],
) -> pa.Table:
    """The table of all claims, the paper's first; `numbers` are what `theory_claims` reads."""
    rows = runs.to_pylist()
    found = of_runs(job, rows)
    found += [judge_claim(each, rows, job.margin, job.level) for each in batch_claims.CLAIMS]
    found += constructions(vote_table, features_table, job.level)
    found += theory(numbers, job.level)
    found.sort(key=lambda row: WHOSE.index(row["whose"]))
    return table_from_rows(found, SCHEMA)


def run(
    job: ClaimsJob, tables: list[Path], vote: Path, features: Path, temperature: Path,
    bound: list[Path], found: Path, plurality: Path, output: Path,
) -> None:  # fmt: skip
    runs = read_runs(tables)
    table = claims_table(
        job,
        runs,
        read_parquet(vote, VOTE),
        read_parquet(features, FEATURES),
        {
            "temperature": read_parquet(temperature, TEMPERATURE),
            "needed": read_parquet(bound[1], bound_table.NEEDED),
            "found": read_parquet(found, found_table.SCHEMA),
            "plurality": read_parquet(plurality, plurality_table.SCHEMA),
        },
    )
    provenance = record(job.canonical(), __name__)
    text = about(job.scale, job.margin, job.level)
    write_result(table, output.with_suffix(""), provenance, TITLE, text)
    errors = errors_table.errors_table(runs)
    text = errors_table.ABOUT.format(scale=job.scale)
    stem = output.with_name("rank_errors")
    write_result(errors, stem, provenance, errors_table.TITLE, text)
