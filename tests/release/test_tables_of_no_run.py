"""Tracked tables that no run makes, row by row: they are of the code as it is."""

import csv

import pyarrow.csv
import pytest
from making import CONFIG, ROOT

from attention_separation.any_attention.layers import LAYERS
from attention_separation.results.tables import table_from_rows
from attention_separation.studies.any_attention.laws.law_table import elsewhere_table
from attention_separation.studies.any_attention.tables import precision

DATA = CONFIG.any_attention.data


def test_laws_at_other_data():
    with (ROOT / "docs/kernels/laws_elsewhere.csv").open(encoding="utf-8", newline="") as lines:
        tracked = [*csv.DictReader(lines)]
    rows = elsewhere_table(DATA).to_pylist()
    assert [{name: str(value) for name, value in row.items()} for row in rows] == tracked
    assert not any(row["differs"] for row in rows)


def test_what_is_lost_in_16_bits(subtests):
    types = pyarrow.csv.ConvertOptions(column_types=precision.SCHEMA)
    tracked = pyarrow.csv.read_csv(ROOT / "docs/kernels/precision.csv", convert_options=types)
    for name, part in precision.CASES:
        for layer in LAYERS:
            with subtests.test(kernel=name, part=part, layer=layer.words):
                found = [*precision._rows_by_scheme(name, part, layer, DATA)]
                found = table_from_rows(found, precision.SCHEMA).to_pylist()
                where = {"kernel": name, "lambda": part, **layer.columns}
                rows = [row for row in tracked.to_pylist() if where.items() <= row.items()]
                for row, wanted in zip(found, rows, strict=True):
                    for column, value in row.items():
                        is_number = isinstance(value, float)
                        expected = (
                            pytest.approx(wanted[column], rel=1e-6) if is_number else wanted[column]
                        )
                        assert value == expected, column
