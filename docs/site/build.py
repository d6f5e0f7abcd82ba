"""Builds the documentation site, offline, from the pages that are read on a Git host too.

`python docs/site/build.py` ends where a page reads worse than `prose` allows. It writes the pages
into build/pages as a site needs them, README as its start page; has Zensical build site/ of them,
which ends at a broken link; makes what it built ask no other host for anything; and ends where an
old address leads to no heading.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from prose import all_faults

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "build/pages"
SITE = ROOT / "site"
HERE = Path(__file__).parent

OWN = ("reference.md", "style.css", "iframe-worker.js")
"""Files beside this one that are of the site alone."""

SHIM = "https://unpkg.com/iframe-worker/shim"
"""Lets a page that is opened as a file search; Zensical writes this address into every page."""

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.S | re.M)


def sources(root: Path) -> dict[str, str]:
    """The site's pages by their paths in the repository: their names there."""
    rooms = sorted(root.glob("src/*/studies/*/README.md"))
    return (
        {"README.md": "index.md"}
        | {f"docs/{path.name}": path.name for path in sorted(root.glob("docs/*.md"))}
        | {name: name.lower() for name in ("CONTRIBUTING.md", "CHANGELOG.md")}
        | {str(path.relative_to(root)): f"equations_{path.parent.name}.md" for path in rooms}
    )


def relinked(text: str, source: str, root: Path, names: dict[str, str]) -> tuple[str, set[str]]:
    """A page's text with links as on the site, and the files of the repository that it links to.

    A link to a folder becomes its words alone, a path that leads to a page that page's title, a
    picture one that opens alone. Raises
    ValueError for a link to what is not there.
    """
    files = set()

    def replaced(link: re.Match) -> str:
        mark, words, target = link.groups()
        if re.match(r"\w+:|#", target):
            return link[0]
        path, hash_, place = target.partition("#")
        whole = os.path.relpath(root / Path(source).parent / path, root)
        if whole in names:
            if words.removeprefix("docs/") == path.removeprefix("docs/"):
                words = title_of((root / whole).read_text(encoding="utf-8"))
            return f"{mark}[{words}]({names[whole]}{hash_}{place})"
        if not (root / whole).exists():
            raise ValueError(f"{source}: no file {target}")
        if (root / whole).is_dir():
            return words
        files.add(whole)
        there = f"{name_on_site(whole)}{hash_}{place}"
        shown = f"{mark}[{words}]({there})"
        return f"[{shown}]({there})" if mark else shown

    parts = CODE.split(text)
    held = {f"\0{k}\0": code for k, code in enumerate(parts) if k % 2}
    bare = "".join(f"\0{k}\0" if k % 2 else part for k, part in enumerate(parts))
    linked = LINK.sub(replaced, bare)
    return re.sub("\0\\d+\0", lambda found: held[found[0]], linked), files


def title_of(page: str) -> str:
    """The words of a page's first heading."""
    return re.search(r"^# (.*)$", page, re.M)[1]


def name_on_site(path: str) -> str:
    """Where a file of the repository that is no page stands on the site."""
    return path.removeprefix("docs/") if path.startswith("docs/") else f"files/{path}"


def write_pages(root: Path, folder: Path) -> None:
    """All that the site is built of, into an empty folder."""
    names = sources(root)
    needed: set[str] = set()
    for source, name in names.items():
        text = (root / source).read_text(encoding="utf-8")
        linked, files = relinked(text, source, root, names)
        (folder / name).write_text(linked, encoding="utf-8")
        needed |= files
    for path in needed:
        there = folder / name_on_site(path)
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / path, there)
    for name in OWN:
        shutil.copy(HERE / name, folder)


def redirects(root: Path) -> dict[str, str]:
    """The page, with its heading, that each old address of the site leads to."""
    config = tomllib.loads((root / "zensical.toml").read_text(encoding="utf-8"))
    return config["project"]["plugins"]["redirects"]["redirect_maps"]


def check_redirects(moved: dict[str, str], site: Path) -> None:
    """ValueError where an old address leads to no page of a built site, or to no heading of it."""
    for name, target in moved.items():
        page, _, heading = target.partition("#")
        built = (site / page).with_suffix(".html")
        if not built.exists():
            raise ValueError(f"{name}: the site has no page {page}")
        if f'id="{heading}"' not in built.read_text(encoding="utf-8"):
            raise ValueError(f"{name}: {page} has no heading {heading}")


def closed(page: str, depth: int) -> str:
    """A built page with the one script that it would load from elsewhere taken from the site."""
    return page.replace(SHIM, "../" * depth + "iframe-worker.js")


def main() -> int:
    over = all_faults(ROOT)
    if over:
        print("\n".join(over), file=sys.stderr)
        return 1
    for folder in (PAGES, SITE):
        shutil.rmtree(folder, ignore_errors=True)
    PAGES.mkdir(parents=True)
    write_pages(ROOT, PAGES)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    done = subprocess.run(command, cwd=ROOT, check=False)
    if done.returncode:
        return done.returncode
    # It looks for its styles at the root of a host, which a site need not have for its own.
    (SITE / "404.html").unlink()
    for page in SITE.rglob("*.html"):
        depth = len(page.relative_to(SITE).parts) - 1
        page.write_text(closed(page.read_text(encoding="utf-8"), depth), encoding="utf-8")
    check_redirects(redirects(ROOT), SITE)
    print(f"site/index.html: {len([*SITE.rglob('*.html')])} pages, open in any browser, offline")
    return 0


if __name__ == "__main__":
    sys.exit(main())
