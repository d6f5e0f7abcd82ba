"""Small cells of the needle, and tables of runs that were never trained."""

from attention_separation.results.tables import table_from_rows
from attention_separation.studies.needle.settings.cells import Map, NeedleCell
from attention_separation.studies.needle.training.cells_table import SCHEMA, cell_table

DATA = {"a0": 0.01, "a1": 1.2, "b": 0.2, "c": 0.8, "classes": 4}

SMALL = {
    "name": "small",
    "arm": "query_given",
    "map": {"kernel": "exp"},
    "mu": 4.0,
    "n": 7,
    "data": DATA,
    "batch": 6,
    "steps": 20,
    "lr": 0.02,
    "held_out": 50,
    "seeds": [0, 1, 2],
    "seed": 1,
}


def small(kernel: str | None = "exp", divided_by: str = "sum", features=None, **changes):
    """A small cell with an attention map and changed settings."""
    own = {"kernel": kernel, "divided_by": divided_by, "features": features}
    return NeedleCell.model_validate(SMALL | {"map": own} | changes)


def runs(
    arm: str, kernel: str | None, mu: float, n: int, accuracies: list[float],
    divided_by: str = "sum", features: int | None = None, held_out: int = 20_000,
    learned: dict[str, list[float]] | None = None, **changes,
) -> list[dict]:  # fmt: skip
    """Rows of a cell whose runs have these accuracies."""
    name = f"{arm}_{kernel}_{divided_by}_{features}_{mu}_{n}_{sorted(changes.items())}"
    job = NeedleCell.model_validate(
        SMALL
        | {"name": name, "arm": arm, "mu": mu, "n": n, "held_out": held_out}
        | {"seeds": list(range(len(accuracies))), "data": DATA}
        | {"map": Map(kernel=kernel, divided_by=divided_by, features=features).model_dump()}
        | changes
    )
    correct = [round(accuracy * held_out) for accuracy in accuracies]
    return cell_table(job, 10, correct, [0.5] * len(correct), learned or {}).to_pylist()


def table_of(rows: list[dict]):
    """The table of all networks of such rows."""
    return table_from_rows(rows, SCHEMA)
