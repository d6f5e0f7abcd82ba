"""A cluster's node runs a Snakemake of its own for each job, which is not held up by old tables."""

import shutil

import pyarrow.parquet as pq
from project import small_project

PANEL = "results/panels/fig7b.parquet"


def test_a_job_makes_a_table_of_other_settings_again(tmp_path):
    project = small_project(tmp_path)
    project.make("simulate_fig7b")
    shutil.rmtree(tmp_path / ".snakemake")
    submit = ("--executor", "cluster-generic", "--cluster-generic-submit-cmd", "sh")
    words = ("--jobs", "1", "--default-resources", "--latency-wait", "5")
    other = ("--config", "trials=7", "jobs={local_below: 0}")
    project.make("simulate_fig7b", *submit, *words, *other)
    assert {*pq.read_table(tmp_path / PANEL)["trials"].to_pylist()} == {7}
