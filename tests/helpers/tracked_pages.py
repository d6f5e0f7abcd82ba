"""Pages of docs/ and README.md that have a template, and how long a page is."""

import shutil
from pathlib import Path

from making import ROOT

DOCS = ROOT / "docs"
TEMPLATES = sorted((DOCS / "templates").glob("[!_]*.md.j2"))


def page_of(template: Path, docs: Path = DOCS) -> Path:
    """The page that a template is of."""
    name = template.name.removesuffix(".j2")
    folders = {"README.md": docs.parent, "long_description.md": docs / "site"}
    return folders.get(name, docs) / name


def copy_of_docs(folder: Path) -> Path:
    """The templates, and the tables that they are rendered over, in a folder."""
    docs = folder / "docs"
    for path in [*DOCS.rglob("*.csv"), *DOCS.rglob("*.j2")]:
        copied = docs / path.relative_to(DOCS)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copied)
    return docs
