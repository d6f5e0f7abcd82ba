"""What each job of this study depends on."""

from attention_separation.own_kernels.section import OwnKernels
from attention_separation.settings.closed import Closed

from .data import Data
from .simulated import Simulated


class OfKernels(Closed):
    """What a job depends on that shows a user's own kernels; None where there are none.

    `modules` are digests of the modules of those that are Python functions, by the kernel's name.
    """

    kernels: OwnKernels | None = None
    modules: dict[str, str] | None = None


class SplitsJob(OfKernels):
    """All that the table of splits depends on."""

    data: Data
    only: list[str] | None = None


class ValuesJob(SplitsJob):
    """All that the tables of kernels and of their values depend on."""

    sizes: list[int]


class SimulatedJob(Closed):
    """All that the table of simulated kernels depends on."""

    data: Data
    simulated: Simulated
    seed: int


class DataJob(OfKernels):
    """All that the laws and the figures depend on; own kernels only where they are shown."""

    data: Data


class OverviewJob(Closed):
    """What the study's page shows: digests of the settings of figures and tables, by name."""

    data: Data
    figures: dict[str, str]
    tables: dict[str, str]
