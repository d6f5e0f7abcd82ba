"""Fact A.1 and Claims C.3, C.5: attention by the Kronecker product of its tokens is attention.

They are identities of matrices of any shape, so they are evaluated on random matrices of the shape
of Figure 2, and along no path.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from .claim import PaperClaim, Setting

SIZES = ((4, 3),)
"""n and d of Figure 2."""

DRAWS, SEED = 20, 1


def claims() -> list[PaperClaim]:
    """The tensor trick and the two forms of attention."""
    fact = "vec(exp(A₁ Q Kᵀ A₂ᵀ)) = exp((A₁ ⊗ A₂) vec(Q Kᵀ))"
    block = "A block of the Kronecker product gives {} attention's weights before normalising, and"
    rows = (
        (
            "A.1",
            "The weights before normalising, as a vector, are those of the Kronecker product of "
            "the tokens and of X as a vector, if vec stacks rows.",
            f"{fact}, vec by rows",
            partial(_vectors, order="C"),
        ),
        (
            "A.1.columns",
            "The same holds if vec stacks columns.",
            f"{fact}, vec by columns",
            partial(_vectors, order="F"),
        ),
        (
            "C.3",
            f"{block.format('linear')} their sum.",
            "u_lin,j₀ = ((A₁)_j₀ Q Kᵀ A₂ᵀ)ᵀ and α_lin,j₀ = ⟨u_lin,j₀, 1⟩",
            partial(_blocks, h=lambda z: z),
        ),
        (
            "C.5",
            f"{block.format('softmax')} their sum.",
            "u_exp,j₀ = exp((A₁)_j₀ Q Kᵀ A₂ᵀ)ᵀ and α_exp,j₀ = ⟨u_exp,j₀, 1⟩",
            partial(_blocks, h=np.exp),
        ),
    )
    return [
        PaperClaim(
            name, "attention", statement, f"{formula}: difference", "≤ 10^(−12)",
            lambda setting, sides=sides: [_difference(*sides(*draw)) for draw in _draws(setting)],
            f"largest difference of the two sides, relative to the largest entry, over {DRAWS} "
            "random draws of A₁, A₂, Q and K",
            identity=name != "A.1.columns", sizes=SIZES,
        )
        for name, statement, formula, sides in rows
    ]  # fmt: skip


def _draws(setting: Setting):
    """Tokens A1, A2 of shape (n, d), and X = Q K^T of shape (d, d)."""
    rng = np.random.default_rng(SEED)
    for _ in range(DRAWS):
        a1, a2 = rng.standard_normal((2, setting.n, setting.d))
        q, k = rng.standard_normal((2, setting.d, setting.d))
        yield a1, a2, q @ k.T


def _vectors(a1: np.ndarray, a2: np.ndarray, x: np.ndarray, order: str):
    direct = np.exp(a1 @ x @ a2.T).ravel(order=order)
    return direct, np.exp(np.kron(a1, a2) @ x.ravel(order=order))


def _blocks(
    a1: np.ndarray, a2: np.ndarray, x: np.ndarray, h: Callable[[np.ndarray], np.ndarray]
):  # fmt: skip
    """u and alpha of every token, (n, n + 1): from rows of A1, and from blocks of n rows of A."""
    n = len(a1)
    rows = np.array([h(row @ x @ a2.T) for row in a1])
    tensor = np.kron(a1, a2)
    blocks = np.array([h(tensor[j * n : (j + 1) * n] @ x.ravel()) for j in range(n)])
    return tuple(np.column_stack([u, u @ np.ones(n)]) for u in (rows, blocks))


def _difference(direct: np.ndarray, tensor: np.ndarray) -> float:
    return float(np.abs(direct - tensor).max() / np.abs(direct).max())
