"""`verify` says of every file whether it is that of this code and config."""

import os
import random
import shutil
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from damage import assert_no_job_reads_damage, assert_verify_sees_damage, flipped, one_bit_changed
from few import few
from project import said_by

from attention_separation.config import load_config
from attention_separation.results.tables import metadata_of, read_table, write_parquet

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
    metadata = metadata_of(table.schema)
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


def healed(project, *overrides):
    """Do what `verify` says makes all current, until nothing is wrong: once must do."""
    said = verify(project, *overrides, "--sample", "0").stdout
    commands = said.partition("these commands, in this folder, make all current:\n")[2]
    lines = [line for line in commands.splitlines() if line.startswith(("rm ", "snakemake"))]
    assert lines, said
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    shell = ["bash", "-ec", "\n".join(lines)]
    done = said_by(shell, project.folder, PATH=path, PYTHONPATH="")
    assert done.returncode == 0, done.stdout
    again = verify(project, *overrides, "--sample", "0")
    assert again.returncode == 0, again.stdout
    return lines


def damage(path):
    """One bit in the middle, and the time that Snakemake compares as before."""
    before = path.stat()
    path.write_bytes(flipped(path.read_bytes(), 4 * before.st_size))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


KINDS = (
    "panels/fig4a.parquet", "exact/fig4a.parquet", "figures/fig4.parquet", "figures/fig4.csv",
    "figures/fig4.svg", "figures/fig4.png", "figures/fig4.pdf", "tables/claims.parquet",
    "tables/claims.csv", "tables/claims.html", "figures/threshold.svg", "checks/check.txt",
    "index.html", "manifest.json",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_what_verify_says_heals_damage(made, kind):
    whole = made.files()
    damage(made.folder / "results" / kind)
    *removed, run = healed(made)
    assert run == "snakemake"
    # A manifest of which one bit is another may still be one: of a file with other bytes.
    assert kind == "manifest.json" or any(f"results/{kind}" in line for line in removed)
    assert made.files() == whole


@few(4, "kind", KINDS)
def test_what_verify_says_brings_back_what_is_missing(made, kind):
    whole = made.files()
    (made.folder / "results" / kind).unlink()
    lines = healed(made)
    assert lines[-1] == "snakemake"
    # Nothing is then compared with what a manifest has of it, so pictures are made again.
    assert (len(lines) == 1) == (kind != "manifest.json")
    assert made.files() == whole


def test_a_folder_of_tables_that_is_gone_comes_back(made):
    whole = made.files()
    for folder in ("panels", "exact"):
        shutil.rmtree(made.folder / "results" / folder)
    assert healed(made) == ["snakemake"]
    assert made.files() == whole


def test_what_verify_says_heals_what_no_run_makes_and_other_settings(made):
    made.make("fig4a")
    whole = made.files()
    damage(made.folder / "results/figures/fig4a.svg")
    (made.folder / "results/tables/extra.csv").write_text("mine")
    (made.folder / "results/panels/.fig3a.parquet.abc.part").write_text("half")
    shutil.copy(
        made.folder / "results/panels/fig4a.parquet", made.folder / "results/panels/x.parquet"
    )
    removed, run = healed(made, "trials=7")
    assert run == "snakemake --config trials=7"
    assert removed.endswith("# made by no whole run")
    healed(made)
    alone = {path for path in whole if "/fig4a" in path and "figures" in path}
    assert made.files() == {path: whole[path] for path in whole.keys() - alone}


def test_a_table_of_the_same_job_in_the_place_of_another_is_seen_and_made_again(made):
    whole = made.files()
    figures = made.folder / "results/figures"
    shutil.copy(figures / "fig4_lines.parquet", figures / "fig4.parquet")
    said = verify(made, "--sample", "0").stdout
    assert "\nfigures/fig4.parquet: written as fig4_lines; run again\n" in said
    assert healed(made) == ["snakemake"]
    assert made.files() == whole


def test_settings_of_another_folder_are_asked_for(made):
    said = verify(made, "scale=smoke", "--sample", "0").stdout
    assert "with these settings a run writes to results/smoke: say those of results" in said
    assert "snakemake" not in said


def test_after_one_figure_alone_verify_says_that_nothing_is_compared(small):
    """Of a damaged picture and of a whole one; both are made again."""
    small.make("fig7")
    damage(small.folder / "results/figures/fig7.svg")
    said = verify(small, "--sample", "0").stdout
    assert "\nmanifest.json: missing; run again\n" in said
    for suffix in ("svg", "png"):
        line = f"\nfigures/fig7.{suffix}: compared with nothing, for want of manifest.json; remove "
        assert line in said
    assert "not listed" not in said


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
