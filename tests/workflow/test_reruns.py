"""What a change makes run again: what depends on it, and nothing else."""

import tempfile
from functools import cache
from pathlib import Path

import pytest
from few import few
from making import ROOT, settings_text
from project import small_config
from rank_cells import SMOKE

from attention_separation.config import load_config, overrides_of
from attention_separation.results import provenance

SRC = "src/attention_separation"
PAPER = f"{SRC}/studies/softmax_vs_linear"
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
EVERYTHING = (
    SIMULATED | EXACT | FIGURES | JUDGED | AFTER_EXACT
    | {"claims", "threshold", "theta", "phase"} | KERNELS
)  # fmt: skip
"""All but the page that shows them, which reads all of the first paper's."""

OF_FIGURE_7 = {"simulate_fig7b", "exact_fig7", "fig7"}

CHANGES = {
    "a panel's trials": (
        "config.yaml", "trials: 20\n", "trials: 21\n", SIMULATED | FIGURES | JUDGED,
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
        f"{PAPER}/exact/attention_probabilities.py", "[1 - zero[:, 0]", "[-zero[:, 0] + 1",
        EXACT | FIGURES | {"threshold", "theta", "phase"} | JUDGED | AFTER_EXACT,
    ),
    "the engine of attention": (
        f"{PAPER}/simulation/attention_trials.py", "COLUMNS = 40_000", "COLUMNS = 30_000",
        SIMULATED | FIGURES | JUDGED | {"choices"},
    ),
    "the engine of regression": (
        f"{PAPER}/simulation/rare_columns.py", "NUMBERS = 300_000", "NUMBERS = 200_000",
        SIMULATED | FIGURES | JUDGED,
    ),
    "reference values of regression": (
        f"{PAPER}/exact/regression_probabilities.py", "FEWEST_TOKENS = 12", "FEWEST_TOKENS = 13",
        EXACT | FIGURES | {"threshold", "theta", "phase"} | JUDGED | AFTER_EXACT,
    ),
    "the seeding": (
        f"{SRC}/statistics/seeding.py", "\\x1f", "\\x1e",
        SIMULATED | FIGURES | JUDGED | {"choices", "kernels_simulated"},
    ),
    "the drawing": (
        f"{SRC}/pages/house_style.py", '"font.size": 9', '"font.size": 10',
        FIGURES | {"choices", "threshold", "theta", "phase", "kernels_accuracy"},
    ),
    "the judge": (f"{SRC}/statistics/panel_agreement.py", "10**15", "10**14", JUDGED),
    "a claim": (
        f"{SRC}/studies/lemmas/claims_table.py",
        "return columns", "return dict(columns)", {"claims"},
    ),
}  # fmt: skip


RANK = f"{SRC}/studies/head_rank"
OF_RANK = {
    "the draws of the vote": (
        "config.yaml", "vote: {draws: 100", "vote: {draws: 90",
        {"rank_vote_numbers", "rank_vote", "rank_claims"},
    ),
    "the draws of heads found": (
        "config.yaml", "draws: 50, most_heads: 16", "draws: 60, most_heads: 16",
        {"rank_found", "rank_theory", "rank_claims"},
    ),
    "the sum of the bound": (
        f"{SRC}/rank_bound/bound.py", "0.5 * (listed + beyond", "0.5 * (1.0 * listed + beyond",
        # The bound is drawn beside random heads.
        {"rank_bound", "rank_found", "rank_layers", "rank_theory", "rank_claims",
         "rank_random_features", "rank_temperature", "rank_vote"},
    ),
    "the margin of the claims": ("config.yaml", "margin: 0.03", "margin: 0.04", {"rank_claims"}),
    "what a cluster is asked for": ("config.yaml", "gigaflops: 10 ", "gigaflops: 11 ", set()),
    "the first paper's trials": ("config.yaml", "trials: 1000", "trials: 900", set()),
    "the law of temperatures": (
        f"{RANK}/constructions/temperature.py",
        "errors_at_c in zip(job.temperatures", "errors_at_c in zip([*job.temperatures]",
        # One module draws all constructions.
        {"rank_temperature_numbers", "rank_temperature", "rank_claims", "rank_vote",
         "rank_random_features"},
    ),
}  # fmt: skip

NEEDLE = f"{SRC}/studies/needle"
OF_LINES = {"needle_exact", "needle_claims", "needle_accuracy", "needle_critical", "needle_sink"}
OF_NEEDLE = {
    "a size of the lines": ("config.yaml", "sizes: [8, 32, 512]", "sizes: [8, 64]", OF_LINES),
    "another X": ("config.yaml", "weight: 1,", "weight: 2,", {"needle_claims"}),
    "the rule of a claim": (
        f"{NEEDLE}/claims/claims_table.py",
        "SLOPE_TOLERANCE = 0.05", "SLOPE_TOLERANCE = 0.06", {"needle_claims"},
    ),
    "a line": (
        f"{SRC}/needle/kernel_limits.py",
        "mu / (2 * math.sqrt(n))", "mu / 2 / math.sqrt(n)", OF_LINES,
    ),
    "a colour": (
        f"{NEEDLE}/figures.py", "BENEATH = 1.35", "BENEATH = 1.3",
        {"needle_accuracy", "needle_critical", "needle_sink"},
    ),
    "a sentence": (f"{NEEDLE}/study.py", "The same with noise", "Noise", set()),
    "the other study of the same X": (
        f"{SRC}/studies/any_attention/laws/margins.py", "WEIGHT_OF_ANOTHER_X = 1.0",
        "WEIGHT_OF_ANOTHER_X = 2.", set(),
    ),
}  # fmt: skip

TRAINED = {"needle_cells", "needle_claims", "needle_accuracy", "needle_critical",
           "needle_features", "needle_paper_network"}  # fmt: skip
OF_NEEDLE_TRAINED = {
    "a rate": (
        "config.yaml", "maps: [exp], batch: 32, steps: 60", "maps: [exp], batch: 32, steps: 59",
        TRAINED | {"needle_cell_query_learned_mu5_n32_exp"},
    ),
    "the rule of a claim on networks": (
        f"{NEEDLE}/claims/trained_claims.py",
        "MOST_LEAD_OF_SOFTMAX = 0.04", "MOST_LEAD_OF_SOFTMAX = 0.05",
        {"needle_claims"},
    ),
    "a label": (
        f"{NEEDLE}/figures.py", "held-out accuracy", "accuracy",
        TRAINED - {"needle_cells", "needle_claims"} | {"needle_sink"},
    ),
}  # fmt: skip

WITHOUT_EFFECT = {
    "an unused scale": ("config.yaml", "points: 5", "points: 6", set()),
    "the command line": (f"{SRC}/__main__.py", "return 0", "return int(0)", set()),
    "a comment": (f"{SRC}/attention/sign_columns.py", '"""In', '# Why.\n"""In', set()),
    "a docstring": (f"{SRC}/datasets/self_attention.py", "Self-attention: the", "The", set()),
}

OVERRIDES = {
    "trials=21": SIMULATED | FIGURES | JUDGED,
    "seed=8": SIMULATED | FIGURES | JUDGED | {"choices", "kernels_simulated"},
    "trials=20": set(),
    "engine=dense": SIMULATED | FIGURES | JUDGED,
    "panels={fig7b: {trials: 4}}": {"simulate_fig7b", "fig7"} | JUDGED,
    "panels={fig7b: {contest: {fires: exp, silent: [power_2]}}}": (
        OF_FIGURE_7 | JUDGED | AFTER_EXACT | {"threshold", "theta"}
    ),
}

RECALL = f"{SRC}/studies/recall"
AFTER_CELLS = {"recall_tables", "recall_claims", "recall_accuracy", "recall_age", "recall_state"}
RECALL_CELLS = {
    f"recall_cell_{name}"
    for name in ("linear", "exp_sqrt_d", "decay_linear", "sparsemax", "delta_1", "least_squares")
}
OF_RECALL = {
    "a layer": (
        "config.yaml", "decay_linear: {kernel: linear, decay: 0.95}",
        "decay_linear: {kernel: linear, decay: 0.9}", AFTER_CELLS | {"recall_cell_decay_linear"},
    ),
    "the law of the delta rule": (
        f"{SRC}/recall/simulation/reduced_delta.py", "np.maximum(shrinking, 0.0)",
        "np.maximum(0.0, shrinking)", AFTER_CELLS | RECALL_CELLS,
    ),
    "the rule of a claim of recall": (
        f"{RECALL}/claims/claims_table.py",
        "LINE_TOLERANCE = 0.08", "LINE_TOLERANCE = 0.07", {"recall_claims"},
    ),
    "a mark of recall": (
        f"{RECALL}/figures.py", "MOST_PAIRS_SHOWN = 1e12", "MOST_PAIRS_SHOWN = 1e11",
        {"recall_accuracy", "recall_age", "recall_state"},
    ),
    "a sentence on recall": (f"{RECALL}/study.py", "How many pairs", "Pairs", set()),
}  # fmt: skip

NEEDLE_SMOKE = "needle={scale: smoke, scales: {smoke: {training: null}}}"


@cache
def texts() -> dict[str, str]:
    """Configurations by the prefix of their studies' rules: the first is small."""
    whole = settings_text()
    return {"": small_config(), "rank": whole, "needle": whole, "recall": whole}


@cache
def jobs(text: str, *overrides: str) -> list:
    """The jobs that a configuration declares, each after those whose tables it reads, with the
    digests of its settings, and the files it reads and makes."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(text)
        file.flush()
        studies = load_config(Path(file.name), overrides_of([*overrides])).studies()
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


def with_source(monkeypatch, folder: Path, path: str, old: str, new: str) -> None:
    """Let digests see a file of the source changed; it must have the old text."""
    text = (ROOT / path).read_text(encoding="utf-8")
    assert old in text
    changed = folder / Path(path).name
    changed.write_text(text.replace(old, new))
    module = path.removeprefix("src/").removesuffix(".py").replace("/", ".")
    source, parsed = provenance._source, provenance._digest_and_imports
    monkeypatch.setattr(provenance, "_source", lambda n: changed if n == module else source(n))
    monkeypatch.setattr(
        provenance,
        "_digest_and_imports",
        lambda n: parsed.__wrapped__(n) if n == module else parsed(n),
    )


TABLES = {
    ("", ""): CHANGES | WITHOUT_EFFECT,
    ("rank", SMOKE): OF_RANK,
    ("needle", NEEDLE_SMOKE): OF_NEEDLE,
    ("needle", "needle={scale: smoke}"): OF_NEEDLE_TRAINED,
    ("recall", "recall={scale: smoke}"): OF_RECALL,
}
CASES = [
    pytest.param(prefix, override, change, id=name)
    for (prefix, override), changes in TABLES.items()
    for name, change in changes.items()
]


@few(4, ("prefix", "override", "change"), CASES)
def test_a_change_reruns_what_depends_on_it(prefix, override, change, monkeypatch, tmp_path):
    path, old, new, expected = change
    text, asked = texts()[prefix], (override,) if override else ()
    before = jobs(text, *asked)
    code = codes(before)
    if path == "config.yaml":
        assert old in text
        text = text.replace(old, new)
    else:
        with_source(monkeypatch, tmp_path, path, old, new)
    found = reruns(before, code, jobs(text, *asked))
    assert {name for name in found if prefix_of(name) == prefix} == shown_too(expected)


def shown_too(expected: set[str]) -> set[str]:
    """These jobs, and that of the page that shows what they make."""
    return expected | {"index"} if expected & EVERYTHING - KERNELS else expected


def prefix_of(name: str) -> str:
    studies = ("rank_", "needle_", "recall_")
    return name.partition("_")[0] if name.startswith(studies) else ""


TRAINING = {
    "the transformer": (
        "rank", f"{RANK}/training/transformer.py", "dimension**-0.5", "dimension**-0.51",
    ),
    "how cells are trained": (
        "rank needle", f"{SRC}/training/ensemble.py", "ADAM_EPSILON = 1e-8", "ADAM_EPSILON = 1e-9",
    ),
    "checkpoints": (
        "rank needle", f"{SRC}/training/job.py", '"made_with_{name}"', '"with_{name}"',
    ),
    "the needle's weights": (
        "needle", f"{NEEDLE}/training/weights.py", "FLOOR = 1e-3", "FLOOR = 2e-3",
    ),
}  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("change", TRAINING)
def test_a_change_of_training_trains_every_cell_again(change, monkeypatch, tmp_path):
    prefixes, *edit = TRAINING[change]
    before = jobs(texts()["rank"], SMOKE, "needle={scale: smoke}")
    code = codes(before)
    with_source(monkeypatch, tmp_path, *edit)
    found = reruns(before, code, before)
    cells = {name for name in code if name.startswith(("rank_train_", "needle_cell_"))}
    assert {n for n in found if n in cells} == {n for n in cells if prefix_of(n) in prefixes}


@few(2, "override", OVERRIDES)
def test_an_override_reaches_what_it_touches(override):
    before = jobs(texts()[""])
    found = reruns(before, codes(before), jobs(texts()[""], override))
    assert {name for name in found if not prefix_of(name)} == shown_too(OVERRIDES[override])


@pytest.mark.whole_run
@pytest.mark.parametrize("change", ["a default of one model", "the seeding", "the drawing"])
def test_snakemake_reruns_the_same(made, change):
    *edit, expected = CHANGES[change]
    made.edit(*edit)
    assert made.would_run() == shown_too(expected)


@pytest.mark.whole_run
def test_snakemake_reruns_nothing_where_nothing_depends_on_it(made):
    for *edit, _ in WITHOUT_EFFECT.values():
        made.edit(*edit)
    assert made.would_run() == set()


@pytest.mark.whole_run
def test_nothing_to_do_and_files_untouched(made):
    before = {path: (made.folder / path).stat().st_mtime_ns for path in made.files()}
    assert "Nothing to be done" in made.make()
    assert before == {path: (made.folder / path).stat().st_mtime_ns for path in made.files()}


@pytest.mark.whole_run
def test_a_users_own_kernel_reruns_what_shows_it(made):
    """A formula, or the module of a function, beside the jobs that show no own kernels."""
    (made.folder / "my_kernels.py").write_text("def square(x):\n    return x**2\n")
    own = "{mine: {score: 1 + x**3}, theirs: {python: my_kernels.square}}"
    made.edit("config.yaml", "  kernels: {}", f"  kernels: {own}")
    shows = {"kernels_values", "kernels_splits", "kernels_accuracy"}
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
