"""The tables of all layers: lines with dots, and capacities."""

from pathlib import Path

import pyarrow as pa

from ....pages.table_page import write_result
from ....results.provenance import record
from ....results.tables import array_of, read_parquet, schema
from ....settings.strict_model import Job
from ..settings.titles import TITLE_OF_CAPACITY, TITLE_OF_LINES
from .cell_table import CAPACITY, LARGEST_SCHEMA, LINES_SCHEMA
from .cell_table import SCHEMA as CELL

CAPACITIES = pa.unify_schemas([schema(layer=str, d=int), LARGEST_SCHEMA, schema(method=str)])
UNBOUNDED_COLUMNS = ("largest_n", "low", "high")

ABOUT_DATA = (
    "n keys are independent and uniform on a sphere of R^d, values are fair signs. After all n "
    "pairs one key comes again as a query: the accuracy is the probability that the output has the "
    "sign of its value, of one coordinate."
)
ABOUT_LINES = (
    f"{ABOUT_DATA} Without an age it is the mean over all. Lines are exact, or simulated where the "
    "method says so; dots are the literal layer. Of rows that are varied the query has a cosine "
    "with its key below 1, or all keys were written so often before, with other values. Given "
    "keys, signs of values are summed over and not drawn. Errors of simulated ones are the longer "
    "half of the interval of 95 %."
)
ABOUT_CAPACITY = (
    f"{ABOUT_DATA}\nlargest_n is the largest n with an accuracy of at least the level, the mean "
    "over ages; infinite where it is reached at n = 10^12 still. Of what is simulated it lies "
    "between low and high, each surely on its side at 95 %; high is null where none was found. "
    "state is how many numbers are kept for each coordinate of a value at that n: those of a "
    "matrix, or one for each pair that is seen, whose keys are kept beside."
)


def lines_of(cells: pa.Table) -> pa.Table:
    """The rows of lines, dots and varied points among those of all cells."""
    is_line = [part != CAPACITY for part in cells["part"].to_pylist()]
    return cells.filter(array_of(is_line, pa.bool_())).select(LINES_SCHEMA.names)


def capacities_of(cells: pa.Table) -> pa.Table:
    """The rows of capacities, the largest n of each layer, among those of all cells."""
    is_capacity = [part == CAPACITY for part in cells["part"].to_pylist()]
    return cells.filter(array_of(is_capacity, pa.bool_())).select(CAPACITIES.names)


def run(job: Job, tables: list[Path], output: Path) -> None:
    parts = [read_parquet(path, CELL).replace_schema_metadata() for path in tables]
    cells = pa.concat_tables(parts).combine_chunks()
    provenance = record(job.canonical(), __name__)
    write_result(lines_of(cells), output, provenance, TITLE_OF_LINES, ABOUT_LINES)
    capacity = output.with_name("recall_capacity")
    write_result(
        capacities_of(cells),
        capacity,
        provenance,
        TITLE_OF_CAPACITY,
        ABOUT_CAPACITY,
        endless=UNBOUNDED_COLUMNS,
    )
