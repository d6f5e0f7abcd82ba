"""What the report opens with: what was run, and the figures of the first paper."""

from base64 import b64encode
from html import escape
from pathlib import Path
from textwrap import indent, wrap

from attention_separation.results.files import write_text
from attention_separation.settings.closed import Closed

LINE = 5000
"""Characters of a picture on a line: docutils reads none of more than 10,000."""


class OpeningJob(Closed):
    """What was run, and the titles of the figures that are shown, by name."""

    facts: dict[str, str]
    figures: dict[str, str]


def opening(job: OpeningJob, pictures: dict[str, str]) -> str:
    """The words in reStructuredText, with pictures by name as SVG."""
    facts = "\n".join(f":{name}: {value}" for name, value in job.facts.items())
    shown = [_picture(pictures[name], title) for name, title in job.figures.items()]
    return "\n\n".join([facts, *shown]) + "\n"


def _picture(svg: str, title: str) -> str:
    # A browser leaves out line ends within data.
    data = "\n".join(wrap(b64encode(svg.encode()).decode(), LINE))
    source = f"data:image/svg+xml;base64,\n{data}"
    picture = f'<img style="max-width: 100%" alt="{escape(title)}" src="{source}">'
    return f".. raw:: html\n\n{indent(picture, '   ')}"


def run(job: OpeningJob, figures: list[Path], output: Path) -> None:
    pictures = {path.stem: path.read_text(encoding="utf-8") for path in figures}
    write_text(output, opening(job, pictures))
