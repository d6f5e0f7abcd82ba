"""One point of a panel: all that a trial depends on."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    """One point of a panel: every parameter with its value; None where the model has none."""

    name: str
    swept: tuple[float, ...]
    n: int
    m: int
    tau: float
    s: float
    data: str
    signs: str
    d: int | None = None
    a0: float | None = None
    a1: float | None = None
    b: float | None = None
    c: float | None = None
    delta: float | None = None
    attention_x: str | None = None
    law: str | None = None

    def a(self, dataset: int) -> float:
        """Size of the special entry in D0 or D1."""
        return self.a1 if dataset else self.a0
