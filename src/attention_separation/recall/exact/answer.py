"""What every question on recall is answered with."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Recall:
    """The accuracy with which a value is given back.

    Attributes
    ----------
    value : the probability that the output has the value's sign, a tie counted half
    error : of exact answers how far another rule or step moves it; of limits how far it was found
        from the law at this d; of simulated answers the longer half of the interval of 95 %
    method : how it was found; the first word is exact, limit or simulated
    """

    value: float
    error: float
    method: str

    @property
    def kind(self) -> str:
        """exact, limit or simulated."""
        return self.method.partition(":")[0]
