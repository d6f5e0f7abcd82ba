"""A folder with the needle's tables as docs/ has them, made by their jobs where they are quick."""

from pathlib import Path

import pyarrow as pa
import pyarrow.csv
from making import CONFIG, ROOT

from attention_separation.results import claims
from attention_separation.results.tables import write_parquet
from attention_separation.studies.needle import accuracy_limits
from attention_separation.studies.needle.training import cells_table

SCHEMAS = {
    "needle_lines": accuracy_limits.ACCURACY_SCHEMA,
    "needle_critical": accuracy_limits.CRITICAL_SCHEMA,
    "needle_bound_ends": accuracy_limits.BOUND_ENDS,
    "needle_sink": accuracy_limits.SINK_SCHEMA,
    "needle_cells": cells_table.SCHEMA,
    "needle_claims": claims.SCHEMA,
}


def tracked(name: str) -> pa.Table:
    """A table of docs/needle."""
    options = pyarrow.csv.ConvertOptions(
        column_types=SCHEMAS[name], strings_can_be_null=True, quoted_strings_can_be_null=False
    )
    return pyarrow.csv.read_csv(ROOT / f"docs/needle/{name}.csv", convert_options=options)


def folder_of_tables(folder: Path) -> Path:
    """The tracked tables as parquet, with the digests that config.yaml's study expects."""
    study = CONFIG.studies()["needle"]
    for name in SCHEMAS:
        digest = study.expected_tables()[f"tables/{name}.parquet"].settings
        path = folder / f"tables/{name}.parquet"
        write_parquet(tracked(name), path, {"settings": digest, "code": ""})
    return folder
