"""A report, opened in a headless browser that can reach nothing but the file."""

import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = (
    "no Chromium on the PATH: the tests of the report need one; "
    "on Debian, install the package `chromium`"
)
PROBE = """
<script>
setTimeout(() => { %s }, 500);
setTimeout(() => {
  const frames = [...document.querySelectorAll("iframe")].map((f) => f.src.slice(0, 40));
  const images = [...document.images].map((i) => {
    const box = i.getBoundingClientRect();
    return {width: i.naturalWidth, top: box.top, bottom: box.bottom, right: box.right};
  });
  const found = {
    text: document.body.innerText, frames, images,
    window: {width: window.innerWidth, height: window.innerHeight},
    fetched: performance.getEntriesByType("resource").map((r) => r.name),
  };
  document.documentElement.innerHTML =
    document.head.innerHTML && "<body><pre id='probe'></pre></body>";
  document.getElementById("probe").textContent = JSON.stringify(found);
}, %d);
</script>
"""


def chromium() -> str:
    """The browser's command; the test fails, and is not skipped, where there is none."""
    for name in NAMES:
        if found := shutil.which(name):
            return found
    return pytest.fail(MISSING, pytrace=False)


@dataclass
class Seen:
    """What a page showed: its text, its images with their places, and what it asked for."""

    text: str
    images: list[dict]
    frames: list[str]
    window: dict
    fetched: list[str]


def look(
    page: Path, script: str = "", picture: Path | None = None, size: str = "1500,1000"
) -> Seen:
    """Open a page, run a script in it, and return what is to be seen; `picture` gets a screenshot.

    What is opened is a copy with a probe at its end: dumps of the page would hold the whole file.
    """
    with tempfile.TemporaryDirectory() as folder:
        text = page.read_text(encoding="utf-8")
        copy = Path(folder) / "page.html"
        if picture:
            copy.write_text(_with(text, f"<script>setTimeout(() => {{ {script} }}, 500)</script>"))
            _run(folder, copy, size, f"--screenshot={picture}")
        copy.write_text(_with(text, PROBE % (script, 3000)), encoding="utf-8")
        dump = _run(folder, copy, size, "--dump-dom")
    found = re.search(r'<pre id="probe">(.*?)</pre>', dump, re.S)
    assert found, f"{page}: the page did not come up; the browser shows: {dump[:500]}"
    return Seen(**json.loads(unescape(found.group(1))))


def _with(text: str, script: str) -> str:
    # The last one: scripts of a report hold that end tag as text.
    before, end, after = text.rpartition("</body>")
    return before + script + end + after


def _run(folder: str, page: Path, size: str, *options: str) -> str:
    command = [
        chromium(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
        "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder}/profile",
        "--virtual-time-budget=6000", f"--window-size={size}", *options, page.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
