"""What pages say that needs arithmetic: named values over the tables that are kept.

A module for each study has its facts.
"""

from .any_attention.facts import Kernels
from .head_rank.facts import Rank
from .lemmas.facts import Lemmas
from .needle.facts import Needle
from .recall.facts import Recall
from .softmax_vs_linear.facts import First

FACTS = {
    "first": First,
    "kernels": Kernels,
    "lemmas": Lemmas,
    "needle": Needle,
    "rank": Rank,
    "recall": Recall,
}
"""By the name that templates have for them."""
