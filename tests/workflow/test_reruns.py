"""What a change makes snakemake run again: what depends on it, and nothing else."""

import pytest

pytestmark = pytest.mark.whole_run

SRC = "src/attention_separation"
PAPER = f"{SRC}/softmax_vs_linear"
PANELS = ("fig3a", "fig4a", "fig4b", "fig7b")
FIGURES = {"fig3", "fig4", "fig7"}
SIMULATED = {f"simulate_{name}" for name in PANELS}
EXACT = {f"exact_{name}" for name in FIGURES}
JUDGED = {"verdicts", "check"}
AFTER_EXACT = {"whp", "choices"}
KERNELS = {
    "kernels_values", "kernels_splits", "kernels_laws", "kernels_simulated", "kernels_accuracy"
}  # fmt: skip
EVERYTHING = (
    SIMULATED | EXACT | FIGURES | JUDGED | AFTER_EXACT
    | {"claims", "threshold", "theta", "phase"} | KERNELS
)  # fmt: skip
OF_FIGURE_7 = {"simulate_fig7b", "exact_fig7", "fig7"}

CHANGES = {
    "a panel's trials": (
        "config.yaml", "        fig3a", None, {"simulate_fig3a", "fig3"} | JUDGED,
    ),
    "a default of one model": (
        "config.yaml", "theta: 0.9\n", "theta: 0.8\n",
        OF_FIGURE_7 | JUDGED | AFTER_EXACT | {"threshold", "theta"},
    ),
    "what is reconstructed": (
        "config.yaml", "      reconstructed:\n      - m\n", "      reconstructed:\n      - n\n",
        {"fig3", "choices", "threshold", "whp"} | JUDGED,
    ),
    "a title": ("config.yaml", "title: Four", "title: Fore", {"fig4", "theta"}),
    "the level of the verdicts": ("config.yaml", "level: 0.001", "level: 0.002", JUDGED),
    "where the claims are evaluated": ("config.yaml", "tau: 0.24", "tau: 0.23", {"claims"}),
    "a map": ("config.yaml", "n: 40", "n: 80", {"phase"}),
    "one model's definitions": (
        f"{PAPER}/models/regression.py", "return np.exp(z)", "return np.exp(z) * 1.0",
        EVERYTHING - KERNELS,
    ),
    "one attention model": (
        f"{SRC}/datasets/cross_attention.py", "a1[:, 0] = 0.0", "a1[:, 0] = 0",
        EVERYTHING,
    ),
    "the other attention model": (
        f"{SRC}/datasets/self_attention.py", "out[j3, 0] = a * s", "out[j3, 0] = s * a",
        EVERYTHING,
    ),
    "what both attention models use": (
        f"{PAPER}/models/model.py", "LARGEST_A0 = 0.1", "LARGEST_A0 = 0.2",
        EVERYTHING - KERNELS,
    ),
    "what both datasets use": (
        f"{SRC}/datasets/dataset.py", "if n < 2:", "if 2 > n:",
        EVERYTHING,
    ),
    "a kernel": (
        f"{SRC}/attention/kernel.py", "self.name}: a row of", "self.name}: one row of",
        EVERYTHING,
    ),
    "the distinct rows": (
        f"{SRC}/attention/distinct_rows.py", "ALIKE = 1e-9", "ALIKE = 1e-8",
        EVERYTHING,
    ),
    "the scores of sign columns": (
        f"{SRC}/attention/sign_columns.py", "unmarked = classes - 1", "unmarked = -1 + classes",
        EVERYTHING,
    ),
    "exact values of attention": (
        f"{PAPER}/exact/attention_probabilities.py", "fires, none =", "none, fires =",
        EXACT | FIGURES | {"phase"} | JUDGED | AFTER_EXACT,
    ),
    "the engine of attention": (
        f"{PAPER}/simulation/attention_trials.py", "COLUMNS = 40_000", "COLUMNS = 30_000",
        SIMULATED | FIGURES | JUDGED,
    ),
    "the engine of regression": (
        f"{PAPER}/simulation/regression_trials.py", "SINGLE_TERMS = 4096", "SINGLE_TERMS = 4095",
        SIMULATED | FIGURES | JUDGED,
    ),
    "reference values of regression": (
        f"{PAPER}/exact/regression_probabilities.py", "FEWEST = 12", "FEWEST = 13",
        EXACT | FIGURES | {"threshold", "theta", "phase"} | JUDGED | AFTER_EXACT,
    ),
    "the seeding": (
        f"{SRC}/statistics/seeding.py", "\\x1f", "\\x1e",
        SIMULATED | FIGURES | JUDGED | {"kernels_simulated"},
    ),
    "the drawing": (
        f"{SRC}/pages/house_style.py", '"font.size": 9', '"font.size": 10',
        FIGURES | {"choices", "threshold", "theta", "phase", "kernels_accuracy"},
    ),
    "the judge": (f"{SRC}/statistics/verdict.py", "10**15", "10**14", JUDGED),
    "a claim": (
        f"{PAPER}/claims/evaluation.py", "return rows", "return [*rows]", {"claims"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_reruns_what_depends_on_it(made, change):
    path, old, new, expected = CHANGES[change]
    if new is None:
        file = made.folder / path
        file.write_text(file.read_text().replace("trials: 20", "trials: 21", 1))
    else:
        made.edit(path, old, new)
    assert made.would_run() == expected


WITHOUT_EFFECT = {
    "an unused scale": ("config.yaml", "points: 5", "points: 6"),
    "the command line": (f"{SRC}/__main__.py", "return 0", "return int(0)"),
    "a comment": (f"{SRC}/attention/sign_columns.py", '"""In', '# Why.\n"""In'),
    "a docstring": (f"{SRC}/datasets/self_attention.py", "Self-attention: the", "The"),
}


def test_changes_on_which_no_result_depends_rerun_nothing(made):
    for edit in WITHOUT_EFFECT.values():
        made.edit(*edit)
    assert made.would_run() == set()


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("trials=21", SIMULATED | FIGURES | JUDGED),
        ("seed=8", SIMULATED | FIGURES | JUDGED | {"kernels_simulated"}),
        ("trials=20", set()),
        ("engine=dense", SIMULATED | FIGURES | JUDGED),
        ("panels={fig7b: {trials: 4}}", {"simulate_fig7b", "fig7"} | JUDGED),
        (
            "panels={fig7b: {contest: {fires: exp, silent: [power_2]}}}",
            OF_FIGURE_7 | JUDGED | AFTER_EXACT | {"threshold", "theta"},
        ),
    ],
)
def test_an_override_reaches_what_it_touches(made, override, expected):
    assert made.would_run("--config", override) == expected


def test_nothing_to_do_and_files_untouched(made):
    before = {path: (made.folder / path).stat().st_mtime_ns for path in made.files()}
    assert "Nothing to be done" in made.make()
    assert before == {path: (made.folder / path).stat().st_mtime_ns for path in made.files()}


def test_a_users_own_kernel_reruns_what_shows_it(made):
    """A formula, or the module of a function, beside the jobs that show no own kernels."""
    (made.folder / "my_kernels.py").write_text("def square(x):\n    return x**2\n")
    own = "{mine: {score: 1 + x**3}, theirs: {python: my_kernels.square}}"
    made.edit("config.yaml", "  kernels: {}", f"  kernels: {own}")
    shows = {"kernels_values", "kernels_splits", "kernels_laws", "kernels_accuracy"}
    assert made.would_run() == shows
    made.make(*shows)
    assert made.would_run() == set()
    formula, function = ("config.yaml", "x**3", "x**4"), ("my_kernels.py", "x**2", "x**6")
    for path, old, new in (formula, function):
        made.edit(path, old, new)
        assert made.would_run() == shows
        made.edit(path, new, old)
    made.edit("my_kernels.py", "x**2", "x**2 - 99")
    refused = made.run()
    assert refused.returncode != 0
    assert "any_attention.kernels.theirs: self-attention, X = I, n = 20: a row" in refused.stdout
