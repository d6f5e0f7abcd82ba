"""Grids of several products, their parts as targets, and what training asks for."""

import json

import pytest
from making import head_rank
from training_jobs import small

from attention_separation.studies.head_rank.settings.cells import STEPS_PER_BLOCK, StreamKind
from attention_separation.studies.head_rank.settings.section import Grid, Part

SHARED = {
    "d": 8, "feed_forward": 16, "batch": 4, "steps": 100, "lr": 0.01, "runs": 2, "held_out": 9,
}  # fmt: skip
GRID = Grid(
    **SHARED, layers=[1, 3], widths=[1], ranks=[2, 8], n=[4],
    also=[Part(layers=[5], ranks=[8], steps=300), Part(encodings=["additive"], runs=1)],
)  # fmt: skip


def test_a_part_is_as_its_grid_but_for_what_it_gives():
    first, deep, additive = GRID.products()
    assert first.model_dump() == GRID.model_dump(exclude={"also"})
    assert deep.model_dump() == first.model_dump() | {"layers": [5], "ranks": [8], "steps": 300}
    assert additive.model_dump() == first.model_dump() | {"encodings": ["additive"], "runs": 1}
    assert [len([*product.cells(1)]) for product in GRID.products()] == [4, 1, 4]


def test_a_grid_has_a_bound_on_its_cells():
    """They are as many as the lengths of its lists make, multiplied."""
    lists = {"layers": [1, 2, 3, 4, 5], "widths": [*range(1, 26)], "ranks": [1, 2, 4, 8]}
    assert len([*Grid(**SHARED, **lists, n=[3, 4]).cells(seed=1)]) == 1000
    with pytest.raises(ValueError, match="has 1500 cells; allowed: at most 1000"):
        Grid(**SHARED, **lists, n=[3, 4, 5])


def test_each_initial_value_of_additive_encodings_has_cells_of_its_own():
    grid = Grid(
        **SHARED, layers=[1], widths=[1], ranks=[2], n=[4], encodings=["none", "additive"],
        additive=[{"mean": -1, "sd": 1}, {"mean": 0, "sd": 0.02}], matched=True,
    )  # fmt: skip
    cells = {job.name: (job.additive_mean, job.additive_sd) for job in grid.cells(seed=1)}
    assert cells == {
        "d8_n4_L1_w1_r2": (None, None),
        "d8_n4_L1_w1_r2_additive": (-1.0, 1.0),
        "d8_n4_L1_w1_r2_additive_0_0p02": (0.0, 0.02),
        "d8_n4_L1_w4_r2": (None, None),
    }


def test_data_and_schedule_name_a_cell():
    grid = Grid(
        **SHARED, layers=[1], widths=[1], ranks=[2], n=[4], regimes=["fresh", "repeated"],
        schedules=["per_step", "per_epoch"],
    )  # fmt: skip
    assert [job.name.removeprefix("d8_n4_L1_w1_r2") for job in grid.cells(seed=1)] == [
        "", "_per_epoch", "_repeated", "_repeated_per_epoch",
    ]  # fmt: skip


def test_variants_have_names_and_digests_of_their_own_and_the_papers_networks_keep_theirs():
    grid = Grid(
        **SHARED, layers=[1], widths=[1], ranks=[2], n=[4],
        also=[Part(biases=False), Part(layer_norm=True)],
    )  # fmt: skip
    (usual,), *others = ([*product.cells(seed=1)] for product in grid.products())
    names = [job.name.removeprefix("d8_n4_L1_w1_r2") for (job,) in others]
    assert names == ["_no_biases", "_layer_norm"]
    assert not {"biases", "layer_norm"} & {*json.loads(usual.canonical())}
    for (job,) in others:
        assert job.digest() != usual.digest()
        assert all(job.stream_names(k, 0) == usual.stream_names(k, 0) for k in StreamKind)


def test_cells_on_new_sets_are_published_ones_but_for_their_batches():
    """And the first runs are the first of the five that are published."""
    published = head_rank(scale="as_published").every_cell
    first_runs = head_rank(scale="as_published_first_run").every_cell
    new_sets = head_rank(scale="as_published_new_sets").every_cell
    assert first_runs
    for name, cell in first_runs.items():
        assert cell == published[name].model_copy(update={"seeds": [0]})
    assert new_sets
    for name, cell in new_sets.items():
        changes = {"regime": "fresh", "name": name}
        same = first_runs[name.replace("_one_start", "_repeated_one_start")]
        assert cell == same.model_copy(update=changes)


@pytest.mark.parametrize("scale", ["paper_size", "reference"])
def test_every_part_can_be_asked_for_and_together_they_are_the_figure(scale):
    study = head_rank(scale=scale)
    for grid, parts in study.parts.items():
        asked = [study.targets()[f"rank_{grid}_part_{k}"] for k in range(1, len(parts) + 1)]
        cells = [f"rank_train_{name}" for name in study.cells[grid]]
        assert sorted(name for part in asked for name in part) == sorted(cells)
        assert {*cells} <= study.results.keys()


def test_a_grid_of_one_product_has_no_parts_to_ask_for():
    assert "rank_fig4_part_1" not in head_rank(scale="desk").targets()


def test_memory_counts_the_batches_that_are_drawn_ahead():
    few, many = (small(d=64, n=256, heads=64, batch=batch, seeds=[0]) for batch in (64, 65))
    block = 4 * STEPS_PER_BLOCK * 64 * 256
    assert many.memory_mb() - few.memory_mb() >= 3 * block // 10**6
