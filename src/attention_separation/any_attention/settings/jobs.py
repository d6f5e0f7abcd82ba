"""What each job of this study depends on."""

from attention_separation.any_attention.settings.data import Data
from attention_separation.any_attention.settings.own_kernels import OwnKernels
from attention_separation.settings.closed import Closed


class ValuesJob(Closed):
    """All that the tables of kernels and of their values depend on."""

    data: Data
    sizes: list[int]
    kernels: OwnKernels | None = None
    modules: dict[str, str] | None = None
    """Digests of the modules of own kernels that are Python functions, by kernel."""


class DataJob(Closed):
    """All that the laws and the figures depend on; own kernels only where they show these."""

    data: Data
    kernels: OwnKernels | None = None
    modules: dict[str, str] | None = None


class OverviewJob(Closed):
    """What the study's page shows: digests of the settings of figures and tables, by name."""

    data: Data
    figures: dict[str, str]
    tables: dict[str, str]
