"""One point of a panel: all that a trial depends on."""

from dataclasses import dataclass

from .contest import PAPERS, Contest


@dataclass(frozen=True)
class Point:
    """One point of a panel: every parameter with its value; None where the model has none.

    `theta` is the threshold in units of s, which is 1 in softmax regression.
    """

    name: str
    swept: tuple[float, ...]
    n: int
    m: int
    theta: float
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
    contest: Contest = PAPERS

    @property
    def tau(self) -> float:
        """The threshold, theta s."""
        return self.theta * self.s

    def a(self, dataset: int) -> float:
        """Size of the special entry in D0 or D1."""
        return self.a1 if dataset else self.a0


def stacked_by(point: Point) -> tuple:
    """What points share that arrays hold together: d, X, the contest, and what trials share."""
    return point.d, point.attention_x, point.contest, point.data, point.signs


def alike(points: list[Point]) -> list[list[int]]:
    """Positions of the points in groups that arrays can hold together."""
    groups: dict[tuple, list[int]] = {}
    for k, point in enumerate(points):
        groups.setdefault(stacked_by(point), []).append(k)
    return list(groups.values())
