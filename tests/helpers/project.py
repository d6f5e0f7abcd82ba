"""A copy of the project in a folder of its own, and snakemake in it."""

import atexit
import base64
import compileall
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import yaml
from making import ROOT, spelled_out

PARTS = ("Snakefile", "config.yaml", "config", "workflow", "profiles")

RECORDS = ".snakemake/metadata"

FEW_KERNELS = {
    "sizes": [200, 2000], "only": ["exp", "linear", "uniform", "elu_plus_one"],
    "figures": ["kernels_accuracy"], "simulated": {"n": 200, "trials": 5},
}  # fmt: skip
"""Settings of any attention that take a second or two."""


@cache
def compiled_source() -> Path:
    """The project's src, compiled, with a `pandas` that no job may load; for tests to copy."""
    folder = tempfile.TemporaryDirectory(prefix="source")
    atexit.register(folder.cleanup)
    src = Path(folder.name) / "src"
    shutil.copytree(ROOT / "src", src, ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    shutil.copy(Path(__file__).with_name("no_pandas.py"), src / "pandas.py")
    compileall.compile_dir(src, quiet=1)
    return src


class Project:
    """The project copied to `folder`, with nothing made yet; or the copy that is there.

    Copies share the package until one changes it.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        if (folder / "Snakefile").exists():
            return
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, folder / part)
            else:
                shutil.copy(source, folder / part)
        (folder / "src").symlink_to(compiled_source())

    def copy(self, folder: Path) -> "Project":
        """The same in another folder, with all that has been made."""
        shutil.copytree(
            self.folder, folder, ignore=shutil.ignore_patterns("src"), dirs_exist_ok=True
        )
        (folder / "src").symlink_to((self.folder / "src").resolve())
        return type(self)(folder)

    def own_source(self) -> None:
        """Have the package as files of its own, no others'."""
        src = self.folder / "src"
        if src.is_symlink():
            shared = src.resolve()
            src.unlink()
            shutil.copytree(shared, src)

    def begin_with_made(self, folder: str) -> None:
        """Copy what this checkout itself has made in a folder of results, if anything, and what
        Snakemake knows of it: then it makes what is missing or not current alone."""
        if not (ROOT / folder).is_dir():
            return
        shutil.copytree(ROOT / folder, self.folder / folder)
        (self.folder / RECORDS).mkdir(parents=True, exist_ok=True)
        # A record's name is its file's path in base64.
        begin = base64.b64encode(folder.encode()).decode().rstrip("=")[:-1]
        for record in (ROOT / RECORDS).glob(f"{begin}*"):
            shutil.copy2(record, self.folder / RECORDS)

    def command(self, *arguments: str) -> list[str]:
        """The command line of snakemake."""
        return [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]

    def run(self, *arguments: str, torch: bool = True) -> subprocess.CompletedProcess:
        """Run snakemake, to which PyTorch may be made missing; its output is in stdout."""
        words = self.command(*arguments)
        if HAS_SERVER:
            return started_by_server(words, self.folder, missing=[] if torch else ["torch"])
        if not torch:
            code = "import sys; sys.modules['torch'] = None; from snakemake.cli import main; main()"
            words[1:3] = ["-c", code]
        return said_by(words, self.folder)

    def make(self, *arguments: str) -> str:
        """Run snakemake, which must succeed; returns its output."""
        done = self.run(*arguments)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def run_command(self, *arguments: str) -> subprocess.CompletedProcess:
        """Run `python -m attention_separation ...` of this copy; its output is in stdout."""
        words = [sys.executable, "-m", "attention_separation", *arguments]
        return said_by(words, self.folder, PYTHONPATH="src")

    def would_run(self, *arguments: str) -> set[str]:
        """Names of the rules that a run would execute."""
        return planned(self.make(*arguments, "--dry-run", "--quiet", "host", "reason"))

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a text that stands in a file."""
        file = self._own_file(path)
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))

    def add_line(self, path: str, line: str = "ADDED = 1") -> None:
        """A line more in a file of Python: other code, which does the same."""
        with self._own_file(path).open("a") as file:
            file.write(f"{line}\n")

    def _own_file(self, path: str) -> Path:
        """A file that may be changed."""
        if path.startswith("src/"):
            self.own_source()
        return self.folder / path

    def files(self, under: str = "results") -> dict[str, bytes]:
        """All files below a folder with their bytes, but for logs and benchmarks."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in sorted((self.folder / under).rglob("*"))
            if path.is_file() and not {"logs", "benchmarks"} & set(path.parts)
        }


HAS_SERVER = sys.platform == "linux"
"""Elsewhere a process that has loaded libraries may not be safe to copy."""


@cache
def snakemake_server() -> subprocess.Popen:
    """A process that starts Snakemake, until the tests end."""
    words = [sys.executable, str(Path(__file__).with_name("snakemake_server.py"))]
    server = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def end() -> None:
        server.stdin.close()
        server.wait()

    atexit.register(end)
    return server


def started_by_server(
    words: list[str], folder: Path, missing: list[str]
) -> subprocess.CompletedProcess:
    """Run a command line of snakemake as a copy of that process, as `said_by` runs it; some modules
    are not there for it."""
    server = snakemake_server()
    with tempfile.NamedTemporaryFile("r") as said:
        start = {
            "arguments": words[3:],
            "folder": str(folder),
            "environment": {**os.environ},
            "missing": missing,
            "said": said.name,
        }
        print(json.dumps(start), file=server.stdin, flush=True)
        return subprocess.CompletedProcess(words, int(server.stdout.readline()), said.read())


def planned(output: str) -> set[str]:
    """Names of the rules in the table of jobs of a plan; but for those that stand for others, and
    for the manifests, which any of them brings along."""
    asked = {"all", "lemmas", "open_choices", "manifest", "total"}
    asked |= {"rank", "rank_manifest"}
    asked |= {"needle", "needle_lines", "needle_manifest", "recall", "recall_manifest"}
    return set(re.findall(r"^(\w+) +\d+$", output, re.M)) - asked


def said_by(words: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess:
    """Run a command in a folder. Its output goes to a file: orphans would keep a pipe open."""
    with tempfile.TemporaryFile("w+") as said:
        done = subprocess.run(
            words, cwd=folder, env=os.environ | environment, stdin=subprocess.DEVNULL,
            stdout=said, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        said.seek(0)
        return subprocess.CompletedProcess(words, done.returncode, said.read())


def _small_values() -> dict:
    """Settings with one or two small panels of each model."""
    whole = spelled_out()
    values = whole["softmax_vs_linear"]
    values["panels"] = {k: values["panels"][k] for k in ("fig3a", "fig4a", "fig4b", "fig7b")}
    values["panels"]["fig3a"]["sweep"] = {"n": [100, 150]}
    values["panels"]["fig4a"]["sweep"] = {"n": [200, 210]}
    for panel in values["panels"].values():
        panel["trials"] = 20
    values["figures"] = {
        "fig3": {"title": "Three", "panels": ["fig3a"]},
        "fig4": {"title": "Four", "panels": ["fig4a", "fig4b"]},
        "fig7": {"title": "Seven", "panels": ["fig7b"]},
    }
    grid = {"d": [4, 6], "m": [2, 4]}
    fixed = {"n": 40, "a0": 0.01, "a1": 1.2, "b": 0.2, "c": 0.8}
    small_map = {"model": "self_attention", "sweep": grid, "fixed": fixed}
    whole["open_choices"]["phase"] = {"small": small_map}
    whole["lemmas"] |= {"theta": 0.85, "tau": 0.24}
    whole["lemmas"]["sizes"] = {
        "regression": [100],
        "self_attention": [{"n": 200, "d": 22}, {"n": 256, "d": 4}],
        "cross_attention": [{"n": 200, "d": 21}, {"n": 256, "d": 3}],
    }
    whole["any_attention"] |= FEW_KERNELS
    values["panels"] = values.pop("panels")
    whole["softmax_vs_linear"] = whole.pop("softmax_vs_linear")
    return whole


def small_config() -> str:
    """Settings with one or two small panels of each model, as one config.yaml."""
    return yaml.safe_dump(_small_values(), sort_keys=False)


def small_project(folder: Path) -> Project:
    """The project in an empty folder with that configuration and few claims, nothing made."""
    small = Project(folder)
    values = _small_values()
    values["lemmas"]["most"] = 20
    values["any_attention"]["scales"]["paper"] = {"points": 3}
    (folder / "config.yaml").write_text(yaml.safe_dump(values, sort_keys=False))
    shutil.rmtree(folder / "config")
    return small
