"""What the results of this study say, line by line."""

import math
from collections.abc import Iterator
from pathlib import Path

from attention_separation.results.tables import read_parquet, select_rows

from ..exact.layers import LAYERS
from ..exact.value_table import REACHES


def summary(folder: Path) -> Iterator[str]:
    """A line for each layer; ValueError where there is no table of kernels."""
    path = folder / "tables/kernels.parquet"
    if not path.exists():
        raise ValueError(f"{path}: no such file; `snakemake kernels` makes it")
    table = read_parquet(path, REACHES)
    for layer in LAYERS:
        rows = select_rows(table, model=layer.model, attention_x=layer.attention_x).to_pylist()
        always = [row["kernel"] for row in rows if row["last_n"] == math.inf]
        yield f"{layer.words}: separating at n = 10^12 still: {', '.join(always) or 'none'}"
