"""The pictures under docs/, the page that shows them, and README's block."""

from collections.abc import Mapping
from pathlib import Path

from attention_separation.pages.gallery import Folders, Gallery, write_gallery
from attention_separation.results.tables import read_parquet

from ..models.panel_tables import read_exact
from ..settings.jobs import OverviewJob
from ..settings.panels import KEY, MARK
from .captions import AUDITS
from .findings import SAYING, TABLES, findings, path_of
from .story import story

__all__ = ["GALLERY", "read_findings", "run"]

GALLERY = Gallery(
    mark="gallery",
    command="make gallery",
    folder="gallery",
    title="Figures and findings",
    pictures={
        "fig3": "Figure 3: softmax regression",
        "fig4": "Figure 4: self-attention, X = identity (the threshold is reconstructed*)",
        "fig5": "Figure 5: self-attention, X = all ones",
        "fig7": "Figure 7: cross-attention (datasets and settings are reconstructed*)",
        **{name: title for name, (title, _) in AUDITS.items()},
    },
    drawings={
        "fig1": "Figure 1: the softmax-regression network",
        "fig2": "Figure 2: the self-attention network",
        "fig6": "Figure 6: how c is computed",
    },
    in_readme=("fig4",),
    page_has="All figures",
)


def read_findings(folder: Path, settings: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """The story of a folder of results, and the sentences of all its tables; TableError if one
    carries another digest than these settings'."""
    tables = {
        name: read_parquet(folder / path_of(name), schema, settings.get(name))
        for name, (schema, _) in SAYING.items()
        if name in TABLES or (folder / path_of(name)).exists()
    }
    panels = tables["verdicts"]["panel"].to_pylist()
    exact = [read_exact(folder / f"exact/{panel}.parquet") for panel in panels]
    return story(tables, exact), findings(tables, exact)


def run(job: OverviewJob, results: Path, docs: Path, readme: Path) -> None:
    said, more = read_findings(results, job.digests)
    key = KEY.replace(MARK, rf"\{MARK}")
    marked = f"{key} Pictures mark it so, tables list it in a column `reconstructed`."
    write_gallery(Folders(results, docs, readme), GALLERY, said, more, marked)
