"""What stands beside each figure in the list of a report's results."""

from pathlib import Path

from attention_separation.config import Config
from attention_separation.results.tables import TableError
from attention_separation.softmax_vs_linear.models import MODELS
from attention_separation.softmax_vs_linear.models.regression import REGRESSION
from attention_separation.softmax_vs_linear.models.self_attention import SELF_ATTENTION
from attention_separation.softmax_vs_linear.pages.summary import verdicts_made
from attention_separation.softmax_vs_linear.settings.reconstruction import MARK
from attention_separation.statistics.verdict_words import count_verdicts

AUDITS = {
    "threshold": ("all", "every panel's", "exact; Figure 3: equal entries of Ax"),
    "choices": ("all", "every panel's", "exact; Figure 3: reference values"),
    "theta": ("attention", "every panel's and τ/√log n", "exact"),
    "phase": ("attention", "pairs", "exact"),
    "fig1": (REGRESSION.words, "-", "a drawing"),
    "fig2": (SELF_ATTENTION.words, "-", "a drawing"),
    "fig6": (SELF_ATTENTION.words, "-", "a drawing"),
}
"""Model, swept parameters and verdict of figures that are of no panels."""

UNKNOWN = "not judged"


def labels(config: Config, figure: str, panels: list[str], folder: Path) -> dict[str, str]:
    """Name, model, swept parameters and verdict of a figure of some panels, or of an audit's; the
    verdict stands in a folder of results, and values that are reconstructed are marked."""
    if not panels:
        return dict(
            zip(("figure", "model", "swept", "verdict"), (figure, *AUDITS[figure]), strict=True)
        )
    models = dict.fromkeys(MODELS[config.panels[panel].model].words for panel in panels)
    swept = dict.fromkeys(
        f"{name}{MARK * (name in config.reconstructed(panel))}"
        for panel in panels
        for name in config.panels[panel].swept()
    )
    return {
        "figure": figure,
        "model": ", ".join(models),
        "swept": ", ".join(swept),
        "verdict": verdict_label(config, panels, folder),
    }


def verdict_label(config: Config, panels: list[str], folder: Path) -> str:
    """The verdict on the panels: how many of each, or one word where they all have the same."""
    try:
        made = verdicts_made(config, folder)
    except TableError:
        # Of other settings, or half of a table: it says nothing of these panels.
        return UNKNOWN
    found = [made[panel]["verdict"] if panel in made else UNKNOWN for panel in panels]
    if len(set(found)) == 1:
        return found[0]
    return count_verdicts(found)
