"""What each job of this study depends on."""

from attention_separation.any_attention.settings.data import Data
from attention_separation.any_attention.settings.simulated import Simulated
from attention_separation.settings.closed import Closed


class ValuesJob(Closed):
    """All that the tables of kernels and of their values depend on."""

    data: Data
    sizes: list[int]


class SimulatedJob(Closed):
    """All that the table of simulated kernels depends on."""

    data: Data
    simulated: Simulated
    seed: int


class DataJob(Closed):
    """All that the laws and the figures depend on."""

    data: Data


class OverviewJob(Closed):
    """What the study's page shows: digests of the settings of figures and tables, by name."""

    data: Data
    figures: dict[str, str]
    tables: dict[str, str]
