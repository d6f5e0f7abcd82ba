"""What researchers import: exact answers on any attention kernel, in NumPy alone.

`attention_separation` itself has all of these names, and loads them when they are first asked for.
"""

from attention_separation.api.comparing import compare, critical_temperature, largest_n
from attention_separation.api.contests import Success, success
from attention_separation.api.given import features, kernel_of, pair, rows, scores
from attention_separation.api.listing import kernels
from attention_separation.api.plots import plot
from attention_separation.api.separating import Separation, separate
from attention_separation.api.simulating import Simulation, simulate
from attention_separation.api.temperature import at_temperature
from attention_separation.attention.kernel_names import UnknownKernelError
from attention_separation.attention.kernels import Kernel

__all__ = [
    "Kernel",
    "Separation",
    "Simulation",
    "Success",
    "UnknownKernelError",
    "at_temperature",
    "compare",
    "critical_temperature",
    "features",
    "kernel_of",
    "kernels",
    "largest_n",
    "pair",
    "plot",
    "rows",
    "scores",
    "separate",
    "simulate",
    "success",
]
