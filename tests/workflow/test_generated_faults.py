"""Generated faults on snakemake's own command line: one clear message, and nothing is written."""

from itertools import chain

import pytest
import yaml
from faulty import KINDS, as_yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from project import Project

pytestmark = pytest.mark.whole_run

ANYWHERE = ["junk", "odd text", "other container", "unknown key", "range", "unknown panel", "model"]
IN_THE_FILE = [*ANYWHERE, "misspelt", "missing"]

CASES = [("file", kind) for kind in IN_THE_FILE]
CASES += [(way, kind) for way in ("--config", "--configfile") for kind in ANYWHERE]


def surely(kind, over):
    """Faults of a kind that must be refused."""
    return KINDS[kind](over).filter(
        lambda fault: (
            fault.sure
            and bool(fault.overrides) == over
            # Snakemake itself refuses other names after --config.
            and (not over or (fault.path[0].isidentifier() and len(fault.path[0]) > 1))
        )
    )


@st.composite
def one_fault_of_each_case(draw):
    """A fault of each case, in random order."""
    return [(way, draw(surely(kind, way != "file"))) for way, kind in CASES]


def answer(way, fault, folder):
    """What snakemake does in a project with the fault."""
    folder.mkdir()
    project = Project(folder)
    (folder / "config.yaml").write_text(as_yaml(fault.values))
    arguments = ["claims"]
    if way == "--config":
        ((key, value),) = fault.overrides.items()
        arguments += [way, f"{key}={as_yaml(value)}"]
    elif way == "--configfile":
        (folder / "mine.yaml").write_text(yaml.safe_dump(fault.overrides))
        arguments += [way, "mine.yaml"]
    return project.run(*arguments)


def what_is_wrong(fault, folder, done):
    """What is wrong with snakemake's answer to a fault; nothing if all is well."""
    output = done.stdout
    lines = [line.strip().removeprefix("--config ") for line in output.splitlines()]
    demanded = f"{folder.resolve()}/config.yaml, line " if fault.is_no_yaml else fault.demanded
    wrong = {
        "exit status 0": done.returncode == 0,
        "a traceback": "Traceback" in output,
        "no path": not any(line.startswith(demanded) for line in lines),
        "results": (folder / "results").exists(),
    }
    return [f"{fault}: {what}: {output}" for what, is_so in wrong.items() if is_so]


@settings(max_examples=1, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(one_fault_of_each_case())
def test_twenty_faults(tmp_path_factory, faults):
    assert len(faults) >= 20
    parent = tmp_path_factory.mktemp("faults")
    folders = [parent / str(k) for k in range(len(faults))]
    found = [
        what_is_wrong(fault, folder, answer(way, fault, folder))
        for (way, fault), folder in zip(faults, folders, strict=True)
    ]
    assert list(chain.from_iterable(found)) == []
