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


def test_the_processor_is_named_by_its_family(tmp_path):
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(
        "processor\t: 0\nvendor_id\t: Maker\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: A: B\n"
        "flags\t\t:\n\nprocessor\t: 1\nvendor_id\t: Other\n"
    )
    assert installed.processor(cpuinfo) == "Maker family 6 model 85"
    cpuinfo.write_text("processor\t: 0\nBogoMIPS\t: 50.00\n")
    assert installed.processor(cpuinfo)
    assert installed.processor(tmp_path / "none")
