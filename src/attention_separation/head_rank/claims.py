"""Verb `rank-claims`: what the paper says of trained transformers and of its constructions, judged,
and the errors of all cells.

The estimator of a cell is the mean held-out error over its runs, with Welch's interval of the
difference to another cell's; the least error over runs is never judged.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from attention_separation.head_rank import errors_table, features, vote
from attention_separation.head_rank.comparisons import CLAIMS, Claim, plain
from attention_separation.head_rank.contrasts import Difference, difference, mean_of, together
from attention_separation.head_rank.jobs import ClaimsJob
from attention_separation.head_rank.runs import chosen, is_full_rank, read_runs, values
from attention_separation.provenance import record
from attention_separation.tables import read_parquet, write_result

SCHEMA = pa.schema(
    [
        ("claim", pa.string()),
        ("statement", pa.string()),
        ("verdict", pa.string()),
        ("comparisons", pa.int64()),
        ("decided_at", pa.string()),
        ("measured", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("bound", pa.float64()),
    ]
)
"""One row per claim. `measured` with its interval is that of the comparison, named `decided_at`,
that is the furthest from agreeing of those with the claim's verdict; null where nothing was
compared."""

TITLE = "Claims on the rank of attention heads"
_ABOUT = (
    "What the paper says, at the scale that was run ({scale}). Errors are held-out: means over "
    "runs that differ in initial values and data; predicting zero has error 1. A claim agrees if "
    "every one of its comparisons does: if the interval of the difference of two means (Welch, "
    "simultaneous at level {level:g} over the claim's comparisons) lies wholly on the claimed side "
    "of the bound, {margin:g} unless another is shown. It differs if one lies wholly on the other "
    "side, and is undecided otherwise. Measured is the comparison that decides: of those with the "
    "claim's verdict the one that is furthest from agreeing."
)

MOST_ANGLE = 165.0
"""Degrees from +I from which a head is called close to -cI; the published medians: 168 to 180."""

LEAST_TEMPERATURE = 10.0
"""Of -c in the logits: then two points whose products differ by 0.3 are told apart 20 to 1."""


def judged(claim: Claim, rows: list[dict], margin: float, level: float) -> dict[str, object]:
    """The row of a claim on trained transformers."""
    # A grid may have a group without the one that it is to be compared with.
    found = [each for each in claim.comparisons(rows) if all(map(all, each.pairs))]
    outcomes = []
    for each in found:
        errors = [tuple([_error(row) for row in group] for group in pair) for pair in each.pairs]
        measured = difference(errors, level / len(found))
        outcomes.append(_outcome(each.name, measured, margin, each.above))
    return {
        "claim": claim.name,
        "statement": claim.statement,
        "comparisons": len(found),
    } | _decided(outcomes, margin)


@dataclass(frozen=True)
class Outcome:
    """A comparison with its verdict, and how far it is from agreeing: more is better."""

    name: str
    verdict: str
    measured: Difference
    slack: float


def _outcome(name: str, measured: Difference, margin: float, above: bool) -> Outcome:
    verdict = measured.exceeds(margin) if above else measured.stays_below(margin)
    # One that differs is as far from agreeing as its nearer end.
    if verdict == "differs":
        slack = measured.high - margin if above else margin - measured.low
    else:
        slack = measured.low - margin if above else margin - measured.high
    return Outcome(name, verdict, measured, slack)


def _decided(outcomes: list[Outcome], margin: float) -> dict[str, object]:
    """The verdict on all, and the numbers of the one that decides it."""
    if not outcomes:
        return {"verdict": "not run"}
    verdict = together([outcome.verdict for outcome in outcomes])
    deciding = [outcome for outcome in outcomes if outcome.verdict == verdict]
    worst = min(deciding, key=lambda outcome: outcome.slack)
    return {
        "verdict": verdict,
        "decided_at": worst.name,
        "measured": worst.measured.mean,
        "low": worst.measured.low,
        "high": worst.measured.high,
        "bound": margin,
    }


def _error(row: dict) -> float:
    """Held-out error of a run; one that ended without a number did no better than zero."""
    return 1.0 if row["test_error"] is None else row["test_error"]


def learned(rows: list[dict]) -> Iterator[dict[str, object]]:
    """Rows on what single heads of full rank have learned at one layer."""
    rows = [row for row in chosen(plain(rows), layers=1) if is_full_rank(row)]
    own = chosen(rows, total_heads=min(values(rows, "total_heads"))) if rows else []
    angles = [row["angle"][0] for row in own]
    sizes = [-row["scale"][0] for row in own]
    for name, statement, found, bound in (
        (
            "learned angle",
            f"One layer, one head of full rank: K Q^T is at least {MOST_ANGLE:g} degrees from +I",
            angles,
            MOST_ANGLE,
        ),
        (
            "learned temperature",
            f"The c of the nearest -cI is at least {LEAST_TEMPERATURE:g}: softmax is near hardmax",
            sizes,
            LEAST_TEMPERATURE,
        ),
    ):
        good = sum(value >= bound for value in found)
        verdict = "agrees" if good == len(found) else "undecided" if good else "differs"
        row = {"claim": name, "statement": statement, "comparisons": len(found)}
        if found:
            yield row | {
                "verdict": verdict,
                "decided_at": "the lowest run",
                "measured": min(found),
                "low": min(found),
                "high": max(found),
                "bound": bound,
            }
        else:
            yield row | {"verdict": "not run"}


def repeated(rows: list[dict], margin: float, level: float) -> dict[str, object]:
    """The row on what training on the same batches again reports."""
    own = chosen(rows, regime="repeated")
    cells = [chosen(own, cell=cell) for cell in dict.fromkeys(row["cell"] for row in own)]
    outcomes = []
    for runs in cells:
        reported = [1.0 if run["min_train"] is None else run["min_train"] for run in runs]
        # Of each run its own: both are those of one network.
        gaps = [_error(run) - least for run, least in zip(runs, reported, strict=True)]
        measured = mean_of(gaps, level / len(cells))
        outcomes.append(_outcome(runs[0]["cell"], measured, margin, above=False))
    return {
        "claim": "training loss is error",
        "statement": "Trained on the same batches again, the least training loss of an epoch is "
        "the error on new data, within the margin",
        "comparisons": len(cells),
    } | _decided(outcomes, margin)


def constructions(vote_table: pa.Table, features_table: pa.Table, level: float) -> Iterator[dict]:
    """Rows on Theorem 7's vote and on random heads of rank 1."""
    points = chosen(vote_table.to_pylist(), series="error")
    worst = min(points, key=lambda row: row["p_value"])
    yield {
        "claim": "majority vote",
        "statement": "Theorem 7: the vote of H rank-1 heads errs as its exact law says, and less "
        "with more heads",
        "verdict": "agrees" if worst["p_value"] >= level else "differs",
        "comparisons": len(points),
        "decided_at": f"d={worst['d']}, H={worst['heads']}",
        "measured": worst["error"],
        "low": worst["ci_low"],
        "high": worst["ci_high"],
        "bound": worst["error_exact"],
    }
    rows = features_table.to_pylist()
    best = [row for row in rows if row["quantity"] == "best"]
    lowest = min(best, key=lambda row: row["error"] - row["any_heads"])
    yield {
        "claim": "random heads above the bound",
        "statement": "No number of random rank-1 heads falls below the error that it cannot beat",
        "verdict": "agrees" if lowest["error"] >= lowest["any_heads"] else "differs",
        "comparisons": len(best),
        "decided_at": f"d={lowest['d']}, H={lowest['heads']}, {lowest['law']}",
        "measured": lowest["error"],
        "bound": lowest["any_heads"],
    }
    yield _published_curve(rows)


def _published_curve(rows: list[dict]) -> dict[str, object]:
    """Whether the published computation reports the error of its own heads and weights."""
    shown = {
        quantity: {
            (row["d"], row["draw"], row["heads"]): row["error"]
            for row in rows
            if row["quantity"] == quantity
        }
        for quantity in ("reported", "attained")
    }
    row = {
        "claim": "published random features",
        "statement": "The published computation reports the error that its heads and weights have",
        "comparisons": len(shown["reported"]),
    }
    if not shown["reported"]:
        return row | {"verdict": "not run"}
    gap = {key: abs(error - shown["attained"][key]) for key, error in shown["reported"].items()}
    key = max(gap, key=gap.get)
    return row | {
        "verdict": "agrees" if gap[key] < 0.01 else "differs",
        "decided_at": f"d={key[0]}, H={key[2]}",
        "measured": shown["reported"][key],
        "bound": shown["attained"][key],
    }


def about(scale: str, margin: float, level: float) -> str:
    """What the table of claims is, in words."""
    return _ABOUT.format(scale=scale, margin=margin, level=level)


def claims_table(
    job: ClaimsJob, runs: pa.Table, vote_table: pa.Table, features_table: pa.Table
) -> pa.Table:
    """The table of all claims."""
    rows = runs.to_pylist()
    found = [judged(claim, rows, job.margin, job.level) for claim in CLAIMS]
    found += [*learned(rows), repeated(rows, job.margin, job.level)]
    found += constructions(vote_table, features_table, job.level)
    return pa.Table.from_pylist(found, schema=SCHEMA)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="cells, margin and level, as JSON")
    parser.add_argument("--tables", required=True, nargs="+", type=Path, help="the cells' tables")
    parser.add_argument("--vote", required=True, type=Path, help="table of the vote")
    parser.add_argument("--features", required=True, type=Path, help="table of random heads")
    parser.add_argument(
        "--output", required=True, type=Path, help="parquet to write, the rest beside"
    )


def run(arguments: argparse.Namespace) -> None:
    job = ClaimsJob.model_validate_json(arguments.settings)
    runs = read_runs(arguments.tables, job.cells)
    table = claims_table(
        job,
        runs,
        read_parquet(arguments.vote, vote.SCHEMA, job.vote),
        read_parquet(arguments.features, features.SCHEMA, job.features),
    )
    provenance = record(arguments.settings, __name__)
    text = about(job.scale, job.margin, job.level)
    write_result(table, arguments.output.with_suffix(""), provenance, TITLE, text)
    errors = errors_table.errors_table(runs)
    text = errors_table.ABOUT.format(scale=job.scale)
    stem = arguments.output.with_name("rank_errors")
    write_result(errors, stem, provenance, errors_table.TITLE, text)
