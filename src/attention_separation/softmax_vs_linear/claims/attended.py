"""The four evaluations whose rows the lemmas describe, with u and f of their distinct tokens."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from attention_separation.softmax_vs_linear import cross_attention, self_attention
from attention_separation.softmax_vs_linear.attention import KERNELS
from attention_separation.softmax_vs_linear.claims.claim import COLUMNS, Setting
from attention_separation.softmax_vs_linear.claims.law import column_exceeds
from attention_separation.softmax_vs_linear.distinct import DistinctRows


@dataclass(frozen=True)
class Attended:
    """One network's attention at one setting.

    Row 0 is the special token's, the others are of all other tokens. The columns of u and f are
    the special token, another of its class, one of the row's own class, and one of a further class;
    those of which there is no token are NaN.
    """

    rows: DistinctRows
    u: np.ndarray
    f: np.ndarray

    def cells(self, of: str, rows: slice, columns: slice) -> list[float]:
        """The cells of "u" or "f" in some rows and columns, as far as there are such tokens."""
        block = getattr(self, of)[rows, columns].ravel()
        return block[~np.isnan(block)].tolist()

    def weights(self, names: tuple[str, ...], rows: slice) -> list[float]:
        """Coordinates of some rows of c: of "first", "marked", "own", "rest" and "last"."""
        of = self.rows
        found = [np.broadcast_to(getattr(of, name), of.first.shape)[rows] for name in names]
        return np.concatenate(found).tolist()


@dataclass(frozen=True)
class Case:
    """A kernel on a dataset: `attention_x` is "ones" or "identity"."""

    model: str
    kernel: str
    dataset: int
    attention_x: str

    def classes(self, d: int) -> int:
        """K, the number of classes of tokens."""
        return d - COLUMNS[self.model]

    def attended(self, setting: Setting) -> Attended:
        return _attended(self, setting.n, setting.d, setting.a(self.dataset), setting.b, setting.c)

    def theta(self, setting: Setting) -> float:
        """tau / s of the section: c + 0.1 for self-attention."""
        return setting.theta if self.model == "cross_attention" else setting.c + 0.1

    def column(self, setting: Setting) -> float:
        """Pr[one sign column makes the network positive]."""
        return _column(
            self,
            setting.n,
            setting.d,
            setting.a(self.dataset),
            setting.b,
            setting.c,
            self.theta(setting),
        )


@lru_cache(maxsize=1 << 14)
def _attended(case: Case, n: int, d: int, a: float, b: float, c: float) -> Attended:
    seen = []

    def kernel(scores: np.ndarray) -> np.ndarray:
        seen.append(scores)
        return KERNELS[case.kernel](scores)

    count = case.classes(d)
    if case.model == "cross_attention":
        rows = cross_attention.distinct_rows(n, d, a, kernel)
    else:
        rows = self_attention.distinct_rows(n, d, a, b, c, case.attention_x, kernel)
    scores = seen[0]
    t = n // count
    tokens = np.array([1, t - 1, t * (count > 1), t * max(count - 2, 0)])
    weights = KERNELS[case.kernel](scores)
    u = np.exp(scores) if case.kernel == "exp" else scores
    f = weights / (weights @ tokens)[:, None]
    return Attended(rows, np.where(tokens > 0, u, np.nan), np.where(tokens > 0, f, np.nan))


@lru_cache(maxsize=1 << 14)
def _column(case: Case, n: int, d: int, a: float, b: float, c: float, theta: float) -> float:
    s = float(np.sqrt(np.log(n)))
    return column_exceeds(_attended(case, n, d, a, b, c).rows, theta * s, s)
