"""Syntax trees that are kept: the same as those that are taken, and never older than a source."""

import sys

import pytest

from attention_separation.results.syntax_trees import kept_trees, syntax_tree

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
