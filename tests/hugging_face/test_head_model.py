"""The study of heads of a trained model, of random weights, from its rules to its tables."""

import os
import subprocess
import sys

import numpy as np
import pytest
from making import CONFIG, ROOT
from project import Project
from scipy.special import softmax

from attention_separation.head_model.cells import read_cell
from attention_separation.head_model.model.loading import load_model, model_file
from attention_separation.head_model.probes import probe_of
from attention_separation.head_model.study import HeadModelStudy
from attention_separation.head_model.words import read_words

SMOKE = "head_model={scale: smoke}"
ASK = ("heads", "--config", SMOKE)
FOLDER = "results/head_model/smoke"
STUDY = HeadModelStudy(CONFIG.head_model.model_copy(update={"scale": "smoke"}), CONFIG.seed)
PACKAGED = CONFIG.head_model.scales["desk"].model


def project_in(folder):
    """The project in an empty folder, whose jobs may load pandas: transformers and `head` do."""
    project = Project(folder)
    (project.folder / "src/pandas.py").unlink()
    for compiled in (project.folder / "src/__pycache__").glob("pandas.*"):
        compiled.unlink()
    return project


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The project with the study made, all of it; only to be read."""
    project = project_in(tmp_path_factory.mktemp("head_model"))
    project.make(*ASK)
    return project


def test_a_second_run_has_nothing_to_do_and_all_is_current(made):
    assert made.would_run(*ASK) == set()
    done = made.run_command("heads-verify", FOLDER, SMOKE)
    assert done.returncode == 0, done.stdout
    done = made.run_command("heads-summary", SMOKE)
    assert done.returncode == 0, done.stdout
    assert "text 600 -> 800: " in done.stdout
    assert "random 600 -> 800: " in done.stdout


def test_every_head_is_in_the_tables(made):
    tables = {
        name: rows_of(made, name)
        for name in ("heads", "heads_far", "heads_errors", "heads_targets")
    }
    model = STUDY.chosen.model
    heads = {(layer, head) for layer in range(model.layers) for head in range(model.heads)}
    for target in ("induction", "duplicate", "previous", "needle"):
        rows = [row for row in tables["heads_targets"] if row["target"] == target]
        assert {(row["layer"], row["head"]) for row in rows} == heads
    assert {(row["n"], row["at"]) for row in tables["heads"]} == {(600, 800)}
    assert {row["text"] for row in tables["heads"]} == {"topics", "random"}
    assert {row["at"] for row in tables["heads_far"]} == {100_000}
    counts = [row["heads"] for row in tables["heads_errors"]]
    assert sum(counts) == len(tables["heads"]) > 0


def rows_of(made, name):
    import pyarrow.parquet as pq

    return pq.read_table(made.folder / FOLDER / f"tables/{name}.parquet").to_pylist()


@pytest.mark.parametrize("name", ["topics_1_600", "needle_topics_50"])
def test_shares_are_those_of_the_models_own_attention(made, name):
    job = STUDY.cells[name]
    words = read_words(made.folder / FOLDER / "numbers/heads_texts.parquet")
    probe = probe_of(job, words)
    model = load_model(job.model, job.seed)
    model.set_attn_implementation("eager")
    import torch

    with torch.no_grad():
        weights = model(torch.as_tensor(probe.tokens)[None], output_attentions=True).attentions
    caught_heads = read_cell(made.folder / FOLDER / f"cells/{name}.parquet")
    assert len(caught_heads) == len(probe.targets) * 8
    for caught in caught_heads:
        rows = weights[caught.layer][0, caught.head].double().numpy()
        expected = rows[caught.queries, caught.keys]
        np.testing.assert_allclose(caught.shares, expected, atol=1e-6)
        if caught.scores is not None:
            own = softmax(caught.scores.astype(float), axis=1)
            np.testing.assert_allclose(own, rows[caught.queries], atol=1e-6)


def test_the_same_context_from_an_empty_folder_gives_the_same_bytes(made, tmp_path):
    other = project_in(tmp_path)
    cell = f"{FOLDER}/cells/topics_1_600.parquet"
    other.make(cell, "--config", SMOKE, "--cores", "1")
    assert other.files()[cell] == made.files()[cell]


def test_without_transformers_nothing_runs_and_it_is_said(tmp_path):
    project = Project(tmp_path)
    common = project.folder / "workflow/rules/common.smk"
    common.write_text(common.read_text().replace('"transformers", "', '"transformerz", "'))
    done = project.run(*ASK)
    assert done.returncode != 0
    assert "models need transformers, which `make setup-head` installs" in done.stdout
    assert not [*project.folder.glob(f"{FOLDER}/cells/*")]


@pytest.mark.parametrize(
    ("library", "words"),
    [
        ("torch", "PyTorch, which `make setup-rank` installs"),
        ("transformers", "transformers, which `make setup-head` installs"),
    ],
)
def test_a_job_without_a_library_is_one_sentence(made, tmp_path, library, words):
    """A module that cannot be imported stands where the library would."""
    stub = f"raise ModuleNotFoundError('none', name={library!r})\n"
    (tmp_path / f"{library}.py").write_text(stub)
    job = "head_model.model.caught_cell"
    texts = made.folder / FOLDER / "numbers/heads_texts.parquet"
    output = tmp_path / "cell.parquet"
    cell = STUDY.cells["topics_1_600"].canonical()
    options = ["--settings", cell, "--texts", str(texts), "--output", str(output)]
    done = subprocess.run(
        [sys.executable, "-m", "attention_separation", "job", job, *options],
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT / 'src'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"job {job}: this needs {words}\n")
    assert not output.exists()


def test_a_package_that_is_missing_or_another_is_named(tmp_path, monkeypatch):
    gone = PACKAGED.model_copy(update={"package": "no_such_package"})
    with pytest.raises(ValueError, match="no_such_package, which has the model, is not installed"):
        model_file(gone)
    package = tmp_path / "a_model_package"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    other = PACKAGED.model_copy(update={"package": "a_model_package"})
    with pytest.raises(ValueError, match="is missing; the package a_model_package is of another"):
        model_file(other)
    (package / other.file).write_bytes(b"another")
    with pytest.raises(ValueError, match=f"has sha256 .*; allowed: {PACKAGED.sha256}"):
        model_file(other)


def test_plain_snakemake_makes_none_of_it(tmp_path):
    project = Project(tmp_path)
    assert not {name for name in project.would_run() if name.startswith("heads")}
