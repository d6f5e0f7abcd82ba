"""What is wrong with a user's own kernels, before anything runs.

Formulas are tried where the configuration is read; Python functions in a process of their own, as
jobs will start it, so that no module of a user is ever imported by a workflow.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping

from ...own_kernels.section import OwnKernel, PythonKernel
from ...own_kernels.values import own_kernel
from ...results.provenance import PACKAGE, ROOT
from ..settings import Data, KernelsJob
from .kernel_check import all_sizes, check_kernel
from .layers import LAYERS

JOB = "any_attention.exact.own_kernel_faults"
ANSWER = f"{JOB}: "
"""This module's job, and what the line begins with that is its answer."""


def own_kernel_faults(
    kernels: Mapping[str, OwnKernel], data: Data, sizes: list[int]
) -> list[tuple[tuple, str]]:
    """A fault of each kernel that cannot be used, with its path in the section."""
    python = {name: one for name, one in kernels.items() if isinstance(one, PythonKernel)}
    found = _in_own_process(KernelsJob(data=data, sizes=sizes, kernels=python)) if python else {}
    for name in kernels.keys() - python.keys():
        found[name] = kernel_fault(name, kernels[name], data, sizes)
    return [(("kernels", name), found[name]) for name in kernels if found[name]]


def kernel_fault(name: str, setting: OwnKernel, data: Data, sizes: list[int]) -> str:
    """What is wrong with a kernel in a sentence; empty if nothing is."""
    try:
        kernel, each = own_kernel(name, setting), sorted({*sizes, *all_sizes(data.classes)})
        for layer in LAYERS:
            check_kernel(kernel, layer, data, each)
    except (ArithmeticError, ValueError) as error:
        return str(error).removeprefix(f"{name}: ")
    return ""


def run(job: KernelsJob) -> None:
    # What a user's module prints is not the answer.
    with contextlib.redirect_stdout(sys.stderr):
        kernels = job.kernels.items()
        found = {name: kernel_fault(name, one, job.data, job.sizes) for name, one in kernels}
    print(f"\n{ANSWER}{json.dumps(found)}", flush=True)


def _in_own_process(job: KernelsJob) -> dict[str, str]:
    """The faults of kernels, by name; in a process that sees what a job will see."""
    done = subprocess.run(
        [sys.executable, "-m", PACKAGE, "job", JOB, "--settings", "-"],
        input=job.canonical(), env=os.environ | {"PYTHONPATH": str(ROOT.parent)}, text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    for line in done.stdout.splitlines():
        if line.startswith(ANSWER):
            return json.loads(line.removeprefix(ANSWER))
    said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
    text = f"Python ended with status {done.returncode} when it was tried: {said[:200]}"
    return dict.fromkeys(job.kernels, text)
