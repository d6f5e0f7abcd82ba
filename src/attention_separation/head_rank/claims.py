"""Verb `rank-claims`: what the paper says of trained transformers and of its constructions, judged,
and the errors of all cells.

The estimator of a cell is the mean held-out error over its runs, with Welch's interval of the
difference to another cell's; the least error over runs is never judged.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from attention_separation.head_rank import errors_table, features, vote
from attention_separation.head_rank.contrasts import Difference, difference, together
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
that is the furthest from agreeing; null where nothing was compared."""

TITLE = "Claims on the rank of attention heads"
_ABOUT = (
    "What the paper says, at the scale that was run ({scale}). Errors are held-out: means over "
    "runs that differ in initial values and data; predicting zero has error 1. A claim agrees if "
    "every one of its comparisons does: if the interval of the difference of two means (Welch, "
    "simultaneous at level {level:g} over the claim's comparisons) lies wholly on the claimed side "
    "of the bound, {margin:g} unless another is shown. It differs if one lies wholly on the other "
    "side, and is undecided otherwise. Measured is the comparison that is furthest from agreeing."
)

MOST_ANGLE = 165.0
"""Degrees from +I from which a head is called close to -cI; the published medians: 168 to 180."""

LEAST_TEMPERATURE = 10.0
"""Of -c in the logits: then two points whose products differ by 0.3 are told apart 20 to 1."""


@dataclass(frozen=True)
class Comparison:
    """Two groups of runs; `above` claims that the first's mean error exceeds the second's by the
    margin, else that it does not."""

    name: str
    first: list[dict]
    second: list[dict]
    above: bool = True


@dataclass(frozen=True)
class Claim:
    """A claim on trained transformers: its name, its words and the comparisons it stands for."""

    name: str
    statement: str
    comparisons: Callable[[list[dict]], Iterator[Comparison]]


RECIPE = ("d", "feed_forward", "batch", "steps", "lr")


def _plain(rows: list[dict]) -> list[dict]:
    """Runs of Figure 1: new batches, no encoding, of the N and the recipe that most runs have."""
    return _alike(chosen(rows, encoding="none", regime="fresh"), (*RECIPE, "n"))


def _alike(rows: list[dict], names: tuple[str, ...]) -> list[dict]:
    """The runs with the most frequent values of some settings: others are of another figure."""
    counts = Counter(tuple(row[name] for name in names) for row in rows)
    if not counts:
        return []
    ((most, _),) = counts.most_common(1)
    return chosen(rows, **dict(zip(names, most, strict=True)))


def _low_ranks(rows: list[dict]) -> list[int]:
    return values([row for row in rows if not is_full_rank(row)], "rank")


def _full_rank_needed(rows: list[dict]) -> Iterator[Comparison]:
    rows = chosen(_plain(rows), layers=1)
    for width in values(rows, "width"):
        own = chosen(rows, width=width)
        full = [row for row in own if is_full_rank(row)]
        for rank in _low_ranks(own):
            yield Comparison(f"w={width}, r={rank}", chosen(own, rank=rank), full)


def _more_heads(rows: list[dict]) -> Iterator[Comparison]:
    rows = chosen(_plain(rows), layers=1)
    widths = values(rows, "width")
    full = [row for row in chosen(rows, width=widths[0]) if is_full_rank(row)]
    own = chosen(rows, width=widths[-1])
    for rank in _low_ranks(own):
        heads = chosen(own, rank=rank)
        yield Comparison(f"H={heads[0]['total_heads']}, r={rank}", heads, full)


def _depth(rows: list[dict]) -> Iterator[Comparison]:
    rows = _plain(rows)
    width = values(rows, "width")[-1]
    shallow, deep = chosen(rows, layers=1, width=width), chosen(rows, layers=3, width=width)
    for rank in _low_ranks(deep):
        yield Comparison(
            f"w={width}, r={rank}", chosen(shallow, rank=rank), chosen(deep, rank=rank)
        )


def _encoded(rows: list[dict], encoding: str, layers: int) -> Iterator[tuple[int, list[dict]]]:
    own = chosen(rows, encoding=encoding, regime="fresh", layers=layers)
    # Below the points' dimension: at it, a network without an encoding has heads of full rank.
    for rank in values([row for row in own if row["rank"] < row["d"]], "rank"):
        yield rank, chosen(own, rank=rank)


def _beside(rows: list[dict], run: dict, width: int, rank: int) -> list[dict]:
    """Runs without an encoding, otherwise as a run with one."""
    same = {key: run[key] for key in (*RECIPE, "n", "layers")}
    return chosen(rows, encoding="none", regime="fresh", width=width, rank=rank, **same)


def _concatenated(layers: int, above: bool, times: int) -> Callable:
    def comparisons(rows: list[dict]) -> Iterator[Comparison]:
        for rank, own in _encoded(rows, "concatenated", layers):
            control = _beside(rows, own[0], times * own[0]["width"], rank)
            if control:
                yield Comparison(f"r={rank}", control, own, above)

    return comparisons


def _additive(rows: list[dict]) -> Iterator[Comparison]:
    for layers in values(chosen(rows, encoding="additive"), "layers"):
        for rank, own in _encoded(rows, "additive", layers):
            control = _beside(rows, own[0], own[0]["width"], rank)
            if control:
                yield Comparison(f"L={layers}, r={rank}", control, own, above=False)


def _points(full: bool) -> Callable:
    def comparisons(rows: list[dict]) -> Iterator[Comparison]:
        rows = _alike(chosen(rows, encoding="none", regime="fresh", layers=2), RECIPE)
        for rank in values([row for row in rows if is_full_rank(row) == full], "rank"):
            own = chosen(rows, rank=rank)
            few, many = values(own, "n")[0], values(own, "n")[-1]
            name = f"r={rank}, N={many} against {few}"
            yield Comparison(name, chosen(own, n=many), chosen(own, n=few), above=not full)

    return comparisons


CLAIMS = (
    Claim(
        "full rank at one layer",
        "One layer: every lower rank has a far larger error than full rank with as many parameters",
        _full_rank_needed,
    ),
    Claim(
        "more heads at one layer",
        "One layer: the most heads of lower rank have a far larger error than the fewest of full "
        "rank",
        _more_heads,
    ),
    Claim(
        "depth helps",
        "Three layers of lower rank have a smaller error than one, with the most heads",
        _depth,
    ),
    Claim(
        "concatenated, three layers",
        "Concatenated encodings lower the error of lower ranks at three layers",
        _concatenated(3, True, 1),
    ),
    Claim(
        "concatenated, three layers, matched",
        "They do so beside networks without an encoding with as many attention parameters",
        _concatenated(3, True, 4),
    ),
    Claim(
        "concatenated, one layer, matched",
        "At one layer they do not, beside networks with as many attention parameters",
        _concatenated(1, False, 4),
    ),
    Claim("additive", "Additive encodings do not lower the error of lower ranks", _additive),
    Claim(
        "more points, lower rank",
        "Two layers of lower rank: the error grows with the number of points",
        _points(full=False),
    ),
    Claim(
        "more points, full rank",
        "Two layers of full rank: the error does not grow with the number of points",
        _points(full=True),
    ),
)


def judged(claim: Claim, rows: list[dict], margin: float, level: float) -> dict[str, object]:
    """The row of a claim on trained transformers."""
    # A grid may have a group without the one that it is to be compared with.
    found = [each for each in claim.comparisons(rows) if each.first and each.second]
    verdicts, gaps = [], []
    for each in found:
        errors = [[_error(row) for row in group] for group in (each.first, each.second)]
        measured = difference(*errors, level / len(found))
        verdicts.append(measured.exceeds(margin) if each.above else measured.stays_below(margin))
        gaps.append((_slack(measured, margin, each.above), each.name, measured))
    row = {"claim": claim.name, "statement": claim.statement, "comparisons": len(found)}
    if not found:
        return row | {"verdict": "not run"}
    _, name, measured = min(gaps, key=lambda gap: gap[0])
    return row | {
        "verdict": together(verdicts),
        "decided_at": name,
        "measured": measured.mean,
        "low": measured.low,
        "high": measured.high,
        "bound": margin,
    }


def _error(row: dict) -> float:
    """Held-out error of a run; one that ended without a number did no better than zero."""
    return 1.0 if row["test_error"] is None else row["test_error"]


def _slack(measured: Difference, margin: float, above: bool) -> float:
    return measured.low - margin if above else margin - measured.high


def learned(rows: list[dict]) -> Iterator[dict[str, object]]:
    """Rows on what single heads of full rank have learned at one layer."""
    rows = [row for row in chosen(_plain(rows), layers=1) if is_full_rank(row)]
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
    row = {
        "claim": "training loss is error",
        "statement": "Trained on the same batches again, the least training loss of an epoch is "
        "the error on new data, within the margin",
        "comparisons": len(cells),
    }
    if not cells:
        return row | {"verdict": "not run"}
    gaps = []
    for runs in cells:
        reported = [1.0 if run["min_train"] is None else run["min_train"] for run in runs]
        measured = difference([_error(run) for run in runs], reported, level / len(cells))
        gaps.append((measured, runs[0]["cell"]))
    worst, name = max(gaps, key=lambda gap: gap[0].high)
    return row | {
        "verdict": together([gap.stays_below(margin) for gap, _ in gaps]),
        "decided_at": name,
        "measured": worst.mean,
        "low": worst.low,
        "high": worst.high,
        "bound": margin,
    }


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
