"""What a change makes run again: what depends on it, and nothing else. Tables of other settings or
code, and damaged or missing ones, are made again by the next run that is asked for them, whatever
Snakemake remembers of them."""

import os
import re
import shlex
import shutil
import tempfile
from functools import cache
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from damage import flip_unseen, write_unseen
from making import ROOT, settings_text
from project import planned, small_config
from rank_cells import SMOKE

from attention_separation.__main__ import main
from attention_separation.config import load_config, overrides_of
from attention_separation.results import provenance

STUDIES = "studies/softmax_vs_linear"
PANELS = ("fig3a", "fig4a", "fig4b", "fig7b")
FIGURES = {"fig3", "fig4", "fig7"}
SIMULATED = {f"simulate_{name}" for name in PANELS}
EXACT = {f"exact_{name}" for name in FIGURES}
JUDGED = {"verdicts", "check"}
AFTER_EXACT = {"whp", "choices"}
KERNELS = {
    "kernels_values", "kernels_splits", "kernels_laws", "kernels_sharpness", "kernels_simulated",
    "kernels_accuracy",
}  # fmt: skip
OF_PAPER = (
    SIMULATED | EXACT | FIGURES | JUDGED | AFTER_EXACT | {"claims", "threshold", "theta", "phase"}
)
EVERYTHING = OF_PAPER | KERNELS
"""All but the page that shows them, which reads all of the first paper's."""

OF_FIGURE_7 = {"simulate_fig7b", "exact_fig7", "fig7"}
AFTER_EXACT_VALUES = (
    EXACT | FIGURES | {"threshold", "theta", "phase"} | JUDGED | AFTER_EXACT
)  # fmt: skip

SETTINGS = {
    "trials=21": SIMULATED | FIGURES | JUDGED,
    "trials=20": set(),
    "seed=8": SIMULATED | FIGURES | JUDGED | {"choices", "kernels_simulated"},
    "engine=dense": SIMULATED | FIGURES | JUDGED,
    "panels={fig7b: {trials: 4}}": {"simulate_fig7b", "fig7"} | JUDGED,
    "panels={fig7b: {contest: {fires: exp, silent: [power_2]}}}": (
        OF_FIGURE_7 | JUDGED | AFTER_EXACT | {"threshold", "theta"}
    ),
    "models={cross_attention: {theta: 0.8}}": (
        OF_FIGURE_7 | JUDGED | AFTER_EXACT | {"threshold", "theta"}
    ),
    "panels={fig3a: {reconstructed: [n]}}": {"fig3", "choices", "threshold", "whp"} | JUDGED,
    "figures={fig4: {title: Fore}}": {"fig4", "theta"},
    "verdicts={level: 0.002}": JUDGED,
    "lemmas={tau: 0.23}": {"claims"},
    "open_choices={phase: {small: {fixed: {n: 80}}}}": {"phase"},
    "open_choices={phase: {small: {contest: {fires: exp, silent: []}}}}": {"phase"},
    "scales={smoke: {points: 6}}": set(),
}
MODULES = {
    f"{STUDIES}/models/regression": OF_PAPER,
    f"{STUDIES}/models/model": OF_PAPER,
    "datasets/cross_attention": EVERYTHING,
    "datasets/self_attention": EVERYTHING,
    "datasets/dataset": EVERYTHING,
    "attention/kernel": EVERYTHING,
    "attention/distinct_rows": EVERYTHING,
    "attention/sign_columns": EVERYTHING,
    f"{STUDIES}/exact/attention_probabilities": AFTER_EXACT_VALUES,
    f"{STUDIES}/exact/regression_probabilities": AFTER_EXACT_VALUES,
    f"{STUDIES}/simulation/attention_trials": SIMULATED | FIGURES | JUDGED | {"choices"},
    f"{STUDIES}/simulation/rare_columns": SIMULATED | FIGURES | JUDGED,
    "statistics/seeding": SIMULATED | FIGURES | JUDGED | {"choices", "kernels_simulated"},
    "pages/house_style": (
        FIGURES | {"choices", "threshold", "theta", "phase", "kernels_accuracy"}
    ),
    "statistics/panel_agreement": JUDGED,
    "studies/lemmas/claims_table": {"claims"},
    "__main__": set(),
}  # fmt: skip

RANK = "studies/head_rank"
SETTINGS_OF_RANK = {
    "head_rank={scale: smoke, scales: {smoke: {vote: {draws: 90}}}}": {
        "rank_vote_numbers", "rank_vote", "rank_claims",
    },
    "head_rank={scale: smoke, scales: {smoke: {theory: {found: {draws: 60}}}}}": {
        "rank_found", "rank_theory", "rank_claims",
    },
    "head_rank={scale: smoke, margin: 0.04}": {"rank_claims"},
    "head_rank={scale: smoke, gigaflops: 11}": set(),
}  # fmt: skip
MODULES_OF_RANK = {
    # The bound is drawn beside random heads.
    "rank_bound/bound": {
        "rank_bound", "rank_found", "rank_layers", "rank_theory", "rank_claims",
        "rank_random_features", "rank_temperature", "rank_vote",
    },
    # One module draws all constructions.
    f"{RANK}/constructions/temperature": {
        "rank_temperature_numbers", "rank_temperature", "rank_claims", "rank_vote",
        "rank_random_features",
    },
}  # fmt: skip

NEEDLE = "studies/needle"
LINES = "needle={scale: smoke, scales: {smoke: {training: null}}}"
OF_LINES = {"needle_exact", "needle_claims", "needle_accuracy", "needle_critical", "needle_sink"}
SETTINGS_OF_LINES = {
    "needle={scale: smoke, scales: {smoke: {training: null, exact: {sizes: [8, 64]}}}}": OF_LINES,
    "needle={scale: smoke, scales: {smoke: {training: null}}, another_x: {weight: 2}}": {
        "needle_claims"
    },
}
MODULES_OF_LINES = {
    f"{NEEDLE}/claims/claims_table": {"needle_claims"},
    "needle/kernel_limits": OF_LINES,
    f"{NEEDLE}/figures": {"needle_accuracy", "needle_critical", "needle_sink"},
    f"{NEEDLE}/study": set(),
    # The other study of the same X.
    "studies/any_attention/laws/margins": set(),
}

OF_NEEDLE = {"needle_accuracy", "needle_critical", "needle_features", "needle_paper_network"}
SETTINGS_OF_NEEDLE = {
    "needle={scale: smoke, scales: {smoke: {training: {grids: {query_learned: {steps: 59}}}}}}": (
        OF_NEEDLE
        | {"needle_cell_query_learned_mu5_n32_exp", "needle_cells", "needle_claims"}
    ),
}  # fmt: skip
MODULES_OF_NEEDLE = {
    f"{NEEDLE}/claims/trained_claims": {"needle_claims"},
    f"{NEEDLE}/figures": OF_NEEDLE | {"needle_sink"},
}

AFTER_CELLS = {"recall_tables", "recall_claims", "recall_accuracy", "recall_age", "recall_state"}
RECALL_CELLS = {
    f"recall_cell_{name}"
    for name in ("linear", "exp_sqrt_d", "decay_linear", "sparsemax", "delta_1", "least_squares")
}
SETTINGS_OF_RECALL = {
    "recall={scale: smoke, scales: {smoke: {layers: {decay_linear: {decay: 0.9}}}}}": (
        AFTER_CELLS | {"recall_cell_decay_linear"}
    ),
}
MODULES_OF_RECALL = {
    "recall/simulation/reduced_delta": AFTER_CELLS | RECALL_CELLS,
    "studies/recall/claims/claims_table": {"recall_claims"},
    "studies/recall/figures": {"recall_accuracy", "recall_age", "recall_state"},
    "studies/recall/study": set(),
}

CHANGES = {
    ("", ""): (SETTINGS, MODULES),
    ("rank", SMOKE): (SETTINGS_OF_RANK, MODULES_OF_RANK),
    ("needle", LINES): (SETTINGS_OF_LINES, MODULES_OF_LINES),
    ("needle", "needle={scale: smoke}"): (SETTINGS_OF_NEEDLE, MODULES_OF_NEEDLE),
    ("recall", "recall={scale: smoke}"): (SETTINGS_OF_RECALL, MODULES_OF_RECALL),
}
"""By the prefix of a study's rules, and the override that gives it a small scale: what runs again
after another override, and after a change of a module."""

TRAINING = {
    f"{RANK}/training/transformer": "rank",
    "training/ensemble": "rank needle",
    "training/job": "rank needle",
    f"{NEEDLE}/training/weights": "needle",
}
"""Modules, each with the studies that train by it."""


def cases(place: int) -> list:
    return [
        (*study, change, expected)
        for study, changes in CHANGES.items()
        for change, expected in changes[place].items()
    ]


@cache
def jobs(prefix: str, *overrides: str) -> list:
    """The jobs that a configuration declares, each after those whose tables it reads, with the
    digests of its settings, and the files it reads and makes; the first paper is small, and other
    studies are the project's own."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(settings_text() if prefix else small_config())
        file.flush()
        given = overrides_of([each for each in overrides if each])
        studies = load_config(Path(file.name), given).studies()
    found = []
    for study in studies.values():
        for result in filter(lambda one: one.in_default_run, study.results.values()):
            settings = [result.settings_digest(output) for output in result.all_outputs()]
            reads, makes = (
                {f"{study.folder}/{output.path()}" for output in part}
                for part in (sum(result.inputs.values(), ()), result.all_outputs())
            )
            found.append((result, settings, reads, makes))
    return found


def codes(found: list) -> dict[str, str]:
    """The digest of the code of each job."""
    return {result.name: result.code for result, *_ in found}


def reruns(before: list, code: dict[str, str], after: list) -> set[str]:
    """Jobs whose digests are others, and those that read what such a job makes."""
    then = {result.name: settings for result, settings, *_ in before}
    names, made = set(), set()
    for result, settings, reads, makes in after:
        name = result.name
        if then.get(name) != settings or code.get(name) != result.code or made & reads:
            names.add(name)
            made |= makes
    return names


def change(monkeypatch, folder: Path, module: str) -> None:
    """Let digests see one more line in a module."""
    name = f"attention_separation.{module.replace('/', '.')}"
    text = (ROOT / f"src/attention_separation/{module}.py").read_text(encoding="utf-8")
    longer = folder / "longer.py"
    longer.write_text(f"{text}ADDED = 1\n", encoding="utf-8")
    source, parsed = provenance._source, provenance._digest_and_imports
    monkeypatch.setattr(provenance, "_source", lambda n: longer if n == name else source(n))
    monkeypatch.setattr(
        provenance,
        "_digest_and_imports",
        lambda n: parsed.__wrapped__(n) if n == name else parsed(n),
    )


def shown_too(expected: set[str]) -> set[str]:
    """These jobs, and that of the page that shows what they make."""
    return expected | {"index"} if expected & OF_PAPER else expected


def prefix_of(name: str) -> str:
    studies = ("rank_", "needle_", "recall_")
    return name.partition("_")[0] if name.startswith(studies) else ""


@pytest.mark.parametrize(("prefix", "small", "override", "expected"), cases(0))
def test_a_setting_reruns_what_depends_on_it(prefix, small, override, expected):
    before = jobs(prefix, small)
    found = reruns(before, codes(before), jobs(prefix, override))
    assert {name for name in found if prefix_of(name) == prefix} == shown_too(expected)


def test_a_setting_of_one_study_reruns_none_of_another():
    before = jobs("rank")
    found = reruns(before, codes(before), jobs("rank", "trials=900"))
    assert found
    assert {prefix_of(name) for name in found} == {""}


@pytest.mark.parametrize(("prefix", "small", "module", "expected"), cases(1))
def test_a_module_reruns_what_depends_on_it(prefix, small, module, expected, monkeypatch, tmp_path):
    before = jobs(prefix, small)
    code = codes(before)
    change(monkeypatch, tmp_path, module)
    found = reruns(before, code, before)
    assert {name for name in found if prefix_of(name) == prefix} == shown_too(expected)


@pytest.mark.parametrize("module", TRAINING)
def test_a_module_of_training_trains_every_cell_again(module, monkeypatch, tmp_path):
    before = jobs("rank", SMOKE, "needle={scale: smoke}")
    code = codes(before)
    change(monkeypatch, tmp_path, module)
    found = reruns(before, code, before)
    cells = {name for name in code if name.startswith(("rank_train_", "needle_cell_"))}
    assert {n for n in found if n in cells} == {
        n for n in cells if prefix_of(n) in TRAINING[module]
    }


def test_snakemake_reruns_the_same(made):
    """A setting and modules, one of them a user's; what is without effect stands first."""
    made.add_line("src/attention_separation/__main__.py")
    made.add_line("src/attention_separation/attention/sign_columns.py", "# Why.")
    assert made.would_run() == set()
    theta = "models={cross_attention: {theta: 0.8}}"
    made.add_line("src/attention_separation/pages/house_style.py")
    (made.folder / "my_kernels.py").write_text("def square(x):\n    return x**2\n")
    made.edit("config.yaml", "  kernels: {}", "  kernels: {mine: {python: my_kernels.square}}")
    show_own_kernels = {"kernels_values", "kernels_splits", "kernels_accuracy"}
    expected = shown_too(SETTINGS[theta] | MODULES["pages/house_style"]) | show_own_kernels
    assert made.would_run("--config", theta) == expected
    made.make("kernels_values")
    table = pq.read_table(made.folder / "results/tables/kernel_values.parquet")
    assert "mine" in table["kernel"].to_pylist()


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


def forget(project):
    shutil.rmtree(project.folder / ".snakemake")


def forget_by_command(project):
    figures = [path for path in project.files() if "figures/fig7" in path]
    project.make("--cleanup-metadata", PANEL, EXACT, *figures)


def forget_in_a_copy(project):
    """Results alone, all of the time of the copy."""
    forget(project)
    for path in project.files():
        os.utime(project.folder / path, (0, 0))


def keep(project):
    """What Snakemake remembers stays, and is not asked."""


@pytest.mark.parametrize(
    ("forget", "options"),
    [
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
    forget(made)
    made.make("simulate_fig7b", *OTHER)
    assert trials(made) == {7}
    assert trials(made, FIGURE) == {20}
    assert planned(plan(made, *OTHER)) == {"fig7"}


def test_of_tables_that_snakemake_has_forgotten_none_is_made_again_but_for_another_code(made):
    """The table itself says it; where a page has none, its job takes a second or two."""
    forget_in_a_copy(made)
    assert made.would_run() == {"check", "index"}
    made.add_line(SEEDING)
    said = plan(made)
    assert f"of other code, so made again: {PANEL}\n" in said
    assert planned(said) == {"simulate_fig7b", "fig7"}


def test_a_touch_says_that_another_code_gives_the_same_and_hides_no_other_settings(made):
    made.add_line(SEEDING)
    made.make("fig7", "--touch")
    assert planned(plan(made)) == set()
    made.make("fig7", "--touch", *OTHER)
    assert trials(made) == {20}
    assert planned(plan(made, *OTHER)) == {"simulate_fig7b", "fig7"}


def test_tables_that_are_not_what_they_should_be_come_back_by_the_same_command(
    made, monkeypatch, capsys
):
    """Another panel's, cut short, and with one bit changed. A job may meet one that was put there
    after its run had begun: it refuses it."""
    whole = made.files()
    write_unseen(made.folder / PANEL, whole["results/panels/fig4b.parquet"])
    monkeypatch.chdir(made.folder)
    log = Path("results/logs/fig7.log").read_text()
    (command,) = re.findall(r"^# .* -m attention_separation (job .*)", log, re.M)
    assert main(shlex.split(command)) == 1
    refusal = rf"{PANEL}: made with other settings than these.*; remove the file and run again"
    assert re.search(refusal, capsys.readouterr().err)
    write_unseen(made.folder / EXACT, whole[EXACT][:-100])
    flip_unseen(made.folder / FIGURE)
    said = made.make("fig7")
    again = dict(re.findall(r"^(.*), so made again: (\S+)$", said, re.M))
    assert {path: words.partition(",")[0] for words, path in again.items()} == {
        PANEL: "of other settings", EXACT: "no parquet file that can be read", FIGURE: "damaged",
    }  # fmt: skip
    assert made.files() == whole
    assert NOTHING in made.make("fig7")
