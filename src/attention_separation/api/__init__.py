"""What researchers import: exact answers on any attention kernel, in NumPy alone.

`attention_separation` itself has all of these names, and loads them when they are first asked for.
"""

from ..attention.kernel import Kernel
from ..attention.kernel_names import UnknownKernelError
from .build import features, kernel_of, pair, rows, scores
from .comparing import compare, plot
from .listing import kernels
from .reaching import (
    critical_temperature,
    holes,
    largest_n,
    least_degree,
    least_weight,
    separates_from,
    spans,
)
from .separating import Separation, Success, separate, success
from .simulating import Simulation, simulate
from .temperature import at_temperature

__all__ = (
    "Kernel",
    "Separation",
    "Simulation",
    "Success",
    "UnknownKernelError",
    "at_temperature",
    "compare",
    "critical_temperature",
    "features",
    "holes",
    "kernel_of",
    "kernels",
    "largest_n",
    "least_degree",
    "least_weight",
    "pair",
    "plot",
    "rows",
    "scores",
    "separate",
    "separates_from",
    "simulate",
    "spans",
    "success",
)
