"""The table of critical temperatures: that each separates, and both scales of SSMax."""

import math

import numpy as np
from making import CONFIG

from attention_separation.__main__ import run_job
from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.verdicts import separates
from attention_separation.attention.kernels import exponential
from attention_separation.results.tables import read_parquet
from attention_separation.studies.any_attention.laws.temperature import N_OF_TEMPERATURES, SCHEMA

JOB = CONFIG.studies()["any_attention"].results["kernels_sharpness"].settings
GAMMA = (1.48, 2.64, 1.2)


def ssmax(s, fixed):
    """Of scores x / log n, those of tokens of a fixed size, or of scores as they are."""
    return exponential("", "", lambda seen: np.sqrt(seen.d) / (s if fixed else s * seen.log_n), "")


def test_the_table(tmp_path):
    output = tmp_path / "temperature.parquet"
    run_job(
        "studies.any_attention.laws.temperature",
        "--settings",
        JOB.canonical(),
        "--output",
        str(output),
    )
    rows = read_parquet(output, SCHEMA).to_pylist()
    assert [row["n"] for row in rows] == [*N_OF_TEMPERATURES] * 3
    layers = [layer for layer in LAYERS for _ in N_OF_TEMPERATURES]
    for row, layer in zip(rows, layers, strict=True):
        at = layer, JOB.data, np.array([row["n"]])
        for scale, fixed in (("s_fixed_tokens", True), ("s_paper_tokens", False)):
            for factor in (1 - 1e-6, 1 + 1e-6):
                assert separates(ssmax(factor * row[scale], fixed), *at)[0] == (factor > 1)
        assert math.isclose(row["limit"], 1 / GAMMA[LAYERS.index(layer)])
        assert row["beta"] < row["limit"]
