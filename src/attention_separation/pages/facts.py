"""What pages say that needs arithmetic: named values over the tables that are kept.

A module for each study has its facts.
"""

from .first_facts import First
from .kernel_facts import Kernels
from .needle_facts import Needle
from .rank_facts import Rank
from .recall_facts import Recall

FACTS = {
    "first": First,
    "kernels": Kernels,
    "needle": Needle,
    "rank": Rank,
    "recall": Recall,
}
"""By the name that templates have for them."""
