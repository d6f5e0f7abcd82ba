"""Texts that Python's standard library carries: prose, docstrings and source, other in another
version of Python."""

import ast
import importlib.util
import pydoc_data.topics
from pathlib import Path

DOCSTRINGS = "_pydecimal"
"""Module whose docstrings are a text."""

SOURCE = "argparse"
"""Module whose source is a text."""

NEEDLE_SENTENCE = (
    " The best thing to do in the old harbour is to eat a warm plum cake on the long pier at noon."
)
"""What no library says."""


def library_text(name: str) -> str:
    """Returns the text of a name: `topics` of Python's help, `docstrings`, or `source`."""
    if name == "topics":
        topics = pydoc_data.topics.topics
        return "\n\n".join(topics[topic] for topic in sorted(topics))
    if name == "docstrings":
        return "\n\n".join(_docstrings(ast.parse(_source(DOCSTRINGS))))
    return _source(SOURCE)


def _source(module: str) -> str:
    found = importlib.util.find_spec(module)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).read_text(encoding="utf-8")


def _docstrings(tree: ast.Module) -> list[str]:
    """Returns the docstrings of a module, its classes and functions, in their order."""
    texts = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node)
            if text is not None:
                texts.append(text)
    return texts
