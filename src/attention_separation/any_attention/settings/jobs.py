"""What the jobs of this study depend on."""

from attention_separation.own_kernels.section import OwnKernels
from attention_separation.settings.closed import Closed

from .data import Data
from .simulated import Simulated


class KernelsJob(Closed):
    """What a table or figure of kernels depends on; None where it does not depend on it.

    `kernels` are a user's own, `modules` the digests of the modules of those that are Python
    functions, by the kernel's name; `only` are the built-in kernels, if not all; `sizes` numbers of
    tokens.
    """

    data: Data
    sizes: list[int] | None = None
    only: list[str] | None = None
    kernels: OwnKernels | None = None
    modules: dict[str, str] | None = None


class SimulatedJob(Closed):
    """All that the table of simulated kernels depends on."""

    data: Data
    simulated: Simulated
    seed: int
