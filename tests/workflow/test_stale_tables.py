"""Tables of other settings or code, and damaged or missing ones, are made again by the next run
that is asked for them, whatever Snakemake remembers of them."""

import os
import shutil

import pyarrow.parquet as pq
import pytest
from damage import flipped
from project import small_project

from attention_separation.results.tables import TableError, read_table

pytestmark = pytest.mark.whole_run

OTHER = ("--config", "trials=7", "seed=9")
PANEL = "results/panels/fig7b.parquet"
EXACT = "results/exact/fig7b.parquet"
FIGURE = "results/figures/fig7.parquet"
NOTHING = "Nothing to be done"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """The small project with Figure 7 alone; only to be read."""
    project = small_project(tmp_path_factory.mktemp("drawn"))
    project.make("fig7")
    return project


@pytest.fixture
def fig7(drawn, tmp_path):
    """A copy of it."""
    return drawn.copy(tmp_path)


def trials(project, path=PANEL):
    """The numbers of trials in a table."""
    return {*pq.read_table(project.folder / path)["trials"].to_pylist()}


def forget_by_removal(project):
    shutil.rmtree(project.folder / ".snakemake")


def forget_by_command(project):
    project.make("--cleanup-metadata", PANEL, EXACT, *figure_files(project))


def forget_in_a_copy(project):
    """Results alone, all of the time of the copy."""
    forget_by_removal(project)
    for path in project.files():
        os.utime(project.folder / path, (0, 0))


def keep(project):
    """What Snakemake remembers stays, and is not asked."""


def figure_files(project):
    return [path for path in project.files() if path.startswith("results/figures/")]


@pytest.mark.parametrize(
    ("forget", "options"),
    [
        (forget_by_removal, ()),
        (forget_by_command, ()),
        (forget_in_a_copy, ()),
        (keep, ("--rerun-triggers", "mtime")),
    ],
)
def test_old_numbers_under_new_settings_are_made_again(fig7, forget, options):
    forget(fig7)
    planned = fig7.make("fig7", "--dry-run", *options, *OTHER)
    assert f"of other settings, so made again: {FIGURE}," in planned
    assert trials(fig7) == {20}
    said = fig7.make("fig7", *options, *OTHER)
    assert PANEL in said
    assert trials(fig7) == trials(fig7, FIGURE) == {7}
    assert NOTHING in fig7.make("fig7", *options, *OTHER)


def test_what_was_made_for_another_target_is_compared_too(fig7):
    """A figure that is new beside a panel that is old."""
    forget_by_removal(fig7)
    fig7.make("fig7b", *OTHER)
    assert trials(fig7, "results/figures/fig7b.parquet") == {7}
    assert trials(fig7, FIGURE) == {20}
    assert fig7.would_run("fig7", *OTHER) == {"fig7"}


def test_another_code_is_noticed_by_the_table_itself(fig7):
    forget_by_removal(fig7)
    fig7.edit("src/attention_separation/statistics/seeding.py", "\\x1f", "\\x1e")
    said = fig7.make("fig7", "--dry-run", "--quiet", "host", "reason")
    assert f"of other code, so made again: {PANEL}\n" in said
    assert fig7.would_run("fig7") == {"simulate_fig7b", "fig7"}


def test_nothing_is_made_again_of_current_tables_that_snakemake_has_forgotten(fig7):
    before = fig7.files()
    forget_by_removal(fig7)
    assert NOTHING in fig7.make("fig7")
    assert fig7.files() == before


def test_a_touch_says_that_another_code_gives_the_same(fig7):
    fig7.edit("src/attention_separation/statistics/seeding.py", "\\x1f", "\\x1e")
    fig7.make("fig7", "--touch")
    assert NOTHING in fig7.make("fig7")


def test_a_touch_is_not_in_the_way_and_hides_no_other_settings(fig7):
    fig7.make("fig7", "--touch", *OTHER)
    assert trials(fig7) == {20}
    fig7.make("fig7", "--forcerun", "exact_fig7", *OTHER)
    assert trials(fig7) == {7}


def test_a_job_that_runs_a_snakemake_of_its_own_is_not_held_up(fig7):
    """As a cluster's nodes do."""
    forget_by_removal(fig7)
    submit = ("--executor", "cluster-generic", "--cluster-generic-submit-cmd", "sh")
    words = ("--jobs", "1", "--default-resources", "--latency-wait", "5")
    fig7.make("fig7", *submit, *words, "--config", "trials=7", "jobs={local_below: 0}")
    assert trials(fig7) == trials(fig7, FIGURE) == {7}


@pytest.mark.parametrize("path", [PANEL, EXACT, FIGURE])
def test_a_damaged_or_missing_table_comes_back_by_the_same_command(fig7, path):
    """Whose time is the old one: Snakemake sees no change."""
    whole = fig7.files()
    table = fig7.folder / path
    before = table.stat()
    table.write_bytes(flipped(table.read_bytes(), 4000))
    os.utime(table, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(TableError):
        read_table(table)
    said = fig7.make("fig7")
    assert f"damaged, for its bytes are not those written, so made again: {path}" in said
    assert fig7.files() == whole
    table.unlink()
    fig7.make("fig7")
    assert fig7.files() == whole


@pytest.mark.parametrize("forget", [forget_by_removal, forget_in_a_copy])
def test_a_page_without_a_table_is_made_again_where_nothing_tells_what_it_is_of(made, forget):
    """Its job takes a second or two; all other files say it themselves."""
    whole = made.files()
    made.make("verdicts", "lemmas", "open_choices", *OTHER)
    forget(made)
    made.make(*OTHER)
    page = (made.folder / "results/index.html").read_bytes()
    assert page != whole["results/index.html"]
    assert NOTHING in made.make(*OTHER)
    forget(made)
    assert made.would_run(*OTHER) == {"check", "index"}
    made.make(*OTHER)
    assert (made.folder / "results/index.html").read_bytes() == page
    said = made.run_command("verify", "results", *OTHER[1:], "--sample", "0")
    assert said.returncode == 0, said.stdout
