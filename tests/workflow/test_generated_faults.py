"""Generated faults on snakemake's own command line: one clear message, and nothing is written."""

import json
import os
import subprocess
import sys
from itertools import chain

import yaml
from faulty import KINDS, as_yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from making import ROOT
from workflow.project import Project

FORKED = ROOT / "tests" / "workflow" / "forked.py"

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


def prepared(way, fault, folder):
    """A project with the fault; returns the folder and the arguments of snakemake."""
    folder.mkdir()
    Project(folder)
    (folder / "config.yaml").write_text(as_yaml(fault.values))
    arguments = ["--cores", "1", "fig1"]
    if way == "--config":
        ((key, value),) = fault.overrides.items()
        arguments += [way, f"{key}={as_yaml(value)}"]
    elif way == "--configfile":
        (folder / "mine.yaml").write_text(yaml.safe_dump(fault.overrides))
        arguments += [way, "mine.yaml"]
    return [str(folder), arguments]


def what_is_wrong(fault, folder, status):
    """What is wrong with snakemake's answer to a fault; nothing if all is well."""
    output = (folder / "output").read_text()
    lines = [line.strip().removeprefix("--config ") for line in output.splitlines()]
    wrong = {
        "exit status 0": status == "0",
        "a traceback": "Traceback" in output,
        "no path": not any(line.startswith(fault.demanded) for line in lines),
        "results": (folder / "results").exists(),
    }
    return [f"{fault}: {what}: {output}" for what, is_so in wrong.items() if is_so]


@settings(max_examples=1, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(one_fault_of_each_case())
def test_twenty_faults(tmp_path_factory, faults):
    assert len(faults) >= 20
    parent = tmp_path_factory.mktemp("faults")
    folders = [parent / str(k) for k in range(len(faults))]
    runs = [
        prepared(way, fault, folder) for (way, fault), folder in zip(faults, folders, strict=True)
    ]
    done = subprocess.run(
        [sys.executable, FORKED], input="".join(f"{json.dumps(run)}\n" for run in runs),
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")}, text=True, capture_output=True,
        check=True,
    )  # fmt: skip
    statuses = done.stdout.splitlines()
    found = [
        what_is_wrong(fault, folder, status)
        for (_, fault), folder, status in zip(faults, folders, statuses, strict=True)
    ]
    assert list(chain.from_iterable(found)) == []
