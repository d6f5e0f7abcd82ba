"""Sections D, E and F, and the theorems on them: self-attention and cross-attention, network by
network, from the entries of u and f to those of c, scores under random signs, and networks."""

from collections.abc import Iterator

from ...models.contest import IN_THE_PAPER, PAPERS
from ...models.cross_attention import CROSS_ATTENTION
from ...models.model import AttentionModel
from ...models.self_attention import SELF_ATTENTION
from ..attended import Case
from ..claim import PaperClaim
from ..lemma import Lemma
from . import entries
from .entries import Rows, parts
from .signs import (
    at_least_a1,
    half_from,
    network_positive,
    network_zero,
    proof,
    separates,
    signs_separate,
    signs_stay_below,
)


def _cases(model: AttentionModel, attention_x: str) -> dict[tuple[str, int], Case]:
    return {key: Case(model, *key, attention_x) for key in PAPERS.networks}


ONES, IDENTITY = _cases(SELF_ATTENTION, "ones"), _cases(SELF_ATTENTION, "identity")
CROSS = _cases(CROSS_ATTENTION, "identity")

LOST = "; conditions on the parameters are lost, perhaps a₁ ≥ 1 is one"
"""What is said of Theorem E.4: three more conditions stand before its datasets than in D.5."""


def _network(
    section: str, first: int, case: Case, rows: tuple[Rows, Rows], a1: tuple[float, ...] = (),
    note: str = "",
) -> Iterator[PaperClaim]:  # fmt: skip
    """The four lemmas on one network: on u and f, on c, on signs and on the network. `a1`: from
    which a1 on the special weight may be claimed to be one half; `note`: on the theorem."""
    weights, values, signs, theorem = (Lemma(f"{section}.{first + k}", case) for k in range(4))
    yield from parts(weights, rows[0])
    yield from (half_from(weights, least) for least in a1)
    yield from parts(values, rows[1])
    if (case.kernel, case.dataset) == ("exp", 1):
        found = signs_separate(signs)
        yield from found
        if section == "D":
            yield at_least_a1(found[1], case.model.least_a1)
        yield from network_positive(theorem, note)
    else:
        yield from signs_stay_below(signs)
        yield from proof(signs)
        yield from network_zero(theorem)


def self_attention() -> Iterator[PaperClaim]:
    """All claims on self-attention."""
    yield from _network("D", 2, ONES["exp", 1], (entries.D2, entries.D3), (0.7,))
    yield from _network("D", 6, ONES["exp", 0], (entries.D6, entries.D7))
    yield from _network("D", 10, ONES["linear", 1], (entries.D10, entries.D11))
    yield from _network("D", 14, ONES["linear", 0], (entries.D10, entries.D11))
    yield from _network("E", 1, IDENTITY["exp", 1], (entries.E1, entries.D3), (0.7, 1.0), LOST)
    for kernel, dataset in (("exp", 0), ("linear", 1), ("linear", 0)):
        name, case = f"E.D{dataset}-{IN_THE_PAPER[kernel]}", IDENTITY[kernel, dataset]
        yield from signs_stay_below(Lemma(f"{name}.sign", case))
        yield from network_zero(Lemma(f"{name}.zero", case))
    yield from separates("1.1", ONES)
    yield from separates("1.1.identity", IDENTITY)
    yield from separates("6.2", ONES)


def cross_attention() -> Iterator[PaperClaim]:
    """All claims on cross-attention."""
    yield from _network("F", 2, CROSS["exp", 1], (entries.F2, entries.F3), (0.7, 1.0))
    yield from _network("F", 6, CROSS["exp", 0], (entries.F6, entries.F7))
    yield from _network("F", 10, CROSS["linear", 1], (entries.F10, entries.F11))
    yield from _network("F", 14, CROSS["linear", 0], (entries.F10, entries.F11))
    yield from separates("1.2", CROSS)
