"""`make paper` prints a line a job, and all that is no news of jobs as it is."""

import os
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location

from making import ROOT

PATH = ROOT / "workflow/short_output.py"
spec = spec_from_file_location("short_output", PATH)
module = module_from_spec(spec)
spec.loader.exec_module(module)

SAID = """Using shell: /usr/bin/bash
Building DAG of jobs...
Job stats:
job               count
--------------  -------
fig4b                 1
total                 2

Select jobs to execute...
Execute 1 jobs...
[Wed Nov 25 22:13:13 2026]
Finished jobid: 2 (Rule: simulate_fig4b)
1 of 2 steps (50%) done
fig3b: 89000 of 100000 trials, 5 s, about 1 s left
[Wed Nov 25 22:13:13 2026]
Error in rule fig4b:
    message: Figure fig4b
    jobid: 1
    (command exited with non-zero exit code)

Complete log(s): LOG
"""
KEPT = """Error in rule fig4b:
    message: Figure fig4b
    jobid: 1
    (command exited with non-zero exit code)

Complete log(s): LOG
"""


def test_a_job_is_a_line_and_an_error_is_whole():
    first, *rest = module.shortened(SAID.splitlines(keepends=True), is_terminal=False)
    assert first.startswith("1 of 2: simulate_fig4b; 0 s, about 0 s left")
    assert "".join(rest) == KEPT


def test_in_a_terminal_progress_is_written_over():
    texts = [*module.shortened(SAID.splitlines(keepends=True), is_terminal=True)]
    assert texts[1] == f"{module.OVER}fig3b: 89000 of 100000 trials, 5 s, about 1 s left"
    assert all(text.startswith(module.OVER) for text in texts)


def test_a_run_that_fails_still_fails():
    """As a recipe of the Makefile has it."""
    command = f"set -eo pipefail; (echo no; exit 3) 2>&1 | {sys.executable} {PATH}; echo on"
    done = subprocess.run(
        ["bash", "-c", command], env=os.environ, text=True, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (3, "no\n")
