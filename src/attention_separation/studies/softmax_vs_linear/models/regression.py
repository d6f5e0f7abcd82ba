"""The softmax-regression model: Definitions 3.2-3.8, literally.

Everything depends on (A, x) through z = A x alone; A = z x^T / |x|^2 realises any z.
"""

import math

import numpy as np
from pydantic import Field

from .contest import CONTEST_OF_PAPER, Contest
from .model import ABSENT, Law, Model, Parameters, Positive

LOWER = 1.0
UPPER = 1.4
SPECIAL_MULTIPLE = 4.0
"""Entries of A x in units of log n: the interval of the others, and the special one of D1."""

LEVELS = {"low": 1.0, "middle": 1.2, "high": 1.4}
"""Laws under which all entries of A x in the interval are equal, with their value over log n."""


MOST_MODEL_ENTRIES = 10**9


class RegressionParameters(Parameters):
    """Parameters of the softmax-regression model, Definitions 3.2-3.8."""

    tau: Positive | None = Field(default=None, description="threshold")
    law: Law | None = Field(default=None, description="law of Ax within [log n, 1.4 log n]")


def check(n: int) -> None:
    """Raise ValueError unless log n > 0 and n entries fit into memory."""
    if not 2 <= n <= MOST_MODEL_ENTRIES:
        raise ValueError(
            f"n={n}: Ax has n entries, multiples of log n; allowed: 2 <= n <= {MOST_MODEL_ENTRIES}"
        )


def u_exp(z: np.ndarray) -> np.ndarray:
    """Definition 3.3: exp(A x), entrywise."""
    return np.exp(z)


def u_lin(z: np.ndarray) -> np.ndarray:
    """Definition 3.2: A x."""
    return z


U = {"exp": u_exp, "linear": u_lin}
"""The weights before normalising, by kernel."""


def normalise(u: np.ndarray) -> np.ndarray:
    """The normalised weights f = u / alpha, with alpha = <u, 1_n> the sum over the last axis."""
    return u / u.sum(axis=-1, keepdims=True)


def entries(uniforms: np.ndarray, law: Law) -> np.ndarray:
    """The entries of A x in units of log n, all in [1, 1.4], made of uniforms on [0, 1) of any
    shape.

    The paper gives no law inside the interval: `law` is "uniform", "two-point" or one of LEVELS.
    """
    if law == "uniform":
        return LOWER + (UPPER - LOWER) * uniforms
    if law == "two-point":
        return np.where(uniforms < 0.5, LOWER, UPPER)
    return np.full_like(uniforms, LEVELS[law])


def dataset_z(n: int, uniforms: np.ndarray, law: Law, special: int | None) -> np.ndarray:
    """The entries z = A x of Definition 3.8, (..., n), made of uniforms (..., n): of D0 if
    `special` is None, else of D1 with this special index j."""
    check(n)
    multiples = entries(uniforms, law)
    if special is not None:
        multiples[..., special] = SPECIAL_MULTIPLE
    return math.log(n) * multiples


def special_sign_decides(n: int, tau: float) -> bool:
    """Whether F_exp on D1 exceeds tau exactly where y_j = +1, whatever the data.

    f_j is at least n^4 / (n^4 + (n-1) n^1.4), and the other weights sum to 1 - f_j.
    """
    f_special = 1 / (1 + (n - 1) * n ** (UPPER - SPECIAL_MULTIPLE))
    return 2 * f_special - 1 > tau + 1e-9


class RegressionModel(Model):
    """Softmax regression: n different weights, and random data."""

    has_maps = False
    most_alternatives = 24
    titled_by = "law"

    def check(self, n: int, d: int = ABSENT) -> None:
        check(n)

    def check_contest(self, contest: Contest) -> None:
        """Bounds and inversions of the model are of the paper's two kernels."""
        if contest != CONTEST_OF_PAPER:
            raise ValueError(
                f"contest of {', '.join(contest.kernels)}: softmax regression takes exp and linear "
                "alone; allowed: {fires: exp, silent: [linear]}"
            )


REGRESSION = RegressionModel(
    name="regression",
    title="Softmax regression",
    parameters=RegressionParameters,
)
