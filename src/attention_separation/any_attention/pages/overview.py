"""This study's page of the report, and captions of figures and tables."""

from pathlib import Path

from attention_separation.pages.captions import Caption
from attention_separation.pages.overview import Overview, write_overview
from attention_separation.results.tables import read_parquet

from ..exact import splits, value_table
from ..figures import accuracy, budget, maps, margins
from ..laws import law_table
from ..settings.jobs import KernelsPage
from ..settings.titles import FIGURES
from ..simulation import simulated_table
from .findings import findings, law_findings
from .story import story

__all__ = ["HONESTY", "read_overview", "run"]

TITLE = "Any attention: which kernels separate"
QUESTION = (
    "The first paper shows that softmax tells D1 from D0 where linear attention does not, at one "
    "threshold and one temperature. What of any other kernel on the same data, at the threshold "
    "that is best for it, and up to which n?"
)
HONESTY = (
    "Probabilities and margins are exact, for n up to 10¹², but those of FAVOR+ and cosFormer, "
    "which are simulated. For the largest n all multiples of K up to 3,000 are asked, beyond them "
    "20 a decade and both sides of every change of m; least weights are found on geometric grids, "
    "then both by bisection. That a kernel separates where it has half of exp's probability is a "
    "choice: with another share all such n move. The data, X and V are the first paper's and the "
    "weights of the networks are random signs: what a trained network can do is another question, "
    "and so is another X. Feature maps depend on how X is split into Q and K: where nothing else "
    "is said Q = K, and Hedgehog's map is the identity. Not covered: causal masks, several heads, "
    "attention that knows the order of tokens (RetNet, DeltaNet), feature maps that are learned."
)
SCHEMAS = {
    "kernels": value_table.REACHES,
    "kernel_values": value_table.VALUES,
    "kernels_splits": splits.SCHEMA,
    "kernel_laws": law_table.SCHEMA,
    "kernels_simulated": simulated_table.SCHEMA,
}
SHOWS = {
    "kernels_accuracy": accuracy.NOTE,
    "kernels_degrees": maps.DEGREES.note,
    "kernels_temperature": maps.TEMPERATURE.note,
    "kernels_margins": margins.NOTE,
    "kernels_budget": budget.NOTE,
}
"""What stands beneath each figure."""


def read_overview(job: KernelsPage, results: Path) -> Overview:
    """What there is to say of a folder of results."""
    tables = {
        name: read_parquet(results / f"tables/{name}.parquet", SCHEMAS[name], digest)
        for name, digest in job.tables.items()
    }
    sizes = accuracy.sizes_in_words(job.data)
    captions = {
        name: Caption(title, [SHOWS[name].format(sizes=sizes).replace("\n", " ")])
        for name, title in FIGURES.items()
        if name in job.figures
    }
    abouts = {name: text.splitlines() for name, text in value_table.ABOUT.items()}
    abouts["kernels_splits"] = splits.ABOUT.splitlines()
    abouts["kernels_simulated"] = simulated_table.ABOUT.splitlines()
    if "kernel_laws" in tables:
        abouts["kernel_laws"] = [law_table.SCOPE, *law_findings(tables["kernel_laws"])]
    return Overview(
        title=TITLE,
        question=QUESTION,
        said=story(tables, job.data),
        more=findings(tables),
        picture="kernels_accuracy",
        honesty=HONESTY,
        command="snakemake kernels",
        figures=captions,
        tables={name: abouts[name] for name in tables},
    )


def run(job: KernelsPage, results: Path, output: Path) -> None:
    write_overview(read_overview(job, results), results, output)
