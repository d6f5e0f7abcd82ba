"""Pictures and findings of a study under docs/, on a page of their own, and in README.md."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from attention_separation.results.files import replacing, write_text
from attention_separation.results.tables import read_table, rounded, write_csv

from .prose import markdown_list

DIGITS = 8
"""Of the numbers in tracked tables: the last of a float64's 16 depend on the kind of processor."""


@dataclass(frozen=True)
class Gallery:
    """What of a study is shown: its figures' names in `pictures`, with what each shows, and its
    tables, to `DIGITS`, in docs/FOLDER, where `drawings` are kept that no run makes; figures of
    `in_readme` in README.md too, between two lines that have the `mark`, with a link to
    docs/FOLDER.md and words on what that page has."""

    mark: str
    command: str
    folder: str
    title: str
    page_has: str
    pictures: Mapping[str, str]
    in_readme: Sequence[str]
    tables: Sequence[str] = ()
    drawings: Mapping[str, str] = field(default_factory=dict)

    @property
    def marks(self) -> tuple[str, str]:
        """The lines before and after its block in README.md."""
        begin = f"<!-- {self.mark}: written by `{self.command}` -->\n"
        return begin, f"<!-- end of {self.mark} -->\n"


def gallery_page(gallery: Gallery, findings: Sequence[str], text: str) -> str:
    """docs/FOLDER.md: what was found, a text in Markdown, all pictures, and the drawings."""
    shown = {**gallery.pictures, **gallery.drawings}
    return (
        f"# {gallery.title}\n\nWritten by `{gallery.command}`.\n\n{markdown_list(findings)}\n"
        f"{text}\n\n" + "\n".join(_pictures(shown, gallery.folder))
    )


def _pictures(titles: Mapping[str, str], folder: str) -> list[str]:
    return [f"![{title}]({folder}/{name}.svg)\n" for name, title in titles.items()]


def readme_text(text: str, gallery: Gallery, findings: Sequence[str], beneath: str = "") -> str:
    """README.md with the block of the gallery in place of the one that stands there; `beneath` the
    findings stands a text in Markdown.

    Raises
    ------
    ValueError
        Unless the text holds the two marks, once each and in order.
    """
    begin, end = gallery.marks
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed or begin in rest or end in after:
        raise ValueError(f"README.md needs the two lines {begin.strip()} and {end.strip()}")
    folder = f"docs/{gallery.folder}"
    shown = {name: gallery.pictures[name] for name in gallery.in_readme}
    pictures = "".join(_pictures(shown, folder))
    page = f"{gallery.page_has}: [{folder}.md]({folder}.md)."
    texts = [f"{pictures}\n{markdown_list(findings)}", beneath, f"{page}\n"]
    block = "\n".join(text for text in texts if text)
    return f"{before}{begin}\n{block}\n{end}{after}"


def table_links(gallery: Gallery) -> str:
    """Links to its tables, in Markdown."""
    links = (f"[{name}.csv]({gallery.folder}/{name}.csv)" for name in gallery.tables)
    return f"{', '.join(links)} (to {DIGITS} digits)"


@dataclass(frozen=True)
class Folders:
    """What a gallery is made of: a folder of results, the docs, and the README with its block."""

    results: Path
    docs: Path
    readme: Path


def write_gallery(
    folders: Folders, gallery: Gallery, first: Sequence[str], more: Sequence[str],
    text: str, beneath: str = "",
) -> None:  # fmt: skip
    """Copy pictures and tables of a folder of results, write the page, and the block of README.md,
    which has the first of the findings alone and what stands `beneath` them; `text` is the page's
    own. Both are Markdown."""
    readme = readme_text(folders.readme.read_text(encoding="utf-8"), gallery, first, beneath)
    folder = folders.docs / gallery.folder
    for name in gallery.pictures:
        with replacing(folder / f"{name}.svg") as part:
            shutil.copyfile(folders.results / f"figures/{name}.svg", part)
    for name in gallery.tables:
        table = read_table(folders.results / f"tables/{name}.parquet")
        write_csv(rounded(table, DIGITS), folder / f"{name}.csv")
    page = gallery_page(gallery, [*first, *more], text)
    write_text(folders.docs / f"{gallery.folder}.md", page)
    write_text(folders.readme, readme)
