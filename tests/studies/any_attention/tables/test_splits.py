"""How X is split: what it does not change, and that the split is the one that is named."""

import itertools
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st
from making import CONFIG

from attention_separation.__main__ import run_job
from attention_separation.any_attention.layers import LAYERS, ONE_COORDINATE
from attention_separation.any_attention.values import score_columns
from attention_separation.attention.dense import attention
from attention_separation.attention.kernels import KERNELS
from attention_separation.results.tables import table_from_rows
from attention_separation.studies.any_attention.settings import Data
from attention_separation.studies.any_attention.tables.splits import ALPHAS, SCHEMA, split_rows

PAPERS = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
SMALL = Data(a0=0.3, a1=1.1, b=0.4, c=0.7, classes=3, delta=0.01, at_least=2)
STUDY = CONFIG.studies()["any_attention"]
OF_VECTORS = [kernel for kernel in KERNELS.values() if kernel.kind == "features"]


def literal_scores(kernel, layer, split, dataset, n=6):
    """The largest scores of all 2^d columns, of n x n attention with the matrices of a split."""
    d = layer.d(SMALL.classes)
    tokens = layer.tokens(SMALL, n)
    places = np.zeros(layer.dataset.special_tokens, dtype=int)
    a1, a2, a3, q, k = layer.dataset.literal(tokens, dataset, places)
    if split == ONE_COORDINATE:
        q = k = np.ones((d, 1))
    else:
        q, k = q * split, k / split
    y = np.array(list(itertools.product([-1.0, 1.0], repeat=d)))
    return (attention(a1, a2, a3, q, k, np.eye(d), kernel) @ y.T).max(axis=0)


@given(kernel=st.sampled_from([*OF_VECTORS]), layer=st.sampled_from([*LAYERS]))
def test_against_the_literal_definition(layer, kernel):
    for split in (0.6, 2.0, *[ONE_COORDINATE] * (layer is LAYERS[1])):
        scored = score_columns(kernel, replace(layer, split=split), SMALL, [6])
        for dataset, states in enumerate((scored.d0.score, scored.d1.score)):
            wanted = np.unique(literal_scores(kernel, layer, split, dataset).round(9))
            np.testing.assert_allclose(np.unique(states.round(9)), wanted, atol=2e-9)


def rows_of(*kernels):
    return list(split_rows(kernels, PAPERS))


def test_a_row_for_each_split_and_n():
    rows = rows_of(KERNELS["elu_plus_one"], KERNELS["exp"])
    assert table_from_rows(rows, SCHEMA).num_rows == 2 * (5 + 6 + 5)
    assert {row["kernel"] for row in rows} == {"elu_plus_one"}
    assert [row["alpha"] for row in rows if row["n"] == 200][:6] == [*ALPHAS, ALPHAS[0]]
    assert {row["attention_x"] for row in rows if row["alpha"] is None} == {"ones"}
    assert {row["split"] for row in rows if row["alpha"] is None} == {"one coordinate"}


def test_a_kernel_without_weights_has_no_number():
    """rbf at alpha = 0.1 loses the special rows of D0 and D1 in float64, in cross-attention."""
    rows = [row for row in rows_of(KERNELS["rbf"]) if row["model"] == "cross_attention"]
    assert [row["p_best"] is None for row in rows if row["alpha"] == 0.1] == [True, True]
    assert all(row["p_best"] is not None for row in rows if row["alpha"] == 1.0)


def test_the_job_writes_the_table_of_the_kernels_that_are_asked_for(tmp_path):
    job = STUDY.results["kernels_splits"].settings.model_copy(update={"only": ["exp", "hedgehog"]})
    output = tmp_path / "tables/kernels_splits.parquet"
    words = ["--settings", job.canonical(), "--output", str(output)]
    run_job("studies.any_attention.tables.splits", *words)
    table = pq.read_table(output)
    assert table.schema.names == SCHEMA.names
    assert {*table["kernel"].to_pylist()} == {"hedgehog"}
    assert "split of X" in output.with_suffix(".html").read_text()
