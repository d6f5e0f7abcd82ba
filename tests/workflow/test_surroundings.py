"""Whatever stands around a run neither changes it nor stops it."""

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest
from project import said_by

from attention_separation.__main__ import main
from attention_separation.config import load_config
from attention_separation.pages.drawing import save, sheet
from attention_separation.results.job_files import command_options, input_files, output_files

STYLE = """
lines.linewidth: 7
lines.marker: x
figure.facecolor: red
figure.subplot.left: 0.4
axes.prop_cycle: cycler(color=["k"])
axes.formatter.use_locale: True
font.family: monospace
svg.fonttype: none
pdf.compression: 0
savefig.bbox: tight
path.sketch: 3, 2, 1
xtick.direction: in
"""
"""A reader's settings of Matplotlib."""

RAISES = "raise SystemExit('a module of another project')"
SHADOWS = ("numpy", "scipy", "pyarrow", "matplotlib", "PIL", "yaml", "pydantic", "random", "json")
"""Modules that jobs import, by names that a reader's own files may have."""

SURROUNDINGS: dict[str, tuple[dict[str, str], dict[str, bytes]]] = {
    "no variable; a style, and modules of libraries' names": (
        {},
        {"matplotlibrc": STYLE.encode()} | {f"{name}.py": RAISES.encode() for name in SHADOWS},
    ),
    "a window, no home, and a style elsewhere that is no text": (
        {
            "MPLBACKEND": "qtagg", "SOURCE_DATE_EPOCH": "86400", "TZ": "Pacific/Kiritimati",
            "LC_ALL": "tr_TR.UTF-8", "LANG": "de_DE", "PYTHONOPTIMIZE": "2", "PYTHONHASHSEED": "7",
            "OMP_NUM_THREADS": "4,2", "OPENBLAS_NUM_THREADS": "2", "HOME": "file/home",
            "XDG_CACHE_HOME": "file/cache", "MPLCONFIGDIR": "file/none", "MATPLOTLIBRC": "mine",
        },
        {"mine": b"# gr\xf6\xdfer\nlines.linewidth: 7\n", "file": b""},
    ),
    "ASCII alone, and a style at home": (
        {
            "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
            "PYTHONIOENCODING": "ascii", "MPLCONFIGDIR": "mpl", "MPLBACKEND": "nonsense",
            "SOURCE_DATE_EPOCH": "today", "PYTHONWARNINGS": "error",
            "PYTHONINTMAXSTRDIGITS": "640", "PYTHONUNBUFFERED": "1", "COLUMNS": "1", "LINES": "1",
            "NO_COLOR": "1", "TERM": "dumb",
        },
        {"mpl/matplotlibrc": STYLE.encode()},
    ),
}  # fmt: skip
"""By what they are: variables of the environment, and files in the folder of the run. Several at
once, for each alone would have to undo what another does."""

JOBS = ("simulate_fig7b", "fig7")


def job(project, study, name: str, output: Path) -> list[str]:
    """The command line of a job that writes to another folder."""
    result = study.results[name]
    folder = project.folder / study.folder
    inputs = {
        option: [str(folder / path) for path in paths]
        for option, paths in input_files(result).items()
    }
    outputs = {
        key: [str(output / each.path(suffix)) for each, suffix in files]
        for key, files in output_files(result).items()
    }
    words = command_options(result, inputs, outputs).split()
    return ["job", result.module, "--settings", result.settings.canonical(), *words]


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_jobs_give_the_same_bytes_and_a_command_the_same_words(made_once, tmp_path, capsys, name):
    variables, files = SURROUNDINGS[name]
    here, output = tmp_path / "here", tmp_path / "output"
    here.mkdir()
    for path, content in files.items():
        (here / path).parent.mkdir(exist_ok=True)
        (here / path).write_bytes(content)
    source = {"PYTHONPATH": str(made_once.folder / "src")}
    # What is named is all that there is.
    whole = os.environ | source | variables if variables else source
    study = load_config(made_once.folder / "config.yaml").studies()["softmax_vs_linear"]

    def said_by(*words):
        command = [sys.executable, "-m", "attention_separation", *words]
        done = subprocess.run(command, cwd=here, env=whole, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    for each in JOBS:
        said_by(*job(made_once, study, each, output))
    written = [path for path in output.rglob("*") if path.is_file()]
    # fig7 has its lines beside it.
    assert len(written) == 1 + 5 + 2
    for path in written:
        made = made_once.folder / study.folder / path.relative_to(output)
        assert path.read_bytes() == made.read_bytes(), path.name
    command = ["separate", "--kernel", "x**4", "--n", "200"]
    said = said_by(*command).decode("utf-8")
    assert main(command) == 0
    if "PYTHONIOENCODING" not in variables:
        assert said == capsys.readouterr().out


def test_a_readers_style_does_not_reach_a_picture(tmp_path):
    """Set in this process, before and while it is drawn."""
    pictures = []
    for changes in ({}, {"lines.linewidth": 9, "axes.grid": False, "font.size": 30}):
        with matplotlib.rc_context(changes):
            with sheet("Title", "note", 1, (2, 2)) as (figure, axes):
                axes[0].plot([1, 2], [3, 4], label="line")
            save(figure, tmp_path / "picture")
        pictures.append([path.read_bytes() for path in sorted(tmp_path.iterdir())])
    assert pictures[0] == pictures[1]


def test_fonts_in_pdf_are_those_that_venues_take(made_once):
    found = [path.read_bytes() for path in (made_once.folder / "results/figures").glob("*.pdf")]
    assert len(found) > 5
    for content in found:
        kinds = set(re.findall(rb"/Subtype /(Type\d\w*|TrueType|CIDFontType\d)\b", content))
        assert kinds - {b"Type0"} == {b"CIDFontType2"}


def without(folder: Path, *programs: str) -> str:
    """A PATH without some programs: the folders on it, those that have one as links to the rest."""
    kept = []
    for number, place in enumerate(os.environ["PATH"].split(os.pathsep)):
        if not any(Path(place, program).exists() for program in programs):
            kept.append(place)
            continue
        links = folder / str(number)
        links.mkdir(parents=True)
        for path in Path(place).iterdir():
            if path.name not in programs:
                (links / path.name).symlink_to(path)
        kept.append(str(links))
    return os.pathsep.join(kept)


def test_a_conda_that_is_not_there_is_not_needed(small, made_once, tmp_path_factory, monkeypatch):
    monkeypatch.setenv("PATH", without(tmp_path_factory.mktemp("path"), "conda"))
    small.make("simulate_fig7b", "--software-deployment-method", "conda")
    name = "results/panels/fig7b.parquet"
    assert (small.folder / name).read_bytes() == (made_once.folder / name).read_bytes()


STANDS_IN_FOR_CONDA = """#!/bin/sh
case "$1" in
--version) echo "conda 99.0.0" ;;
info) echo '{{"conda_prefix": "{folder}", "platform": "linux-64"}}' ;;
config) echo '{{"get": {{"channel_priority": "strict"}}}}' ;;
env)
    while [ "$1" != --prefix ]; do shift; done
    mkdir -p "$2/bin"
    printf '#!/bin/sh\\necho "$*" >>{folder}/calls\\nexec {python} "$@"\\n' >"$2/bin/python"
    chmod +x "$2/bin/python"
    ;;
esac
"""
"""Makes environments whose Python is this one, and writes down how it is called."""


def test_where_conda_makes_an_environment_jobs_run_in_it(small, made_once, tmp_path, monkeypatch):
    folder = tmp_path / "conda"
    (folder / "bin").mkdir(parents=True)
    conda = folder / "bin/conda"
    conda.write_text(STANDS_IN_FOR_CONDA.format(folder=folder, python=sys.executable))
    conda.chmod(stat.S_IRWXU)
    (folder / "bin/activate").write_text('export PATH="$1/bin:$PATH"\n')
    monkeypatch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")
    small.make("simulate_fig7b", "--software-deployment-method", "conda")
    (call,) = (folder / "calls").read_text().splitlines()
    assert call.startswith("-P -m attention_separation job studies.softmax_vs_linear.simulation")
    name = "results/panels/fig7b.parquet"
    assert (small.folder / name).read_bytes() == (made_once.folder / name).read_bytes()


def test_it_runs_in_another_folder_by_its_own_settings(made_once, tmp_path):
    """Of the folder that it is started from, which has the same files as the project."""
    clone = made_once.copy(tmp_path / "a clone, 𝑛 'quoted'")
    shutil.rmtree(clone.folder / "results")
    here = tmp_path / "here"
    (here / "docs/published").mkdir(parents=True)
    (here / "docs/published/fig7b.csv").write_text("nonsense")
    (here / "config.yaml").write_text("seed: of another project\n")
    (here / "matplotlibrc").write_text(STYLE)
    (here / "random.py").write_text(RAISES)
    words = [str(Path(sys.executable).with_name("snakemake")), "--cores", "2", "fig7"]
    words += ["--snakefile", str(clone.folder / "Snakefile")]
    done = said_by([*words, "--report-after-run", "--report", "report.html"], here)
    assert done.returncode == 0, done.stdout
    assert not (clone.folder / "results").exists()
    made = [path for path in (here / "results").rglob("*") if path.parent.name == "figures"]
    # Its lines are beside it.
    assert len(made) == 5 + 2
    for path in made:
        assert path.read_bytes() == (made_once.folder / path.relative_to(here)).read_bytes()
    assert "max-height: 96vh" in (here / "report.html").read_text(encoding="utf-8")


def test_it_runs_behind_links_and_writes_through_them(small, made_once, tmp_path_factory):
    far = tmp_path_factory.mktemp("far")
    (far / "results").mkdir(mode=stat.S_IRWXU)
    (small.folder / "results").symlink_to(far / "results")
    (far / "link").symlink_to(small.folder)
    type(small)(far / "link").make("simulate_fig7b")
    name = "panels/fig7b.parquet"
    made = made_once.folder / "results" / name
    assert (far / "results" / name).read_bytes() == made.read_bytes()


def test_a_run_says_once_which_files_of_settings_are_not_read(small):
    """All sections of the small project stand in its config.yaml."""
    (small.folder / "config").mkdir()
    for name in ("needle", "recall"):
        (small.folder / f"config/{name}.yaml").write_text("not read\n")
    said = small.run("fig7", "--touch").stdout
    files = "config/needle.yaml, config/recall.yaml"
    assert said.count(f"not read, as config.yaml has the section itself: {files}\n") == 1
    assert said.count("not read") == 1


def test_the_banner_names_the_configuration_and_what_beats_it(project):
    more = project.folder / "more.yaml"
    more.write_text("scale: smoke\n")
    said = project.make("fig4c", "--dry-run", "--configfile", "more.yaml")
    (files,) = re.findall(r"Config file\(s\): (.*)", said)
    assert re.findall(r"'(.*?)'", files) == [str(project.folder / "config.yaml"), str(more)]
    assert "results/smoke/panels/fig4c.parquet" in said
