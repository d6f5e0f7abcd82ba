"""Small cells, as settings and trained."""

from attention_separation.__main__ import run_job
from attention_separation.settings.strict_model import canonical_json
from attention_separation.studies.head_rank.settings.cells import CellJob

SMALL = {
    "name": "small",
    "d": 4,
    "n": 3,
    "layers": 2,
    "heads": 2,
    "width": 2,
    "feed_forward": 16,
    "batch": 16,
    "steps": 200,
    "lr": 0.01,
    "seeds": [0, 1, 2],
    "held_out": 64,
    "seed": 1,
}


def small(**changes) -> CellJob:
    """A small cell with changed settings; an additive encoding starts as published."""
    initial = {"additive_mean": -1.0, "additive_sd": 1.0}
    additive = initial if changes.get("encoding") == "additive" else {}
    return CellJob.model_validate(SMALL | additive | changes)


def train_small(path, checkpoint=None, **changes) -> int:
    """Exit status of training a small cell."""
    job = canonical_json(small(**changes).model_dump())
    more = ["--checkpoint", str(checkpoint)] if checkpoint else []
    return run_job(
        "studies.head_rank.training.train_cell", "--settings", job, "--output", str(path), *more
    )
