"""Writes the explorer as a page that any static server serves: `make explore PAGE=FOLDER`.

`python docs/site/explorer_page.py WHEEL FOLDER` has marimo export the app of this clone, with the
wheel of this project beside it; the rest of Python the browser takes from where it is kept for
all. It needs no network. Options after FOLDER are marimo's: with `--offline`, which needs a network
and Playwright, everything lies in FOLDER.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

APP = Path(__file__).parents[2] / "src/attention_separation/explorer/app.py"
HEADER = """# /// script
# requires-python = ">=3.11"
# dependencies = ["attention-separation @ ./{wheel}", "matplotlib"]
# ///
"""
PYTHON_FOR_BROWSERS = "https://cdn.jsdelivr.net/pyodide/"
NOT_REACHED = (
    "This page takes Python from cdn.jsdelivr.net, which cannot be reached from here. "
    "`make explore PAGE=FOLDER OFFLINE=1` makes a page that asks no other machine."
)
SAY_IF_NOT_REACHED = f"""<script>
fetch("{PYTHON_FOR_BROWSERS}", {{ mode: "no-cors", cache: "no-store" }}).catch(() => {{
  const said = document.createElement("p");
  said.role = "alert";
  said.style = "position:fixed;inset:0 0 auto;margin:0;padding:1rem;z-index:99;background:#ffe08a";
  said.textContent = "{NOT_REACHED}";
  document.body.append(said);
}});
</script>
"""
NO_MODULES = "#!/bin/sh\necho '{}'\n"
"""What answers in uv's place which local modules the app imports: the wheel has them all."""


def write_page(wheel: Path, folder: Path, *options: str) -> None:
    """Write `folder`/index.html and what it loads, in place of an earlier page; FileExistsError if
    something else is there, CalledProcessError if marimo cannot."""
    if folder.exists() and any(folder.iterdir()) and not (folder / "public/wheels").is_dir():
        raise FileExistsError(f"{folder} is no earlier page of the explorer; allowed: a new folder")
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        shutil.copy(wheel, work)
        app = HEADER.format(wheel=wheel.name) + APP.read_text(encoding="utf-8")
        (work / "explorer.py").write_text(app, encoding="utf-8")
        shutil.copy(APP.with_name("head.html"), work)
        (work / "uv").write_text(NO_MODULES, encoding="utf-8")
        (work / "uv").chmod(0o755)
        (work / "lock.json").write_text('{"packages": {}}', encoding="utf-8")
        path = f"{work}{os.pathsep}{os.environ['PATH']}"
        # No version is looked up: the browser has those of its own Python.
        more = {
            "MARIMO_PYODIDE_LOCK_FILE": str(work / "lock.json"),
            "MARIMO_SKIP_UPDATE_CHECK": "1",
        }
        export = ["export", "html-wasm", str(work / "explorer.py"), "--output", str(folder)]
        subprocess.run(
            [sys.executable, "-m", "marimo", *export, "--no-sandbox", "--force", *options],
            env={**os.environ, "PATH": path, **more}, stdout=subprocess.DEVNULL, check=True,
        )  # fmt: skip
    if "--offline" not in options:
        index = folder / "index.html"
        page = index.read_text(encoding="utf-8")
        index.write_text(page.replace("</body>", f"{SAY_IF_NOT_REACHED}</body>"), encoding="utf-8")
    # Of those who write marimo, not of who serves its pages.
    (folder / "CLAUDE.md").unlink(missing_ok=True)


if __name__ == "__main__":
    write_page(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), *sys.argv[3:])
