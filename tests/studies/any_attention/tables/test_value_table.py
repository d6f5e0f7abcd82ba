"""The tables of kernels: their columns, what is null in them, and that they are the engine's."""

import math

import pyarrow.parquet as pq
import pytest
from making import CONFIG

from attention_separation.__main__ import run_job
from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.reach_search import reach
from attention_separation.attention.kernels import KERNELS
from attention_separation.settings import kernel_values as own_kernels
from attention_separation.studies.any_attention.study import AnyAttention
from attention_separation.studies.any_attention.tables.value_table import REACHES, VALUES

STUDY = CONFIG.studies()["any_attention"]
AT_TWO_SIZES = AnyAttention(
    STUDY.section.model_copy(update={"sizes": [200, 10**12]}), STUDY.seed, STUDY.folder
)
SAMPLE = ("exp", "exp_sqrt_d", "linear", "uniform", "power_4", "elu_plus_one", "sigmoid")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of the tables of a sample of kernels at n = 200 and 10^12."""
    folder = tmp_path_factory.mktemp("kernels")
    job = AT_TWO_SIZES.results["kernels_values"].settings
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(own_kernels, "KERNELS", {name: KERNELS[name] for name in SAMPLE})
        words = ["--settings", job.canonical(), "--output", str(folder / "tables/kernels.parquet")]
        run_job("studies.any_attention.tables.value_table", *words)
    return folder


def test_a_row_for_each_kernel_layer_and_n(made):
    assert {200, 2000, 20_000, 10**6} <= {*STUDY.section.sizes}
    table = pq.read_table(made / "tables/kernel_values.parquet")
    assert table.schema.names == VALUES.names
    rows = table.to_pylist()
    assert len(rows) == len(SAMPLE) * 3 * 2
    assert {row["d"] for row in rows} == {21, 22}
    assert {(row["n"], row["m"]) for row in rows} == {(200, 15), (10**12, 32)}
    unresolved = [(row["kernel"], row["model"], row["n"]) for row in rows if not row["resolved"]]
    assert unresolved == [("sigmoid", "cross_attention", 10**12)]
    for row in rows:
        known = row["resolved"]
        assert (row["p_best"] is not None) == known
        assert row["share"] is not None
        if known:
            assert row["p_paper"] <= row["p_best"] + 1e-12 <= row["p_after_y"] + 2e-12
            told = row["p_best"] > 0
            assert (row["margin"] is not None) == told


def test_a_row_for_each_kernel_and_layer(made):
    table = pq.read_table(made / "tables/kernels.parquet")
    assert table.schema.names == REACHES.names
    rows = {(row["kernel"], row["model"], row["attention_x"]): row for row in table.to_pylist()}
    assert len(rows) == len(SAMPLE) * 3
    for layer in LAYERS:
        for name in ("exp", "exp_sqrt_d", "linear"):
            wanted = reach(KERNELS[name], layer, STUDY.section.data).last
            found = rows[name, layer.model, layer.attention_x]["last_n"]
            assert found == (None if math.isnan(wanted) else wanted)
    self_i, ones, cross = (tuple(layer.columns.values()) for layer in LAYERS)
    wanted = {
        ("exp", *self_i): {"last_n": math.inf},
        ("uniform", *cross): {"last_n": None},
        ("linear", *ones): {"n_equal_to_uniform": 160},
        ("linear", *cross): {"n_equal_to_uniform": math.inf},
        ("sigmoid", *cross): {"resolved": False, "n_equal_to_uniform": None},
        ("elu_plus_one", *ones): {"source": "arXiv 2006.16236", "normaliser": "row sum"},
        ("elu_plus_one", *cross): {"kind": "features", "sees": "q and k"},
    }  # fmt: skip
    for key, cells in wanted.items():
        assert {name: rows[key][name] for name in cells} == cells, key
    assert [key for key, row in rows.items() if not row["resolved"]] == [("sigmoid", *cross)]


def test_the_summary_names_what_separates_at_the_largest_n(made):
    lines = list(AT_TWO_SIZES.summary(made))
    assert len(lines) == 3
    assert all(line.endswith("separating at n = 10^12 still: exp") for line in lines)
    with pytest.raises(ValueError, match="run `snakemake kernels` first"):
        list(AT_TWO_SIZES.summary(made / "none"))
