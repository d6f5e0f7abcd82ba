"""What a change makes snakemake run again: what depends on it, and nothing else."""

import pytest

SRC = "src/attention_separation"
PAPER = f"{SRC}/softmax_vs_linear"
EVERYTHING = {
    "simulate_fig3a", "simulate_fig4a", "simulate_fig4b", "simulate_fig7b", "fig3", "fig4", "fig7",
}  # fmt: skip

CHANGES = {
    "a panel's trials": (
        "config.yaml", "        fig3a", None, {"simulate_fig3a", "fig3"},
    ),
    "a default of one model": (
        "config.yaml", "theta: 0.9", "theta: 0.8", {"simulate_fig7b", "fig7"},
    ),
    "what is reconstructed": (
        "config.yaml", "    reconstructed:\n    - m\n", "    reconstructed:\n    - n\n", {"fig3"},
    ),
    "a title": ("config.yaml", "title: Four", "title: Fore", {"fig4"}),
    "an unused scale": ("config.yaml", "points: 5", "points: 6", set()),
    "one model's definitions": (
        f"{PAPER}/regression.py", "return np.exp(z)", "return np.exp(z) * 1.0",
        {"simulate_fig3a", "fig3"},
    ),
    "one attention model": (
        f"{PAPER}/cross_attention.py", "a1[:, 0] = 0.0", "a1[:, 0] = 0", {"simulate_fig7b", "fig7"},
    ),
    "what both attention models use": (
        f"{PAPER}/distinct.py", "unmarked = self.classes - 1", "unmarked = -1 + self.classes",
        EVERYTHING - {"simulate_fig3a", "fig3"},
    ),
    "the seeding": (f"{SRC}/seeding.py", "\\x1f", "\\x1e", EVERYTHING),
    "the drawing": (
        f"{SRC}/drawing.py", '"font.size": 9', '"font.size": 10', {"fig3", "fig4", "fig7"},
    ),
    "the command line": (f"{SRC}/__main__.py", "return 0", "return int(0)", set()),
    "a comment": (f"{PAPER}/success.py", "import numpy", "# Why.\nimport numpy", set()),
    "a docstring": (f"{PAPER}/self_attention.py", "Self-attention: the", "The", set()),
}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small project, all of it made once; every test undoes its change."""
    from workflow.conftest import small

    project = small.__wrapped__(tmp_path_factory.mktemp("made"))
    project.make()
    return project


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_reruns_what_depends_on_it(made, change):
    path, old, new, expected = CHANGES[change]
    file = made.folder / path
    before = file.read_text()
    try:
        if new is None:
            file.write_text(before.replace("trials: 20", "trials: 21", 1))
        else:
            made.edit(path, old, new)
        assert made.would_run() == expected
    finally:
        file.write_text(before)


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("trials=21", EVERYTHING),
        ("seed=8", EVERYTHING),
        ("trials=20", set()),
        ("engine=dense", EVERYTHING),
        ("panels={fig7b: {trials: 4}}", {"simulate_fig7b", "fig7"}),
    ],
)
def test_an_override_reaches_what_it_touches(made, override, expected):
    assert made.would_run("--config", override) == expected


def test_nothing_to_do_and_files_untouched(made):
    before = {path: (made.folder / path).stat().st_mtime_ns for path in made.files()}
    assert "Nothing to be done" in made.make()
    assert before == {path: (made.folder / path).stat().st_mtime_ns for path in made.files()}
