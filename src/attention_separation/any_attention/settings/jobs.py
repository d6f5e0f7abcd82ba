"""What each job of this study depends on."""

from attention_separation.any_attention.settings.data import Data
from attention_separation.settings.closed import Closed


class ValuesJob(Closed):
    """All that the tables of kernels and of their values depend on."""

    data: Data
    sizes: list[int]


class LawsJob(Closed):
    """All that the table of laws depends on, and the figures."""

    data: Data
