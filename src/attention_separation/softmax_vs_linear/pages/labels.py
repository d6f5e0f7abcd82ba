"""What stands beside each figure in the list of a report's results."""

from collections.abc import Iterable
from pathlib import Path

from attention_separation.results.result import TABLE, Output
from attention_separation.results.tables import TableError
from attention_separation.statistics.verdict_words import count_verdicts

from ..models import MODELS
from ..settings.panels import MARK
from .summary import verdicts_made

UNKNOWN = "not judged"


def labels(study, output: Output, folder: Path) -> dict[str, str]:
    """Name, model, swept parameters and verdict of a figure, or what a table is of; the verdict
    stands in a folder of results, and values that are reconstructed are marked."""
    if output.kind is TABLE:
        return {"table": output.title}
    panels = [study.marked[name] for name in output.panels]
    if not panels:
        return {"figure": output.name, **output.labels}
    models = dict.fromkeys(MODELS[panel.model].words for panel in panels)
    swept = dict.fromkeys(
        f"{name}{MARK * (name in panel.reconstructed)}" for panel in panels for name in panel.sweep
    )
    return {
        "figure": output.name,
        "model": ", ".join(models),
        "swept": ", ".join(swept),
        "verdict": verdict_label(study, output.panels, folder),
    }


def verdict_label(study, panels: Iterable[str], folder: Path) -> str:
    """The verdict on the panels: how many of each, or one word where they all have the same."""
    try:
        made = verdicts_made(study, folder)
    except TableError:
        # Of other settings, or half of a table: it says nothing of these panels.
        return UNKNOWN
    found = [made[panel]["verdict"] if panel in made else UNKNOWN for panel in panels]
    if len(set(found)) == 1:
        return found[0]
    return count_verdicts(found)
