"""The rooms of the package are of three kinds, and each leans on those below it alone."""

import ast
import re
import sys
import tomllib
from pathlib import Path

from making import CONFIG, ROOT

from attention_separation.results.provenance import PACKAGE, _digest_and_imports, closure
from attention_separation.studies.softmax_vs_linear.study import PAPERS_FIGURES

LIBRARY = (
    "messages",
    "looks",
    "statistics",
    "attention",
    "datasets",
    "own_kernels",
    "any_attention",
    "needle",
    "recall",
    "rank_bound",
    "api",
)
"""What can be asked, exactly, without files and settings; the lowest first."""

MACHINERY = ("settings", "results", "training", "pages")
"""What all studies are made with; the lowest first."""

STUDIES = {
    "softmax_vs_linear": ("models", "settings", "simulation exact", "figures"),
    "lemmas": (),
    "open_choices": (),
    "any_attention": ("settings", "tables", "laws simulation", "figures"),
    "head_rank": ("settings", "constructions", "training", "theory", "claims", "figures"),
    "needle": ("settings", "accuracy_limits training", "claims"),
    "recall": ("settings", "tables", "claims"),
}  # fmt: skip
"""Folders of each study, or modules directly in it; the lowest first. Other modules of a study are
above them."""

JUDGED = "softmax_vs_linear"
JUDGES = ("lemmas", "open_choices")
"""The first paper's figures, and the studies that judge the paper, which know them; no other study
knows another."""

EXPLORER = "explorer"
"""The library in a browser: it draws as pages do, and knows no study."""

TRAINING = ("training", "studies/head_rank/training", "studies/needle/training")
"""Rooms that may import PyTorch."""

SOURCES = sorted((ROOT / "src" / PACKAGE).rglob("*.py"))


def name_of(path: Path) -> str:
    """A module's name below the package; empty for the package itself."""
    parts = path.relative_to(ROOT / "src" / PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in SOURCES}


def room_of(name: str) -> str:
    """The top folder of a module; of a study, its room there."""
    parts = name.split(".") if name else []
    is_folder = name in MODULES and MODULES[name].name == "__init__.py"
    folders = parts if is_folder else parts[:-1]
    if folders[:1] != ["studies"]:
        return "/".join(folders[:1])
    if len(parts) > 2 and parts[2] in " ".join(STUDIES[parts[1]]).split():
        folders = parts
    return "/".join(folders[:3])


def floor_of(room: str) -> tuple[int, int, int]:
    """How high a room is; ValueError if it is on no floor."""
    top, _, rest = room.partition("/")
    if room in LIBRARY:
        return 0, LIBRARY.index(room), 0
    if room in MACHINERY:
        return 1, MACHINERY.index(room), 0
    if room == EXPLORER:
        return 2, 0, 0
    if top == "studies" and rest:
        study, _, inner = rest.partition("/")
        rooms = STUDIES[study]
        if not inner:
            return 2, 0, len(rooms)
        floors = [k for k, floor in enumerate(rooms) if inner in floor.split()]
        return 2, 0, floors[0]
    if room == "studies":
        return 3, 0, 0
    if room == "":
        return 4, 0, 0
    raise ValueError(f"{room} is on no floor")


def study_of(room: str) -> str:
    """The study that a room is of; empty for another room."""
    top, _, rest = room.partition("/")
    return rest.partition("/")[0] if top == "studies" else ""


def may_import(importer: str, imported: str) -> bool:
    """Whether the floors allow it: from the own room, or from one below and no other
    study, but for the judges of the first."""
    if imported in ("", "lazy_names"):  # the package itself, and what makes its names lazy
        return True
    above, below = room_of(importer), room_of(imported)
    studies = {study_of(above), study_of(below)} - {""}
    if above == below:
        return True
    if below == "studies" and study_of(above):  # the folder of all studies, which is empty
        return imported == "studies"
    if study_of(above) in JUDGES and study_of(below) == JUDGED:
        return True
    return floor_of(below) < floor_of(above) and (len(studies) < 2 or above == "studies")


def ours(name: str) -> list[str]:
    """Modules of the package that one of its modules imports."""
    found = _digest_and_imports(f"{PACKAGE}.{name}".strip("."))[1]
    return [module.removeprefix(PACKAGE).removeprefix(".") for module in found]


def others(name: str) -> set[str]:
    """Packages that a module imports and that are neither ours nor Python's."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module.partition(".")[0])
    return found - sys.stdlib_module_names - {PACKAGE}


def test_each_room_imports_from_those_below_alone():
    imports = {(name, imported) for name in MODULES for imported in ours(name)}
    assert len(imports) > 500
    upwards = {both for both in imports if not may_import(*both)}
    assert upwards == set()


def test_no_job_of_the_papers_figures_imports_what_judges_the_paper():
    study = CONFIG.studies()[JUDGED]
    jobs = [
        result
        for result in study.results.values()
        if result.name in PAPERS_FIGURES or result.name.startswith(("simulate_", "exact_"))
    ]
    assert {*PAPERS_FIGURES} <= {result.name for result in jobs}
    modules = closure(*{f"{PACKAGE}.{result.module}" for result in jobs})
    assert {study_of(room_of(name.removeprefix(f"{PACKAGE}."))) for name in modules} == {JUDGED, ""}


def test_the_library_knows_no_study_no_setting_no_file_and_no_figure():
    beyond = ("studies", *MACHINERY)
    for name in MODULES:
        if room_of(name) in LIBRARY:
            assert {room_of(module).partition("/")[0] for module in ours(name)}.isdisjoint(beyond)


def test_every_folder_is_a_room():
    rooms = {room_of(name) for name in MODULES}
    inner = {f"studies/{s}/{r}" for s, rooms in STUDIES.items() for r in " ".join(rooms).split()}
    studies = {"studies", *(f"studies/{study}" for study in STUDIES)}
    assert rooms == {"", *LIBRARY, *MACHINERY, EXPLORER, *studies, *inner}


def test_packages_of_others_are_where_they_belong():
    for name in MODULES:
        found = others(name)
        room = room_of(name)
        assert room not in ("attention", "datasets") or found <= {"numpy"}, name
        assert room in TRAINING or "torch" not in found, name
        assert "snakemake" not in found, name
        assert room == EXPLORER or "marimo" not in found, name
        is_of_files = found & {"pyarrow", "pydantic", "yaml", "jinja2"}
        assert room not in LIBRARY or not is_of_files, name


def test_tests_stand_in_the_same_rooms():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    run_by_test = {path.removeprefix("tests/") for path in settings["tool"]["pytest"]["testpaths"]}
    assert {*LIBRARY, *MACHINERY, "studies", EXPLORER} <= run_by_test
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for folder in (ROOT / "tests").iterdir():
        if any(folder.rglob("test_*.py")) and folder.name not in run_by_test:
            assert re.search(rf"\btests/{folder.name}\b", makefile), folder.name
    folders = {path.parent for path in (ROOT / "tests" / "studies").rglob("test_*.py")}
    for folder in folders:
        assert (ROOT / "src" / PACKAGE / folder.relative_to(ROOT / "tests")).is_dir(), folder
