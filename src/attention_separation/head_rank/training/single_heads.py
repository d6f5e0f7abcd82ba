"""Trained single heads of full rank, and the error of Fact 1's head -cI at the c of each. Without
torch."""

from dataclasses import dataclass

from ..constructions.farthest_point import simulated_errors
from .runs import chosen, is_full_rank, naming_dead, plain, values


def single_heads(rows: list[dict], layers: int) -> list[dict]:
    """Runs of Figure 1 with the fewest heads of full rank per layer."""
    own = [row for row in chosen(plain(rows), layers=layers) if is_full_rank(row)]
    return chosen(own, total_heads=min(values(own, "total_heads"))) if own else []


@dataclass(frozen=True)
class Simulated:
    """A run of a single head at one layer, its c, and the error of -cI with its standard error."""

    run: dict
    temperature: float
    error: float
    se: float

    @property
    def name(self) -> str:
        return naming_dead(f"run {self.run['run']}, c={self.temperature:.3g}", [self.run])


def simulate_heads(own: list[dict], seed: int) -> list[Simulated]:
    """Runs of single heads at one layer, each with the error of -cI at its own c."""
    if not own:
        return []
    # A run without numbers has no c: uniform attention has 0.
    c = [-(row["scale"][0] or 0.0) for row in own]
    found = simulated_errors(own[0]["d"], own[0]["n"], c, seed)
    return [Simulated(row, of, *error) for row, of, error in zip(own, c, found, strict=True)]


def fact_1_errors(rows: list[dict], seed: int) -> dict[tuple[str, int], float]:
    """By cell and run, of every run of one layer with one head of full rank and no encoding, the
    error that Fact 1's head -cI has at its learned c."""
    own = [row for row in chosen(rows, layers=1, total_heads=1, encoding="none")
           if is_full_rank(row)]  # fmt: skip
    sizes_of = dict.fromkeys((row["d"], row["n"]) for row in own)
    return {
        (found.run["cell"], found.run["run"]): found.error
        for d, n in sizes_of
        for found in simulate_heads(chosen(own, d=d, n=n), seed)
    }
