"""Tables of other settings or code, and damaged or missing ones, are made again by the next run
that is asked for them, whatever Snakemake remembers of them."""

import os
import re
import shutil

import pyarrow.parquet as pq
import pytest
from damage import flipped
from project import planned

from attention_separation.results.tables import TableError, read_table

OTHER = ("--config", "trials=7", "seed=9")
PANEL = "results/panels/fig7b.parquet"
EXACT = "results/exact/fig7b.parquet"
FIGURE = "results/figures/fig7.parquet"
SEEDING = "src/attention_separation/statistics/seeding.py"
NOTHING = "Nothing to be done"


def trials(project, path=PANEL):
    """The numbers of trials in a table."""
    return {*pq.read_table(project.folder / path)["trials"].to_pylist()}


def plan(project, *arguments):
    return project.make("fig7", "--dry-run", "--quiet", "host", "reason", *arguments)


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
    return [path for path in project.files() if "figures/fig7" in path]


@pytest.mark.parametrize(
    ("forget", "options"),
    [
        (forget_by_removal, ()),
        (forget_by_command, ()),
        (forget_in_a_copy, ()),
        (keep, ("--rerun-triggers", "mtime")),
    ],
)
def test_old_numbers_under_new_settings_would_be_made_again(made, forget, options):
    forget(made)
    said = plan(made, *options, *OTHER)
    assert f"of other settings, so made again: {FIGURE}," in said
    assert planned(said) == {"simulate_fig7b", "fig7"}


def test_they_are_made_again_beside_what_was_made_for_another_target(made):
    forget_by_removal(made)
    made.make("fig7b", *OTHER)
    assert trials(made, "results/figures/fig7b.parquet") == {7}
    assert trials(made, FIGURE) == {20}
    assert "simulate_fig7b" not in made.make("fig7", *OTHER)
    assert trials(made, FIGURE) == {7}
    assert NOTHING in made.make("fig7", *OTHER)


def test_another_code_is_noticed_by_the_table_itself(made):
    forget_by_removal(made)
    made.add_line(SEEDING)
    said = plan(made)
    assert f"of other code, so made again: {PANEL}\n" in said
    assert planned(said) == {"simulate_fig7b", "fig7"}


def test_nothing_is_made_again_of_current_tables_that_snakemake_has_forgotten(made):
    before = made.files()
    forget_by_removal(made)
    assert NOTHING in made.make("fig7")
    assert made.files() == before


def test_a_page_without_a_table_is_made_again_where_nothing_tells_what_it_is_of(made):
    """Its job takes a second or two; all other files say it themselves."""
    forget_in_a_copy(made)
    assert made.would_run() == {"check", "index"}


def test_a_touch_says_that_another_code_gives_the_same(made):
    made.add_line(SEEDING)
    made.make("fig7", "--touch")
    assert NOTHING in made.make("fig7")


def test_a_touch_is_not_in_the_way_and_hides_no_other_settings(made):
    made.make("fig7", "--touch", *OTHER)
    assert trials(made) == {20}
    assert planned(plan(made, *OTHER)) == {"simulate_fig7b", "fig7"}


def damage(path):
    """One bit is another; the time is the old one: Snakemake sees no change."""
    before = path.stat()
    path.write_bytes(flipped(path.read_bytes(), 4000))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_damaged_and_missing_tables_come_back_by_the_same_command(made):
    whole = made.files()
    paths = (PANEL, EXACT, FIGURE)
    for path in paths:
        damage(made.folder / path)
        with pytest.raises(TableError):
            read_table(made.folder / path)
    said = plan(made)
    named = re.findall(
        r"^damaged, .* bytes are not those written, so made again: (.*)$", said, re.M
    )
    assert {*", ".join(named).split(", ")} == {*paths}
    assert planned(said) == {"simulate_fig7b", "exact_fig7", "fig7"}
    (made.folder / EXACT).unlink()
    made.make("fig7")
    assert made.files() == whole
