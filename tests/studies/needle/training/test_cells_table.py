"""The table of all networks."""

import pyarrow.parquet as pq
from needle_cells import runs, small, table_of

from attention_separation.__main__ import main
from attention_separation.results.tables import write_parquet
from attention_separation.settings.strict_model import Job
from attention_separation.studies.needle.training.cells_table import SCHEMA, cell_table


def test_a_row_per_run():
    losses, learned = [0.5, 0.6, float("nan")], {"sink": [1, 2, 3]}
    rows = cell_table(small(held_out=50), 99, [40, 41, 0], losses, learned).to_pylist()
    assert [row["accuracy"] for row in rows] == [0.8, 0.82, 0.0]
    assert [row["train_loss"] for row in rows] == [0.5, 0.6, None]
    assert {row["parameters"] for row in rows} == {99}
    assert [(row["sink"], row["scale"]) for row in rows] == [(1, None), (2, None), (3, None)]


def test_all_cells_as_one_table(tmp_path, capsys):
    cells = {
        "a": runs("query_given", "exp", 5.0, 8, [0.9, 0.91]),
        "b": runs("self_attention", None, 5.0, 8, [0.8]),
    }
    for name, rows in cells.items():
        write_parquet(table_of(rows), tmp_path / f"{name}.parquet", {"settings": name, "code": ""})
    job = Job(inputs={"tables": [*cells]})
    command = [
        "job", "studies.needle.training.cells_table", "--settings", job.canonical(), "--tables",
        *(str(tmp_path / f"{name}.parquet") for name in cells),
        "--output", str(tmp_path / "out.parquet"),
    ]  # fmt: skip
    assert main(command) == 0
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.schema.remove_metadata().equals(SCHEMA)
    assert found.to_pylist() == [row for rows in cells.values() for row in rows]
    assert "Held-out accuracy" in (tmp_path / "out.html").read_text(encoding="utf-8")
    other = Job(inputs={"tables": ["c" for _ in cells]})
    command[3] = other.canonical()
    assert main(command) == 1
    assert "made with other settings" in capsys.readouterr().err
