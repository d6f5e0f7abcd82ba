"""Digests of code: what counts, and what it is found from; syntax trees that are kept are the same
as those that are taken, and never older than a source."""

import sys

import pytest

from attention_separation.results import provenance
from attention_separation.results.provenance import PACKAGE, closure, code_digest
from attention_separation.results.syntax_trees import kept_trees, syntax_tree
from attention_separation.settings.strict_model import canonical_json


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of three modules, of which `one` imports `two`; returns a digest after an edit."""
    files = {
        "__init__.py": "",
        "one.py": "import attention_separation.two\n\ndef f():\n    '''Doc.'''\n    return 1\n",
        "two.py": "def g():\n    return 2\n",
        "three.py": "def h():\n    return 3\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(provenance, "ROOT", tmp_path)

    def digest(name=None, old="", new=""):
        if name:
            path = tmp_path / name
            assert old in path.read_text()
            path.write_text(path.read_text().replace(old, new))
        provenance._digest_and_imports.cache_clear()
        return code_digest("attention_separation.one")

    yield digest
    provenance._digest_and_imports.cache_clear()


def test_an_import_inside_a_function_counts(package):
    before = package("one.py", "return 1", "from attention_separation import three\n    return 1")
    assert before != package("three.py", "return 3", "return 7")


@pytest.mark.parametrize("words", ["from .two import g", "from . import two"])
def test_a_relative_import_counts(package, words):
    before = package("one.py", "import attention_separation.two", words)
    assert package("two.py", "return 2", "return 7") != before


def test_what_type_checkers_alone_import_does_not(package):
    unseen = "if TYPE_CHECKING:\n    from attention_separation import three\n"
    before = package()
    assert package("__init__.py", "", unseen) == before
    assert package("three.py", "return 3", "return 7") == before


def test_a_job_depends_on_its_own_study_alone():
    """The package itself names the API for type checkers: through it all would depend on all."""
    modules = closure(f"{PACKAGE}.studies.head_rank.theory.bound_table").keys() - {PACKAGE}
    rooms = {name.split(".")[1] for name in modules}
    assert rooms.isdisjoint({"api", "any_attention", "needle", "recall"})
    assert "results" in rooms
    studies = {name.split(".")[2] for name in modules if name.startswith(f"{PACKAGE}.studies.")}
    assert studies == {"head_rank"}


def test_an_unknown_module_is_an_error():
    with pytest.raises(ModuleNotFoundError, match="not a module"):
        code_digest("attention_separation.nothing")


def test_the_text_of_settings_does_not_depend_on_order():
    assert canonical_json({"a": 1, "b": [2]}) == canonical_json({"b": [2], "a": 1})
    assert canonical_json({"b": 1, "a": 0.5}) == '{"a":0.5,"b":1}'
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(float("nan"))


SOURCE = b"""'''Doc.'''
import json, os.path
from .room import one as other
from .. import two


def f(x):
    '''Doc.'''
    return x + 1  # comment
"""


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A folder in which the trees of some sources are kept."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    trees = kept_trees(tmp_path / "cache")
    trees.tree_of(SOURCE)
    trees.write()
    return tmp_path / "cache"


def test_what_is_kept_is_what_is_taken(written):
    assert kept_trees(written).trees.keys()
    assert kept_trees(written).tree_of(SOURCE) == syntax_tree(SOURCE)
    again = kept_trees(written)
    again.tree_of(SOURCE)
    assert not again.is_changed


def test_another_source_has_another_tree(written):
    trees = kept_trees(written)
    changed = SOURCE.replace(b"x + 1", b"x + 2")
    assert trees.tree_of(changed).digest != trees.tree_of(SOURCE).digest
    only_words = SOURCE.replace(b"# comment", b"# other").replace(b"Doc.", b"Other.")
    assert trees.tree_of(only_words) == trees.tree_of(SOURCE)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": 1}', '{"a": ["b"]}', '{"a": ["b", [[1]]]}'])
def test_a_damaged_file_is_as_none(written, text):
    (path,) = written.iterdir()
    path.write_text(text)
    trees = kept_trees(written)
    assert trees.tree_of(SOURCE) == syntax_tree(SOURCE)
    trees.write()
    assert kept_trees(written).trees == trees.trees


def test_nothing_is_written_where_no_bytecode_is(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    trees = kept_trees(tmp_path / "cache")
    trees.tree_of(SOURCE)
    trees.write()
    assert not (tmp_path / "cache").exists()


def test_a_folder_that_cannot_be_written_is_no_fault(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "file").write_text("")
    trees = kept_trees(tmp_path / "file")
    trees.tree_of(SOURCE)
    trees.write()
    assert (tmp_path / "file").read_text() == ""
