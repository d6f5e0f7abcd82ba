"""`verify` says of every file whether it is that of this code and config."""

import random

import pyarrow as pa
import pytest
from damage import assert_no_job_reads_damage, assert_verify_sees_damage, flipped, one_bit_changed

from attention_separation.config import load_config
from attention_separation.results.tables import read_table, write_parquet

pytestmark = pytest.mark.whole_run


def verify(project, *arguments):
    return project.run_command("verify", "results", *arguments)


def test_all_is_current_after_a_run(made_once):
    done = verify(made_once, "--sample", "4")
    assert done.returncode == 0, done.stdout
    # The manifest lists the others and not itself.
    assert f"{len(made_once.files()) - 1:5} current" in done.stdout
    assert done.stdout.count("the same") == 4


def test_another_config(made_once):
    done = verify(made_once, "seed=8", "--sample", "0")
    assert done.returncode == 1
    assert "panels/fig3a.parquet: of other settings" in done.stdout
    assert "figures/fig3.svg: of other settings" in done.stdout
    assert "exact/fig3a.parquet" not in done.stdout


def test_other_code(made):
    made.edit("src/attention_separation/statistics/seeding.py", "\\x1f", "\\x1e")
    done = verify(made, "--sample", "3")
    assert "panels/fig7b.parquet: of other code" in done.stdout
    assert "the file has" in done.stdout
    assert "tables/claims.parquet" not in done.stdout


def test_files_that_were_changed_removed_or_added(made):
    folder = made.folder / "results"
    picture, page, extra = (
        folder / name for name in ("figures/fig3.svg", "tables/claims.html", "tables/extra.csv")
    )
    part = folder / "panels/.fig3a.parquet.abc.part"
    picture.write_bytes(b"<svg/>")
    page.unlink()
    extra.write_text("mine")
    part.write_text("half")
    done = verify(made, "--sample", "0")
    assert "figures/fig3.svg: other bytes than manifest.json lists" in done.stdout
    assert "tables/claims.html: missing" in done.stdout
    assert "tables/extra.csv: not listed in manifest.json" in done.stdout
    assert "panels/.fig3a.parquet.abc.part: left by a killed job, or being written" in done.stdout
    assert "4 files are not current" in done.stdout


def test_counts_that_another_run_would_not_have(made):
    path = made.folder / "results/panels/fig7b.parquet"
    table = read_table(path)
    wrong = pa.array([3] * len(table), pa.int64())
    column = table.schema.get_field_index("f_lin_d0_zero")
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    write_parquet(table.set_column(column, "f_lin_d0_zero", wrong), path, metadata)
    done = verify(made, "--sample", "100")
    assert done.returncode == 1
    assert "fig7b, d=3: counted" in done.stdout
    assert "panels/fig7b.parquet" not in done.stdout


def test_one_changed_bit_is_seen_in_every_kind_of_file(made):
    studies = load_config(made.folder / "config.yaml").studies()
    assert_verify_sees_damage(studies, studies["softmax_vs_linear"], made.folder, flips=30)


def test_verify_names_a_damaged_table_and_computes_nothing_of_it_again(made):
    path = made.folder / "results/exact/fig7b.parquet"
    with one_bit_changed(path, random.Random(0)):
        done = verify(made, "--sample", "1000")
    assert done.returncode == 1
    assert "\nexact/fig7b.parquet: damaged" in done.stdout
    assert "fig7b, " not in done.stdout
    assert "computed again: fig4b, " in done.stdout
    assert "verify: 1 files are not current, 0 points differ" in done.stdout


def test_nothing_is_drawn_or_judged_from_a_damaged_table(made, monkeypatch):
    study = load_config(made.folder / "config.yaml").studies()["softmax_vs_linear"]
    assert assert_no_job_reads_damage(study, made.folder, monkeypatch) > 10


def test_a_damaged_table_is_made_again_once_it_is_removed(made):
    whole = made.files()
    path = made.folder / "results/exact/fig4b.parquet"
    path.write_bytes(flipped(path.read_bytes(), 4000))
    (made.folder / "results/figures/fig4.svg").unlink()
    done = made.run("fig4")
    assert done.returncode != 0
    assert "results/exact/fig4b.parquet: damaged" in done.stdout
    assert "Traceback" not in done.stdout
    path.unlink()
    made.make()
    assert made.files() == whole


def test_a_damaged_manifest_is_named(made):
    (made.folder / "results/manifest.json").write_text("half")
    done = verify(made, "--sample", "0")
    assert done.returncode == 1
    assert "\nmanifest.json: damaged" in done.stdout
    assert "Traceback" not in done.stdout


def test_what_cannot_be_verified(made):
    done = verify(made, "trials=x")
    assert "--config trials: 'x' is not allowed" in done.stdout
    (made.folder / "results/exact/fig3a.parquet").write_bytes(b"PAR1")
    done = verify(made, "--sample", "0")
    assert "exact/fig3a.parquet: no parquet file that can be read" in done.stdout
    assert "Traceback" not in done.stdout
