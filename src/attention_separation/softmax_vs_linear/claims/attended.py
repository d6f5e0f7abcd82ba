"""The four evaluations whose rows the lemmas describe, with u and f of their distinct tokens."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from attention_separation.attention.distinct_rows import TokenTypes, distinct_rows
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets.dataset import Tokens

from ..exact.column_law import RowWeights, column_exceeds
from ..models.cross_attention import CROSS_ATTENTION
from ..models.model import AttentionModel
from .claim import Setting


@dataclass(frozen=True)
class Attended:
    """One network's attention at one setting.

    Row 0 is the special token's, the others are of all other tokens. The columns of u and f are
    the special token, another of its class, one of the row's own class, and one of a further class;
    those of which there is no token are NaN.
    """

    rows: RowWeights
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

    model: AttentionModel
    kernel: str
    dataset: int
    attention_x: str

    def attended(self, setting: Setting) -> Attended:
        return _attended(self, self._sizes(setting))

    def theta(self, setting: Setting) -> float:
        """tau / s of the section: c + 0.1 for self-attention."""
        return setting.theta if self.model is CROSS_ATTENTION else setting.c + 0.1

    def column(self, setting: Setting) -> float:
        """Pr[one sign column makes the network positive]."""
        return _column(self, self._sizes(setting), self.theta(setting))

    def _sizes(self, setting: Setting) -> Tokens:
        """Of one dataset: on what the other has as its special entry nothing depends."""
        a = setting.a1 if self.dataset else setting.a0
        return Tokens(setting.n, setting.d, a, a, setting.b, setting.c, self.attention_x)


@lru_cache(maxsize=1 << 14)
def _attended(case: Case, sizes: Tokens) -> Attended:
    types = _types(case.model, sizes)
    rows = distinct_rows(types, KERNELS[case.kernel])
    kept = slice(None) if types.exists.all() else types.exists[0]
    weights = (weight[0, kept] for weight in (rows.first, rows.marked, rows.own, rows.rest))
    last = None if rows.last is None else float(rows.last[0, 0])
    scores = types.scores[0, kept]
    u = np.exp(scores) if case.kernel == "exp" else scores
    f = rows.weights[0, kept]
    tokens = types.multiplicities[0] > 0
    if not tokens.all():
        u, f = (np.where(tokens, cells, np.nan) for cells in (u, f))
    return Attended(RowWeights(int(rows.classes[0]), *weights, last), u, f)


@lru_cache(maxsize=1 << 10)
def _types(model: AttentionModel, sizes: Tokens) -> TokenTypes:
    """Both kernels see the same tokens."""
    return model.token_types([sizes], 0)


@lru_cache(maxsize=1 << 14)
def _column(case: Case, sizes: Tokens, theta: float) -> float:
    return column_exceeds(_attended(case, sizes).rows, theta * sizes.s, sizes.s)
