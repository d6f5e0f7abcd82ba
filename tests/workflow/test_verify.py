"""`verify` says of every file whether it is that of this code and config."""

import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from workflow.conftest import small as small_project


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small project, all of it made once; every test undoes its change."""
    project = small_project.__wrapped__(tmp_path_factory.mktemp("verified"))
    project.make()
    return project


def verify(project, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "attention_separation", "verify", "results", *arguments],
        cwd=project.folder, env={"PYTHONPATH": "src", "PATH": ""}, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def test_all_is_current_after_a_run(made):
    done = verify(made, "--sample", "4")
    assert done.returncode == 0, done.stdout
    made_files = len(made.files())
    # The manifest lists the others and not itself.
    assert f"{made_files - 1:5} current" in done.stdout
    assert done.stdout.count("the same") == 4


@pytest.mark.parametrize(
    ("override", "stale"),
    [
        ("seed=8", "panels/fig3a.parquet: of other settings"),
        ("seed=8", "figures/fig3.svg: of other settings"),
    ],
)
def test_another_config(made, override, stale):
    done = verify(made, override, "--sample", "0")
    assert done.returncode == 1
    assert stale in done.stdout
    assert "exact/fig3a.parquet" not in done.stdout


def test_other_code(made):
    made.edit("src/attention_separation/seeding.py", "\\x1f", "\\x1e")
    try:
        done = verify(made, "--sample", "3")
    finally:
        made.edit("src/attention_separation/seeding.py", "\\x1e", "\\x1f")
    assert "panels/fig7b.parquet: of other code" in done.stdout
    assert "the file has" in done.stdout
    assert "tables/claims.parquet" not in done.stdout


def test_files_that_were_changed_removed_or_added(made):
    folder = made.folder / "results"
    picture, page, extra = (
        folder / name for name in ("figures/fig3.svg", "tables/claims.html", "tables/extra.csv")
    )
    part = folder / "panels/.fig3a.parquet.abc.part"
    before = {path: path.read_bytes() for path in (picture, page)}
    try:
        picture.write_bytes(b"<svg/>")
        page.unlink()
        extra.write_text("mine")
        part.write_text("half")
        done = verify(made, "--sample", "0")
    finally:
        for path, content in before.items():
            path.write_bytes(content)
        extra.unlink()
        part.unlink()
    assert "figures/fig3.svg: other bytes than manifest.json lists" in done.stdout
    assert "tables/claims.html: missing" in done.stdout
    assert "tables/extra.csv: not listed in manifest.json" in done.stdout
    assert "panels/.fig3a.parquet.abc.part: left by a killed job, or being written" in done.stdout
    assert "4 files are not current" in done.stdout


def test_counts_that_somebody_changed(made):
    path = made.folder / "results/panels/fig7b.parquet"
    before = path.read_bytes()
    table = pq.ParquetFile(path).read()
    try:
        wrong = pa.array([3] * len(table), pa.int64())
        column = table.schema.get_field_index("f_lin_d0_zero")
        pq.write_table(table.set_column(column, "f_lin_d0_zero", wrong), path)
        done = verify(made, "--sample", "100")
    finally:
        path.write_bytes(before)
    assert done.returncode == 1
    assert "fig7b, d=3: counted" in done.stdout
    assert "panels/fig7b.parquet" not in done.stdout


def test_what_cannot_be_verified(made, tmp_path):
    done = verify(made, "trials=x")
    assert "--config trials: 'x' is not allowed" in done.stdout
    path = made.folder / "results/exact/fig3a.parquet"
    before = path.read_bytes()
    try:
        path.write_bytes(b"PAR1")
        done = verify(made, "--sample", "0")
    finally:
        path.write_bytes(before)
    assert "exact/fig3a.parquet: no parquet file that can be read" in done.stdout
    assert "Traceback" not in done.stdout
