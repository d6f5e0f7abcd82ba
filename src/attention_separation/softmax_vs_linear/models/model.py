"""What a model is: its parameters, what they must meet, its words, and what it can be asked."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from attention_separation.settings.closed import Closed

from .contest import Contest


@dataclass(frozen=True, eq=False)
class Model(ABC):
    """One of the paper's models.

    Attributes
    ----------
    name : in configurations and tables
    title : above plots
    parameters : the type of its parameters in configurations
    has_maps : whether exact values come fast enough for maps over two parameters, and over the
        threshold that all networks share
    most_alternatives : points of a panel at which alternatives are evaluated, None for all
    titled_by : the parameter that titles state instead of listing it with the others
    """

    has_maps: ClassVar[bool]
    most_alternatives: ClassVar[int | None]
    titled_by: ClassVar[str]

    name: str
    title: str
    parameters: type[Closed]

    @property
    def words(self) -> str:
        """The model's name in text."""
        return self.name.replace("_", "-")

    @abstractmethod
    def check(self, n: int, d: int | None) -> None:
        """Raise ValueError unless there is a dataset of this size."""

    @abstractmethod
    def check_contest(self, contest: Contest) -> None:
        """Raise ValueError unless the model takes the contest's kernels."""

    def scale(self, n: int) -> float:
        """s, the unit of thresholds that are given as theta = tau / s."""
        return 1.0

    def allows(self, a0: float, a1: float, b: float | None, c: float | None) -> bool:
        """Whether the definition of the model's datasets allows these parameters."""
        return True
