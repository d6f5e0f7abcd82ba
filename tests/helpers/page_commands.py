"""The commands that pages show: lines of sh blocks, and words in a line of text that are one."""

import re
from pathlib import Path

FIRST = re.compile(
    r"(make|snakemake|python3?|attention-separation|pip|squeue|scancel|xcode-select|touch"
    r"|\.venv/bin/\S+|[A-Z]+=\w+ \S+)( |$)"
)
"""How a command begins."""

PAGES = ("README.md", "CONTRIBUTING.md", "docs/*.md", "src/*/*/README.md")


def commands(text: str) -> set[str]:
    """The commands of a page, without remarks after them."""
    lines = [
        re.sub(r"\s+#.*$", "", line).strip()
        for block in re.findall(r"^```sh\n(.*?)^```$", text, re.S | re.M)
        for line in block.splitlines()
    ]
    rest = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
    words = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", rest)]
    return {line for line in lines if line} | {word for word in words if FIRST.match(word)}


def all_commands(root: Path) -> set[str]:
    """Those of all pages."""
    pages = [path for pattern in PAGES for path in sorted(root.glob(pattern))]
    return set().union(*(commands(path.read_text(encoding="utf-8")) for path in pages))
