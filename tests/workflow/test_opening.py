"""What a report opens with, whatever has been made: text and pictures, and no error of docutils."""

from dataclasses import dataclass
from pathlib import Path

import docutils.core
import jinja2
import pytest
from making import ROOT

from attention_separation.studies.provenance_page import ProvenanceJob, opening

OPENING = (ROOT / "workflow/report/workflow.rst").read_text(encoding="utf-8")


JOB = ProvenanceJob(
    python="",
    packages={},
    code="",
    facts={"scale": "paper"},
    config='{"seed": 1}',
    results="results",
)


@dataclass
class File:
    """A file of a report, as Snakemake hands it to the opening."""

    path: Path

    @property
    def target(self) -> str:
        return self.path.name


def html(folder: Path, *names: str) -> str:
    """The opening of a report that has some files; docutils' warnings are errors."""
    files = [File(folder / name) for name in names]
    text = jinja2.Template(OPENING, trim_blocks=True, lstrip_blocks=True).render(files=files)
    settings = {"halt_level": 2, "report_level": 2}
    return docutils.core.publish_parts(text, writer="html", settings_overrides=settings)[
        "html_body"
    ]


@pytest.mark.parametrize("has_page", [True, False])
@pytest.mark.parametrize("names",
    [(), ("fig7b.png",), ("kernels_accuracy.png", "verdicts.html"),
     ("fig3.png", "fig4.png", "fig5.png", "fig7.png", "fig4c.png")],
)  # fmt: skip
def test_a_report_opens_without_an_error(tmp_path, names, has_page):
    folder = tmp_path / "a folder, 𝑛"
    folder.mkdir()
    (folder / "opening.rst").write_text(opening(JOB, {"Claims": "2 agree, 1 differ"}))
    found = html(folder, *names, *(["provenance.html"] if has_page else []))
    assert "System Message" not in found
    assert ("seed" in found) == ("2 agree, 1 differ" in found) == has_page
    assert found.index("attention-separation") < found.index("two papers")
    if has_page:
        assert found.index("two papers") < found.index("What was found") < found.index("seed")
    assert found.count("<img") == sum(len(name) == len("fig4.png") for name in names)
