"""W of FAVOR+: Gaussian rows, orthogonal in blocks of d (arXiv 2009.14794)."""

import numpy as np


def numbers_of_projections(features: int, d: int) -> int:
    """How many Gaussian numbers a W is made of."""
    return -(-features // d) * d * d


def draw_projections(rng: np.random.Generator, trials: int, features: int, d: int) -> np.ndarray:
    """W of some trials, (trials, features, d); its first rows are a W of fewer features.

    Gaussian vectors are made orthogonal to those before them in their block, and keep their length,
    which does not depend on the directions that come out.
    """
    gaussian = rng.standard_normal((trials, -(-features // d), d, d))
    directions, triangles = np.linalg.qr(gaussian)
    # The factorisation fixes the sign of a coordinate: here a vector keeps its side instead.
    sides = np.sign(np.diagonal(triangles, axis1=-2, axis2=-1))
    lengths = np.sqrt((gaussian**2).sum(axis=-2))
    columns = directions * (sides * lengths)[..., None, :]
    return np.swapaxes(columns, -1, -2).reshape(trials, -1, d)[:, :features]
