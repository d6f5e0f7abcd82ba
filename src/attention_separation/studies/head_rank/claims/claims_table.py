"""The table of claims: what the paper says of trained transformers and of constructions, and what
this reproduction says of its own, judged; and the errors of all cells.

The estimator of a cell is the mean held-out error over its runs, with an interval of the difference
to another cell's, or of the ratio; the least error over runs is never judged.
"""

from pathlib import Path

import pyarrow as pa

from ....pages.table_page import write_result
from ....results.claims import claim_rows
from ....results.provenance import record
from ....results.tables import read_parquet, select_rows, table_from_rows
from ..constructions.features import SCHEMA as FEATURES
from ..constructions.temperature import SCHEMA as TEMPERATURE
from ..constructions.vote import SCHEMA as VOTE
from ..settings.jobs import ClaimsJob
from ..theory import bound_table, found_table, layers_table, plurality_table
from ..training.cell_table import DEAD
from ..training.runs import APART, read_runs
from . import (
    arm_claims,
    errors_table,
    learned_claims,
    published_claims,
    theory_claims,
    trained_claims,
    vote_claims,
)
from .claim import ORIGINS, SCHEMA, Evidence, RankClaim

RUN_CLAIMS: tuple[RankClaim, ...] = (
    *trained_claims.TRAINED_CLAIMS,
    published_claims.BEST_BELOW_FULL_RANK,
    *learned_claims.LEARNED_CLAIMS,
    *arm_claims.VARIANT_CLAIMS,
    *arm_claims.BATCH_CLAIMS,
)
"""On trained transformers."""

COMPUTED_CLAIMS: tuple[RankClaim, ...] = (
    vote_claims.MAJORITY_VOTE,
    vote_claims.MORE_VOTERS,
    vote_claims.RANDOM_HEADS,
    vote_claims.PUBLISHED_FEATURES,
    theory_claims.FACT_1,
    theory_claims.THEOREM_2,
    theory_claims.GROWTH_AT_RANK_1,
    theory_claims.SOFTMAX_AT_LOW_RANK,
    vote_claims.FEW_POINTS,
    theory_claims.FOUND_HEADS,
    theory_claims.TRAINED_LAYERS,
    theory_claims.LAYERS_ABOVE_BOUND,
    vote_claims.ONE_RANDOM_HEAD,
    vote_claims.RANDOM_FEATURES_SUFFICE,
)
"""On numbers that no training makes."""

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


def claims_table(evidence: Evidence) -> pa.Table:
    """The table of all claims, in the order of their origins."""
    rows = claim_rows(RUN_CLAIMS + COMPUTED_CLAIMS, evidence)
    rows.sort(key=lambda row: ORIGINS.index(row["origin"]))
    return table_from_rows(rows, SCHEMA)


def run(
    job: ClaimsJob,
    tables: list[Path],
    vote: Path,
    features: Path,
    temperature: Path,
    bound: list[Path],
    found: Path,
    plurality: Path,
    layers: Path,
    output: Path,
) -> None:
    _, needed_heads, _ = bound
    evidence = Evidence(
        margin=job.margin,
        level=job.level,
        seed=job.seed,
        runs=read_runs(tables).to_pylist(),
        votes=select_rows(read_parquet(vote, VOTE), series="error").to_pylist(),
        features=read_parquet(features, FEATURES).to_pylist(),
        temperatures=read_parquet(temperature, TEMPERATURE).to_pylist(),
        needed_heads=read_parquet(needed_heads, bound_table.NEEDED).to_pylist(),
        found_heads=read_parquet(found, found_table.SCHEMA).to_pylist(),
        pluralities=read_parquet(plurality, plurality_table.SCHEMA).to_pylist(),
        trained_layers=read_parquet(layers, layers_table.SCHEMA).to_pylist(),
    )
    settings = job.model_dump()
    provenance = record(job.canonical(), __name__)
    write_result(claims_table(evidence), output, provenance, TITLE, ABOUT.format(**settings))
    write_result(
        errors_table.errors_table(evidence.runs),
        output.with_name("rank_errors"),
        provenance,
        errors_table.TITLE,
        errors_table.ABOUT.format(**settings),
    )
