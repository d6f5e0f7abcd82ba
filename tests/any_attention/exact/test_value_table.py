"""The tables of kernels: their columns, what is null in them, and that they are the engine's."""

import math

import pyarrow.parquet as pq
import pytest
from making import CONFIG

from attention_separation.__main__ import main
from attention_separation.any_attention.exact import value_table
from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.exact.limits import reach
from attention_separation.any_attention.exact.value_table import REACHES, VALUES
from attention_separation.any_attention.pages.summary import summary
from attention_separation.any_attention.settings.jobs import KernelsJob
from attention_separation.attention.kernels import KERNELS
from attention_separation.own_kernels import values as own_kernels

STUDY = CONFIG.studies()["any_attention"]
SAMPLE = ("exp", "exp_sqrt_d", "linear", "uniform", "power_4", "elu_plus_one", "sigmoid")
CONTRACT = {
    "exp", "exp_half", "exp_quarter", "exp_sqrt_d", "linear", "uniform", "power_2", "power_4",
    "power_8", "taylor_2", "elu_plus_one", "relu_features", "relu2_features", "exp_features",
    "hedgehog", "hedgehog_fla", "focused_3", "efficient", "sigmoid_log_n", "softplus", "cosh",
    "sparsemax", "entmax_15", "hardmax", "rbf", "cosine_softmax_10", "one_plus_cosine",
    "linear_unnormalised", "sigmoid_unnormalised",
}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of the tables of a sample of kernels at n = 200 and 10^12."""
    folder = tmp_path_factory.mktemp("kernels")
    job = KernelsJob(data=STUDY.section.data, sizes=[200, 10**12])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(own_kernels, "KERNELS", {name: KERNELS[name] for name in SAMPLE})
        main(
            [
                "job", "any_attention.exact.value_table", "--settings", job.canonical(),
                "--output", str(folder / "tables/kernels.parquet"),
            ]
        )  # fmt: skip
    return folder


def test_names_and_sizes_of_the_contract():
    assert KERNELS.keys() >= CONTRACT
    assert {200, 2000, 20_000, 10**6} <= {*STUDY.section.sizes}
    assert len(KERNELS) >= 28


def test_a_row_for_each_kernel_layer_and_n(made):
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
    ones = rows["linear", "self_attention", "ones"]
    assert ones["weight_at_2000"] is None
    assert rows["exp", "self_attention", "identity"]["last_n"] == math.inf
    assert rows["exp", "self_attention", "identity"]["weight_at_2000"] == 0.0
    assert rows["uniform", "cross_attention", "identity"]["last_n"] is None
    assert rows["uniform", "cross_attention", "identity"]["weight_at_2000"] == math.inf
    assert ones["margin_exponent"] == pytest.approx(-1, abs=0.01)
    assert ones["margin_law"] == "1/n"
    assert (ones["weight_exponent"], ones["weight_law"]) == (None, None)
    assert ones["n_equal_to_uniform"] == 160
    linear, cross = (rows["linear", x, "identity"] for x in ("self_attention", "cross_attention"))
    assert (cross["weight_law"], cross["n_equal_to_uniform"]) == ("n", math.inf)
    assert linear["weight_exponent"] == pytest.approx(0.915, abs=1e-3)
    assert rows["exp", "self_attention", "identity"]["weight_law"] == "0"
    assert rows["uniform", "cross_attention", "identity"]["weight_law"] == "none up to 10^13"
    assert rows["exp_sqrt_d", "cross_attention", "identity"]["weight_law"] == "constant"
    sigmoid = rows["sigmoid", "cross_attention", "identity"]
    assert (sigmoid["resolved"], sigmoid["n_equal_to_uniform"]) == (False, None)
    assert all(row["resolved"] for row in rows.values() if row != sigmoid)
    assert rows["elu_plus_one", "self_attention", "ones"]["source"] == "arXiv 2006.16236"


def test_pages_and_csv_stand_beside(made):
    assert "separates at n" in (made / "tables/kernels.html").read_text()
    assert (made / "tables/kernels.csv").read_text().count("inf") >= 4
    assert (made / "tables/kernel_values.csv").exists()


@pytest.mark.parametrize(
    ("exponent", "words"),
    [(0.004, "constant"), (-1.001, "1/n"), (0.99, "n"), (-0.166, "n^-0.17"), (0.5, "n^0.50")],
)
def test_exponents_in_words(exponent, words):
    assert value_table.power_of_n(exponent) == words


def test_the_summary_names_what_separates_at_the_largest_n(made, monkeypatch):
    lines = list(summary(made))
    assert len(lines) == 3
    assert all(line.endswith("separating at n = 10^12 still: exp") for line in lines)
    with pytest.raises(ValueError, match="`snakemake kernels` makes it"):
        list(summary(made / "none"))
