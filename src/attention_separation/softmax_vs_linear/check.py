"""Verb `check`: fails if the simulation of any panel differs from its exact values."""

import argparse
from pathlib import Path

import pyarrow as pa

from attention_separation.files import replacing
from attention_separation.softmax_vs_linear.verdicts import SCHEMA
from attention_separation.tables import read_parquet


def sentences(verdicts: pa.Table) -> list[str]:
    """A sentence on each panel that differs."""
    return [
        f"{row['panel']} differs: its mean success rate is {row['mean_p_hat']:.4f}, exactly "
        f"{row['mean_p_exact']:.4f}; adjusted p-values {row['smallest_point_p']:.2g} (its points) "
        f"and {row['pooled_p']:.2g} (their sum)"
        for row in verdicts.to_pylist()
        if row["verdict"] == "differs"
    ]


def counted(verdicts: pa.Table) -> str:
    """How many panels there are of each verdict."""
    found = verdicts["verdict"].to_pylist()
    kinds = ("agrees", "undecided", "differs")
    return ", ".join(f"{found.count(kind)} {kind}" for kind in kinds)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--verdicts", required=True, type=Path, help="table of verdicts")
    parser.add_argument("--settings", required=True, help="digest that the table must carry")
    parser.add_argument("--output", required=True, type=Path, help="text file to write")


def run(arguments: argparse.Namespace) -> None:
    verdicts = read_parquet(arguments.verdicts, SCHEMA, arguments.settings)
    different = sentences(verdicts)
    if different:
        raise ValueError("\n".join(["simulation and exact values differ", *different]))
    with replacing(arguments.output) as part:
        part.write_text(f"panels: {counted(verdicts)}\n", encoding="utf-8")
