"""What the paper says of trained transformers, judged; what this reproduction says of them and of
its constructions; and the errors of all cells.

The estimator of a cell is the mean held-out error over its runs, with an interval of the difference
to another cell's, or of the ratio; the least error over runs is never judged.
"""

from collections.abc import Iterator
from pathlib import Path

from attention_separation.pages.table_page import write_result
from attention_separation.results.provenance import record
from attention_separation.results.tables import read_parquet, table_from_rows
from attention_separation.statistics.verdict_words import NOT_JUDGED, NOT_RUN

from ..constructions.features import SCHEMA as FEATURES
from ..constructions.temperature import SCHEMA as TEMPERATURE
from ..constructions.vote import SCHEMA as VOTE
from ..settings.jobs import ClaimsJob
from ..theory import bound_table, found_table, plurality_table
from ..training import errors_table
from ..training.cell_table import DEAD
from ..training.runs import APART, read_runs
from . import batch_claims
from .construction_claims import constructions
from .judging import LEARNED, judge_claim
from .learned_claims import learned
from .outcomes import SCHEMA, WHOSE
from .published_claims import best_below_full_rank, five_layers
from .theory_claims import theory
from .trained_claims import CLAIMS

TITLE = "Claims on the rank of attention heads"
ABOUT = (
    "What the paper says, and what this reproduction says of its own (whose), at the scale that "
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
    f"{100 * DEAD:g} % of the training error of uniform attention, or more. Not judged is what was "
    "run and cannot decide (reason): a single run has no interval; runs trained with other steps "
    f"are compared with none; runs of three layers of full rank that end {APART:g} or more times "
    "apart, or of which some are dead, have no mean that speaks for them; and where w is not the "
    "paper's d, more points are tried only if full rank at the fewest has less than "
    f"{LEARNED:g} of uniform attention's error. N(m, s) is normal with mean m and standard "
    "deviation s. Of values read off the paper's figures the interval is how far readings may be "
    "off. Claims on learned angles and on random heads are on these heads and draws alone: they "
    "have no intervals. Measured is the comparison that decides: of those with the claim's verdict "
    "the one that is furthest from agreeing."
)


def of_runs(job: ClaimsJob, rows: list[dict]) -> Iterator[dict[str, object]]:
    """Rows of claims on runs; of those that no run here can judge, on published values."""
    for claim in CLAIMS:
        row = judge_claim(claim, rows, job.margin, job.level)
        if row["claim"] == "five layers" and row["verdict"] in (NOT_RUN, NOT_JUDGED):
            row = five_layers(job.margin)
        yield row
    yield best_below_full_rank()
    yield from learned(rows, job.seed, job.margin, job.level)


def run(
    job: ClaimsJob, tables: list[Path], vote: Path, features: Path, temperature: Path,
    bound: list[Path], found: Path, plurality: Path, output: Path,
) -> None:  # fmt: skip
    runs = read_runs(tables)
    of_cells = runs.to_pylist()
    numbers = {
        "temperature": read_parquet(temperature, TEMPERATURE),
        "needed": read_parquet(bound[1], bound_table.NEEDED),
        "found": read_parquet(found, found_table.SCHEMA),
        "plurality": read_parquet(plurality, plurality_table.SCHEMA),
    }
    rows = [
        *of_runs(job, of_cells),
        *(judge_claim(claim, of_cells, job.margin, job.level) for claim in batch_claims.CLAIMS),
        *constructions(read_parquet(vote, VOTE), read_parquet(features, FEATURES), job.level),
        *theory(numbers, job.level),
    ]
    rows.sort(key=lambda row: WHOSE.index(row["whose"]))
    provenance = record(job.canonical(), __name__)
    text = ABOUT.format(scale=job.scale, margin=job.margin, level=job.level)
    table = table_from_rows(rows, SCHEMA)
    write_result(table, output.with_suffix(""), provenance, TITLE, text)
    errors, stem = errors_table.errors_table(runs), output.with_name("rank_errors")
    text = errors_table.ABOUT.format(scale=job.scale)
    write_result(errors, stem, provenance, errors_table.TITLE, text)
