"""The packages a result names."""

import tomllib

import pyarrow as pa
from making import ROOT

from attention_separation import __version__
from attention_separation.results import installed


def test_what_is_installed():
    found = installed.packages()
    assert found["attention-separation"] == __version__
    assert found["pyarrow"] == pa.__version__
    assert list(found) == sorted(found)
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = wanted["project"]
    needed = project["dependencies"] + project["optional-dependencies"]["workflow"]
    names = [text.split(">")[0] for text in needed]
    assert sorted(installed.DEPENDENCIES) == sorted(names)
