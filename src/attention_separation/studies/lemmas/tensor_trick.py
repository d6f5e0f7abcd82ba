"""Fact A.1 and Claims C.3, C.5: attention by the Kronecker product of its tokens is attention.

They are identities of matrices of any shape, so they are evaluated on random matrices of the shape
of Figure 2, and along no path.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .claim import PaperClaim, Setting, Size

SIZE_OF_FIGURE_2 = Size(n=4, d=3)

RANDOM_DRAWS = 20
SEED_OF_DRAWS = 1


@dataclass(frozen=True)
class Draw:
    """Tokens A1 and A2, (n, d), and X = Q K^T, (d, d)."""

    a1: np.ndarray
    a2: np.ndarray
    x: np.ndarray


@dataclass(frozen=True)
class Sides:
    """The same by the definition of attention, and by the Kronecker product of the tokens."""

    direct: np.ndarray
    tensor: np.ndarray

    @property
    def difference(self) -> float:
        """The largest difference of the two sides' entries, over the largest entry."""
        return float(np.abs(self.direct - self.tensor).max() / np.abs(self.direct).max())


def claims() -> list[PaperClaim]:
    """The claims of Fact A.1, read both ways, and of C.3 and C.5."""
    fact = "vec(exp(A₁ Q Kᵀ A₂ᵀ)) = exp((A₁ ⊗ A₂) vec(Q Kᵀ))"
    block = "A block of the Kronecker product gives {} attention's weights before normalising, and"
    return [
        _equality_claim(
            "A.1",
            "The weights before normalising, as a vector, are those of the Kronecker product of "
            "the tokens and of X as a vector, if vec stacks rows.",
            formula=f"{fact}, vec by rows",
            sides=lambda draw: _vectors(draw, order="C"),
        ),
        _equality_claim(
            "A.1.columns",
            "The same holds if vec stacks columns.",
            formula=f"{fact}, vec by columns",
            sides=lambda draw: _vectors(draw, order="F"),
            identity=False,
        ),
        _equality_claim(
            "C.3",
            f"{block.format('linear')} their sum.",
            formula="u_lin,j₀ = ((A₁)_j₀ Q Kᵀ A₂ᵀ)ᵀ and α_lin,j₀ = ⟨u_lin,j₀, 1⟩",
            sides=lambda draw: _weights_and_sums(draw, h=lambda scores: scores),
        ),
        _equality_claim(
            "C.5",
            f"{block.format('softmax')} their sum.",
            formula="u_exp,j₀ = exp((A₁)_j₀ Q Kᵀ A₂ᵀ)ᵀ and α_exp,j₀ = ⟨u_exp,j₀, 1⟩",
            sides=lambda draw: _weights_and_sums(draw, h=np.exp),
        ),
    ]


def _equality_claim(
    name: str,
    statement: str,
    *,
    formula: str,
    sides: Callable[[Draw], Sides],
    identity: bool = True,
) -> PaperClaim:
    """The claim that two sides, functions of a random draw of matrices, are equal on every draw."""
    return PaperClaim(
        id=name,
        model="attention",
        statement=statement,
        left=f"{formula}: difference",
        claimed="≤ 10^(−12)",
        cells=lambda setting: [sides(draw).difference for draw in _draws(setting)],
        quantity="largest difference of the two sides, relative to the largest entry, over "
        f"{RANDOM_DRAWS} random draws of A₁, A₂, Q and K",
        identity=identity,
        sizes=[SIZE_OF_FIGURE_2],
    )


def _draws(setting: Setting) -> Iterator[Draw]:
    """RANDOM_DRAWS of normal tokens and X, of the setting's size."""
    rng = np.random.default_rng(SEED_OF_DRAWS)
    n = setting.n
    d = setting.embedding_dimension
    for _ in range(RANDOM_DRAWS):
        a1, a2 = rng.standard_normal((2, n, d))
        q, k = rng.standard_normal((2, d, d))
        yield Draw(a1, a2, q @ k.T)


def _vectors(draw: Draw, order: Literal["C", "F"]) -> Sides:
    """All weights before normalising as one vector, (n^2,), both ways; `order` is that of vec: by
    rows ("C") or by columns ("F")."""
    direct = np.exp(draw.a1 @ draw.x @ draw.a2.T).ravel(order=order)
    tensor = np.exp(np.kron(draw.a1, draw.a2) @ draw.x.ravel(order=order))
    return Sides(direct, tensor)


def _weights_and_sums(draw: Draw, h: Callable[[np.ndarray], np.ndarray]) -> Sides:
    """Each token's weights before normalising and their sum, (n, n + 1), both ways: from the rows
    of A1, and from blocks of n rows of the Kronecker product."""
    n = len(draw.a1)
    rows = np.array([h(row @ draw.x @ draw.a2.T) for row in draw.a1])
    tensor = np.kron(draw.a1, draw.a2)
    x = draw.x.ravel()
    blocks = np.array([h(tensor[j * n : (j + 1) * n] @ x) for j in range(n)])
    return Sides(_with_sums(rows), _with_sums(blocks))


def _with_sums(u: np.ndarray) -> np.ndarray:
    """Rows of weights, (n, n), with their sums as a last column."""
    return np.column_stack([u, u @ np.ones(u.shape[1])])
