"""The rooms of the package: each leans on those below it alone."""

import ast
import re
import sys
import tomllib
from pathlib import Path

from making import ROOT

from attention_separation.results.provenance import PACKAGE, _parsed

FLOORS = (
    "statistics",
    "attention",
    "datasets",
    "settings",
    "own_kernels",
    "results",
    "training",
    "pages",
)
"""Rooms that serve every study, the lowest first."""

STUDIES = {
    "softmax_vs_linear": (
        "models", "settings", "simulation exact", "claims", "figures", "audits",
    ),
    "any_attention": ("settings", "exact", "laws simulation", "figures"),
    "head_rank": ("settings", "constructions", "training", "theory", "claims", "figures"),
    "needle": ("settings", "exact training", "claims"),
    "recall": ("settings layers", "exact", "simulation", "asking", "tables", "claims"),
    "head_model": ("settings library_texts words cells", "probes", "model", "tables"),
}  # fmt: skip
"""Rooms of each study, above all of FLOORS: folders, or modules directly in the study. Other such
modules are above its rooms."""

ABOVE = ("api", "head", "head_model", "explorer")
"""Rooms above all studies, the lowest first; among them a study that uses one."""

TRAINING = ("training", "head_rank/training", "needle/training", "head_model/model")
"""Rooms that may import PyTorch."""

WITH_MODELS = ("head.catching",)
"""Modules that may as well, for they run models that have it."""

SOURCES = sorted((ROOT / "src" / PACKAGE).rglob("*.py"))


def name_of(path: Path) -> str:
    """A module's name below the package; empty for the package itself."""
    parts = path.relative_to(ROOT / "src" / PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in SOURCES}


def room_of(name: str) -> str:
    """The folder of a module, or of a package itself, to the depth of a study's rooms; a module
    that STUDIES names is its own."""
    parts = name.split(".") if name else []
    study, _, module = name.partition(".")
    if module and module in " ".join(STUDIES.get(study, ())).split():
        return f"{study}/{module}"
    if name not in MODULES or MODULES[name].name != "__init__.py":
        parts = parts[:-1]
    return "/".join(parts[:2])


def floor_of(room: str) -> tuple[int, int, int]:
    """How high a room is; ValueError if it is on no floor."""
    if room in FLOORS:
        return 0, FLOORS.index(room), 0
    study, _, inner = room.partition("/")
    inner_floor = 0
    if study in STUDIES:
        rooms = STUDIES[study]
        floors = [k for k, floor in enumerate(rooms) if inner in floor.split()]
        inner_floor = floors[0] if inner else len(rooms)
    if study in ABOVE:
        return 2, ABOVE.index(study), inner_floor
    if study in STUDIES:
        return 1, 0, inner_floor
    if room:
        raise ValueError(f"{room} is on no floor")
    return 3, 0, 0


def may_import(importer: str, imported: str) -> bool:
    """Whether the floors allow it: from the own room, or from one below and no other study."""
    if not imported:  # the package itself, which has the version and imports nothing
        return True
    above, below = room_of(importer), room_of(imported)
    studies = {room.partition("/")[0] for room in (above, below)} & STUDIES.keys()
    return above == below or (floor_of(below) < floor_of(above) and len(studies) < 2)


def ours(name: str) -> list[str]:
    """Modules of the package that one of its modules imports."""
    found = _parsed(f"{PACKAGE}.{name}".strip("."))[1]
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


def test_every_folder_is_a_room():
    rooms = {room_of(name) for name in MODULES}
    studies = {f"{s}/{r}" for s, rooms in STUDIES.items() for r in " ".join(rooms).split()}
    assert rooms == {"", *FLOORS, *STUDIES, *studies, *ABOVE}


def test_packages_of_others_are_where_they_belong():
    for name in MODULES:
        found = others(name)
        assert room_of(name) not in ("attention", "datasets") or found <= {"numpy"}, name
        may_have_torch = room_of(name) in TRAINING or name in WITH_MODELS
        assert may_have_torch or "torch" not in found, name
        assert "snakemake" not in found, name
        assert room_of(name) == "explorer" or "marimo" not in found, name


def test_tests_stand_in_the_same_rooms():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    run_by_test = {path.removeprefix("tests/") for path in settings["tool"]["pytest"]["testpaths"]}
    assert {*FLOORS, *STUDIES} <= run_by_test
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for folder in (ROOT / "tests").iterdir():
        if any(folder.rglob("test_*.py")) and folder.name not in run_by_test:
            assert re.search(rf"pytest tests/{folder.name}( --.*)?\n", makefile), folder.name
    for study in STUDIES:
        folders = {path.parent for path in (ROOT / "tests" / study).rglob("test_*.py")}
        for folder in folders:
            assert (ROOT / "src" / PACKAGE / folder.relative_to(ROOT / "tests")).is_dir(), folder
