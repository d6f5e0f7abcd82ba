"""The table of simulated kernels: its rows, its exact columns, and the same bytes twice."""

import pyarrow.parquet as pq
import pytest
from making import CONFIG
from scipy.stats import binomtest

from attention_separation.__main__ import run_job
from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.exact.limits import exp_probabilities
from attention_separation.any_attention.exact.values import separate
from attention_separation.any_attention.settings.jobs import Simulated
from attention_separation.any_attention.simulation.simulated_table import SCHEMA, simulated_table
from attention_separation.attention.kernels import KERNELS

STUDY = CONFIG.studies()["any_attention"]
JOB = STUDY.results["kernels_simulated"].settings
FEW = JOB.model_copy(update={"simulated": Simulated(n=40, trials=30)})

FALSE_ALARM = 1e-6
"""Chance that the table's own check fails though all is right."""


@pytest.fixture(scope="module")
def whole():
    """The table of the configuration."""
    return simulated_table(JOB)


def test_a_row_for_each_kernel_number_of_features_and_layer(whole):
    rows = whole.to_pylist()
    assert JOB.seed == CONFIG.seed
    assert (JOB.simulated.n, JOB.simulated.trials) == (200, 400)
    kernels = [("favor", 16), ("favor", 64), ("favor", 256), ("favor", 1024)]
    kernels += [("cosformer", None), ("exp", None), ("linear", None)]
    wanted = {(*kernel, layer.model, layer.attention_x) for kernel in kernels for layer in LAYERS}
    found = [(r["kernel"], r["features"], r["model"], r["attention_x"]) for r in rows]
    assert len(found) == len(wanted) == 21
    assert {*found} == wanted
    for row in rows:
        assert (row["n"], row["m"], row["trials"]) == (200, 15, 400)
        assert row["d"] == (21 if row["model"] == "cross_attention" else 22)
        assert row["p_after_y"] == row["successes_after_y"] / 400
        assert row["p_paper"] == row["successes_paper"] / 400
        assert row["ci_low"] <= row["p_after_y"] <= row["ci_high"]
        assert row["paper_ci_low"] <= row["p_paper"] <= row["paper_ci_high"]
        # A threshold that is chosen after the signs can be the paper's.
        assert row["successes_paper"] <= row["successes_after_y"]
        assert 0 < row["share"] < 1


def test_exact_values_stand_beside_and_agree(whole):
    """12 binomial tests."""
    for row in whole.to_pylist():
        if row["kernel"] not in ("exp", "linear"):
            assert row["exact_after_y"] is row["exact_paper"] is None
            continue
        (layer,) = (
            layer for layer in LAYERS
            if (layer.model, layer.attention_x) == (row["model"], row["attention_x"])
        )  # fmt: skip
        of_exp = exp_probabilities(layer, JOB.data, (200,))
        exact = separate(KERNELS[row["kernel"]], layer, JOB.data, [200], of_exp)
        assert row["exact_after_y"] == exact.p_after_y[0]
        assert row["exact_paper"] == exact.p_paper[0]
        for name in ("after_y", "paper"):
            test = binomtest(row[f"successes_{name}"], 400, row[f"exact_{name}"])
            assert test.pvalue > FALSE_ALARM / 12


def test_the_same_bytes_twice(tmp_path):
    files = []
    for folder in ("a", "b"):
        output = tmp_path / folder / "tables/kernels_simulated.parquet"
        run_job(
            "any_attention.simulation.simulated_table",
            "--settings",
            FEW.canonical(),
            "--output",
            str(output),
        )
        files.append([output.with_suffix(f".{x}").read_bytes() for x in ("parquet", "csv", "html")])
    assert files[0] == files[1]
    table = pq.read_table(output)
    assert table.schema.names == SCHEMA.names
    assert {*table["n"].to_pylist()} == {40}
    assert "cosFormer" in output.with_suffix(".html").read_text()


def test_it_is_declared_and_has_its_settings_alone():
    result = STUDY.results["kernels_simulated"]
    assert result.settings == JOB
    assert [output.path() for output in result.made()] == ["tables/kernels_simulated.parquet"]
    assert result.module == "any_attention.simulation.simulated_table"
