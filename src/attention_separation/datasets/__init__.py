"""The first paper's datasets of attention, by the name of their model; NumPy alone."""

from .cross_attention import CROSS_ATTENTION
from .dataset import Dataset
from .self_attention import SELF_ATTENTION

DATASETS: dict[str, Dataset] = {
    dataset.name: dataset for dataset in (SELF_ATTENTION, CROSS_ATTENTION)
}
