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

from ...any_attention.kernel_check import all_sizes, check_kernel
from ...any_attention.layers import LAYERS
from ...results.provenance import PACKAGE, ROOT
from ...settings.faults import Fault
from ...settings.kernel_section import OwnKernel, PythonKernel
from ...settings.kernel_values import own_kernel
from .settings import Data, KernelsJob

JOB = "studies.any_attention.own_kernel_faults"
ANSWER = f"{JOB}: "
"""This module's job, and what the line begins with that is its answer."""


def own_kernel_faults(
    kernels: Mapping[str, OwnKernel], data: Data, sizes: list[int]
) -> list[Fault]:
    """A fault of each kernel that cannot be used, with its path in the section."""
    python_kernels: dict[str, OwnKernel] = {}
    sentences = {}
    for name, setting in kernels.items():
        if isinstance(setting, PythonKernel):
            python_kernels[name] = setting
        else:
            sentences[name] = kernel_fault(name, setting, data, sizes)
    if python_kernels:
        sentences |= _faults_from_another_process(python_kernels, data, sizes)
    return [(("kernels", name), sentences[name]) for name in kernels if sentences[name]]


def kernel_fault(name: str, setting: OwnKernel, data: Data, sizes: list[int]) -> str:
    """What is wrong with a kernel in a sentence; empty if nothing is."""
    try:
        kernel = own_kernel(name, setting)
        tried_sizes = sorted({*sizes, *all_sizes(data.classes)})
        for layer in LAYERS:
            check_kernel(kernel, layer, data, tried_sizes)
    except (ArithmeticError, ValueError) as error:
        return str(error).removeprefix(f"{name}: ")
    return ""


def run(job: KernelsJob) -> None:
    """Print the fault of each kernel, "" for none, after ANSWER on a line."""
    assert job.kernels is not None
    assert job.sizes is not None
    faults = {}
    # What a user's module prints is not the answer.
    with contextlib.redirect_stdout(sys.stderr):
        for name, setting in job.kernels.items():
            faults[name] = kernel_fault(name, setting, job.data, job.sizes)
    print(f"\n{ANSWER}{json.dumps(faults)}", flush=True)


def _faults_from_another_process(
    kernels: dict[str, OwnKernel], data: Data, sizes: list[int]
) -> dict[str, str]:
    """The fault of each kernel by name, "" for none, from a process that sees what a job will
    see."""
    job = KernelsJob(data=data, sizes=sizes, kernels=kernels)
    process = subprocess.run(
        [sys.executable, "-m", PACKAGE, "job", JOB, "--settings", "-"],
        input=job.canonical(),
        env=os.environ | {"PYTHONPATH": str(ROOT.parent)},
        text=True,
        capture_output=True,
        check=False,
    )
    for line in process.stdout.splitlines():
        if line.startswith(ANSWER):
            faults: dict[str, str] = json.loads(line.removeprefix(ANSWER))
            return faults
    *_, last_line = ["it said nothing", *process.stderr.strip().splitlines()]
    fault = f"Python ended with status {process.returncode} when it was tried: {last_line[:200]}"
    return dict.fromkeys(kernels, fault)
