"""A process that has loaded Snakemake, and becomes a copy of itself for each start that it is asked
for: to load it takes longer than to read the rules. It loads nothing of this project."""

import gc
import importlib
import json
import os
import sys

from snakemake.cli import get_argument_parser, main

LOADED_LATER = ("numpy", "pyarrow.parquet", "pydantic", "smart_open", "snakemake.report", "yaml")
"""By Snakemake where it reads rules, and by the rules."""


def become(start: dict) -> None:
    """Have the folder, the environment and the output that a start asks for."""
    os.chdir(start["folder"])
    # As of `python -m snakemake`.
    sys.path[0] = start["folder"]
    sys.argv = ["snakemake", *start["arguments"]]
    os.environ.clear()
    os.environ.update(start["environment"])
    sys.modules.update(dict.fromkeys(start["missing"]))
    for place, descriptor in ((os.devnull, 0), (start["said"], 1), (start["said"], 2)):
        os.dup2(os.open(place, os.O_RDWR | os.O_APPEND), descriptor)


for module in LOADED_LATER:
    importlib.import_module(module)
# It finds and loads the plugins.
get_argument_parser()
# Else each copy would soon have memory of its own.
gc.freeze()
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        become(json.loads(line))
        main()
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
