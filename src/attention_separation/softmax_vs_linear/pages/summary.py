"""Verb `summary`: one line per panel of what its table says."""

import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa

from attention_separation.config import Config, digest_of, load_config, overrides_of
from attention_separation.results.tables import numpy_column, read_parquet
from attention_separation.settings.canonical import digest
from attention_separation.softmax_vs_linear.audits import verdicts
from attention_separation.softmax_vs_linear.simulation.panel_table import schema

HEADER = (
    f"{'panel':<12}{'points':>7}{'trials':>10}{'min':>8}{'median':>8}{'max':>8}"
    f"{'mean':>8}{'computed':>9}  verdict"
)


def verdict_columns(verdict: dict | None) -> str:
    """Mean success rate, its exact or reference value and the verdict; nothing where there is none
    yet."""
    if verdict is None:
        return ""
    return f"{verdict['mean_p_hat']:8.3f}{verdict['mean_p_exact']:9.3f}  {verdict['verdict']}"


def summary_line(table: pa.Table) -> str:
    """Points, trials per point, and the smallest, median and largest success rate."""
    rate = numpy_column(table, "p_hat")
    numbers = "".join(f"{value:8.3f}" for value in (rate.min(), np.median(rate), rate.max()))
    trials = "/".join(str(count) for count in np.unique(numpy_column(table, "trials")))
    return f"{table['panel'][0].as_py():<12}{len(rate):>7}{trials:>10}{numbers}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="as after --config")


def run(arguments: argparse.Namespace) -> None:
    config = load_config(Path("config.yaml"), overrides_of(arguments.overrides))
    folder = Path(config.results)
    made = []
    for panel in config.panels:
        path = folder / "panels" / f"{panel}.parquet"
        if path.exists():
            settings = digest(config.panel_job(panel).canonical())
            made.append(read_parquet(path, schema(config.panel_job(panel).panel.contest), settings))
    if not made:
        raise ValueError(f"{folder / 'panels'}: no panels there; run snakemake first")
    judged = verdicts_made(config, folder)
    print("success rate over the points of each panel")
    print(HEADER)
    for table in made:
        print(summary_line(table) + verdict_columns(judged.get(table["panel"][0].as_py())))
    for name, figure in config.figures.items():
        if (folder / "figures" / f"{name}.png").exists():
            print(f"{folder / 'figures' / name}.{{svg,png,pdf,csv,parquet}}  {figure.title}")
    print(f"{folder / 'panels'}/*.parquet  the panels' tables")
    print(f"{folder / 'tables'}/*.html  verdicts, claims, open choices, thresholds")


def verdicts_made(config: Config, folder: Path) -> dict[str, dict]:
    """The verdicts of the panels, where a folder of results has them, made with these settings."""
    path = folder / "tables" / "verdicts.parquet"
    if not path.exists():
        return {}
    settings = digest_of(config.verdicts_job())
    return {row["panel"]: row for row in read_parquet(path, verdicts.SCHEMA, settings).to_pylist()}
