"""The runs of all cells as one table. Without torch."""

from pathlib import Path

import pyarrow as pa

from attention_separation.pages.table_page import write_result
from attention_separation.results.provenance import record
from attention_separation.results.tables import read_parquet
from attention_separation.settings.closed import Job

from .cell_table import SCHEMA

TITLE = "Trained networks, run by run"
ABOUT = (
    "Held-out accuracy of networks with one attention layer, trained on sequences that never come "
    "back. Arms: query_given, where the needle's direction is drawn for each sequence and given as "
    "its query, and the output is read along it, wired by hand; query_learned, the first paper's "
    "tokens with noise and a learned query, classes cyclic over n tokens, which need not be a "
    "multiple of them; self_attention, the same tokens with every one a query, X starting at the "
    "identity, and ReLU neurons on every token, pooled by the largest. Divided by: the "
    "sum of the weights, n, or the output's root mean square. The output is standardised over the "
    "batch, with running moments when held-out sequences are scored. A factor 1/√d of scores is "
    "left out: once trained it is the same class of networks."
)


def run(job: Job, tables: list[Path], output: Path) -> None:
    runs = pa.concat_tables(read_parquet(path, SCHEMA) for path in tables).combine_chunks()
    provenance = record(job.canonical(), __name__)
    write_result(runs, output.with_suffix(""), provenance, TITLE, ABOUT)
