"""Speed and memory, as ratios from one run: `make bench`, or `python bench.py PART ...`.

Every part runs on one core but `workflow`, which says how many it had, and `gpu`. Those two more,
`cluster` and `gpu`, run when named: they need what `make test OF=cluster` needs, and PyTorch.
"""

import os

# Before NumPy loads: one core means one.
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from engines import attention, exact, figure3, figure3_literal, throughput
from gpu_steps import gpu
from kernels_and_api import api, kernels
from whole_workflow import cluster, core_seconds, scaling, workflow

PARTS = {
    "attention": attention, "figure3": figure3, "figure3_literal": figure3_literal, "exact": exact,
    "kernels": kernels, "api": api, "throughput": throughput,
    "workflow": workflow, "core_seconds": core_seconds, "scaling": scaling,
}  # fmt: skip
ON_REQUEST = {"cluster": cluster, "gpu": gpu}

if __name__ == "__main__":
    chosen = sys.argv[1:]
    every = PARTS | ON_REQUEST
    unknown = set(chosen) - every.keys()
    if unknown:
        sys.exit(f"unknown part {', '.join(sorted(unknown))}; allowed: {', '.join(every)}")
    if len(chosen) == 1:
        every[chosen[0]]()
    # A process for each part: none finds memory or caches as another left them.
    else:
        for part in chosen or PARTS:
            subprocess.run([sys.executable, __file__, part], check=True)
