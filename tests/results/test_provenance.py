"""Digests of code: what counts, and what it is found from."""

import pytest

from attention_separation.results import provenance
from attention_separation.results.provenance import PACKAGE, closure, code_digest
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
