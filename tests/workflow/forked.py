"""Runs of snakemake's command line, one after the other, each forked where all is imported.

Reads a line per run from stdin, JSON of a folder and the arguments; what a run prints goes to
`output` in its folder, its exit status, a line per run, to stdout.
"""

import json
import os
import signal
import sys

import snakemake.cli

import attention_separation.config  # noqa: F401

SECONDS = 120
"""After which a run is killed."""


def run(folder: str, arguments: list[str]) -> None:
    """What `snakemake ARGUMENTS` in a folder does, to its end."""
    signal.alarm(SECONDS)
    os.chdir(folder)
    output = os.open("output", os.O_WRONLY | os.O_CREAT)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.argv = ["snakemake", *arguments]
    snakemake.cli.main()


if __name__ == "__main__":
    # Looks for plugins, which takes most of a run that ends at once.
    snakemake.cli.get_argument_parser()
    for line in sys.stdin:
        child = os.fork()
        if not child:
            run(*json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
