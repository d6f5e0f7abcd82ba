"""Verb `claims`: every claim of the paper, evaluated, with a verdict."""

import argparse
from pathlib import Path

import pyarrow as pa

from attention_separation.provenance import record
from attention_separation.softmax_vs_linear.claims.audit import audit
from attention_separation.softmax_vs_linear.claims.job import ClaimsJob
from attention_separation.tables import write_result

TITLE = "Claims of the paper, evaluated"
ABOUT = (
    "Every part of every lemma and theorem of sections 4 and 5 and of appendices D, E and F, with "
    "its value computed from the datasets, its bound, and whether it holds, at the sizes of the "
    "experiments. With high probability means: fails with probability at most delta / n. The "
    "margin is positive where the claim holds. Along three paths n grows: with d fixed, with d "
    "growing like the square root of n, and with d a quarter of n; from n says from where on the "
    "claim holds there. Source: given, the paper prints the formula; forced, the value follows "
    "from the definitions and the bound is read from the proof; reconstructed, from a text without "
    "formulas."
)


PAGE = ("id", "claim", "source", "verdict", "at the paper's sizes", "as n grows")


def page(claims: pa.Table) -> pa.Table:
    """One row per claim, with its values at all sizes in one cell: for people."""
    grouped: dict[str, list[dict]] = {}
    for row in claims.to_pylist():
        grouped.setdefault(row["id"], []).append(row)
    rows = [
        {
            "id": name,
            "claim": f"{own[0]['place']}\n{own[0]['statement']}\n{own[0]['formula']}",
            "source": own[0]["source"],
            "verdict": own[0]["verdict"],
            "at the paper's sizes": "\n".join([f"{own[0]['quantity']}:", *map(_at_size, own)]),
            "as n grows": f"{own[0]['growth']}\n{own[0]['paths']}",
        }
        for name, own in grouped.items()
    ]
    return pa.Table.from_pylist(rows, schema=pa.schema([(name, pa.string()) for name in PAGE]))


def _at_size(row: dict) -> str:
    size = f"n = {row['n']}" + ("" if row["d"] is None else f", d = {row['d']}")
    holds = "holds" if row["holds"] else "fails"
    return f"{size}: {row['value']:.3g}, {row['relation']} {row['bound']:.3g}: {holds}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="parameters and sizes, as JSON")
    parser.add_argument(
        "--output", required=True, type=Path, help="parquet to write, the rest beside"
    )


def run(arguments: argparse.Namespace) -> None:
    job = ClaimsJob.model_validate_json(arguments.settings)
    provenance = record(arguments.settings, __name__)
    claims = audit(job)
    stem = arguments.output.with_suffix("")
    write_result(claims, stem, provenance, TITLE, ABOUT, shown=page(claims))
