"""Whether a layer of somebody's is a function of queries, keys and values of any sizes: called
again it gives the same, it does not fit because two sizes happen to be equal, and a query is
answered as it is without others."""

import warnings
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...messages.words import joined
from ...own_kernels.build import in_a_line
from .black_box import COORDINATES, Draw, Pairs, checked_outputs
from .literal_layers import BlackBox

SAME_AGAIN_LIMIT = 1e-4
"""Relative to a query's outputs: sums of single precision whose order is left to chance differ by
less."""

SMALL_OUTPUT = 1e-9
"""Relative to the largest output: of smaller differences nothing is said."""

STATE_WORDS = (
    "called again with the same q, k and v, it gives other outputs: it keeps a state or is random, "
    "and its accuracy is that of no function; allowed: a layer that begins anew at each call, "
    "without a cache, and a module in eval(), without dropout"
)


@dataclass(frozen=True)
class FirstAnswer:
    """What a layer gave of its first draw, before anything else was asked."""

    draw: Draw
    outputs: np.ndarray

    def is_given_again(self, layer: BlackBox, pairs: Pairs) -> bool:
        """Whether the layer gives the same now."""
        again = checked_outputs(layer, self.draw, pairs).astype(float)
        first = self.outputs.astype(float)
        sizes = np.abs(first)
        largest = sizes.max(axis=1, keepdims=True)
        allowed = np.maximum(SAME_AGAIN_LIMIT * largest, SMALL_OUTPUT * sizes.max())
        return bool((np.abs(again - first) <= allowed).all())


def first_answer(layer: BlackBox, pairs: Pairs, generator: np.random.Generator) -> FirstAnswer:
    """Of a random draw; ValueError where a layer gives anything but numbers (m, e)."""
    draw = pairs.draw(generator)
    return FirstAnswer(draw, checked_outputs(layer, draw, pairs))


def is_same_after_others(
    layer: BlackBox, pairs: Pairs, first: FirstAnswer, generator: np.random.Generator
) -> bool:
    """Whether a layer gives the same of the same draw, at once and with another one between: a
    cache that holds one draw twice may answer as if it held it once."""
    if not first.is_given_again(layer, pairs):
        return False
    checked_outputs(layer, pairs.draw(generator), pairs)
    return first.is_given_again(layer, pairs)


class Sizes(NamedTuple):
    """Of arrays: queries (m, d), keys (writes, d), values (writes, e)."""

    m: int
    writes: int
    d: int
    e: int


def require_any_sizes(layer: BlackBox, pairs: Pairs, draw: Draw) -> None:
    """Raise ValueError where a layer fits a draw because two of its sizes are equal alone.

    The numbers of queries and of coordinates of a value are a layer's to take as they come. It may
    be made for one number of writes, as where it has weights for places, or for one dimension.
    """
    sizes = Sizes(len(draw.queries), len(draw.keys), pairs.d, COORDINATES)
    names = _equal_names(sizes)
    if not names:
        return
    taken = {sizes.writes, 2 * sizes.writes, sizes.d, 2 * sizes.d}
    e, m = _free_numbers(taken | {COORDINATES})
    # Of one query a layer may be made for one.
    other = sizes._replace(e=e) if sizes.m == 1 else sizes._replace(m=m, e=e)
    others = [other]
    if sizes.writes == sizes.d:
        others = [other._replace(writes=2 * sizes.writes), other._replace(d=2 * sizes.d)]
    faults = []
    for tried in others:
        fault = _fault_at(layer, pairs.norm, tried)
        if fault == "":
            return
        shapes = f"q {tried.m, tried.d}, k {tried.writes, tried.d} and v {tried.writes, tried.e}"
        faults.append(f"{shapes} {fault}")
    raise ValueError(
        f"layer fits because {joined(names)}: with {'; with '.join(faults)}; allowed: q (m, d), "
        "k (n, d) and v (n, e) to (m, e), with n keys that are not d"
    )


def _equal_names(sizes: Sizes) -> list[str]:
    """Which sizes are equal, in words."""
    number_by_name = {"m": sizes.m, "n": sizes.writes, "d": sizes.d, "e": sizes.e}
    names = [*number_by_name]
    words = []
    for k, name in enumerate(names):
        for other in names[k + 1 :]:
            # Of one query and one pair nothing is taken for another.
            if number_by_name[name] == number_by_name[other] > 1:
                words.append(f"{name} = {other} = {number_by_name[name]}")
    return words


def _free_numbers(taken: set[int]) -> tuple[int, int]:
    """Two small numbers that are not taken, nor equal."""
    first, second = [k for k in range(2, 12) if k not in taken][:2]
    return second, first


def _fault_at(layer: BlackBox, norm: float, sizes: Sizes) -> str:
    """What is wrong with a layer's answer at these sizes, in words; "" if nothing is."""
    generator = np.random.default_rng(0)
    vectors = generator.standard_normal((sizes.m + sizes.writes, sizes.d))
    vectors *= norm / np.linalg.norm(vectors, axis=1, keepdims=True)
    values = generator.choice([-1.0, 1.0], (sizes.writes, sizes.e))
    try:
        # What is said of sizes that nobody has asked for is no news.
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            outputs = np.asarray(layer(vectors[: sizes.m], vectors[sizes.m :], values))
    except Exception as error:
        return f"it raised {in_a_line(error)}"
    if outputs.shape == (sizes.m, sizes.e):
        return ""
    return f"it gave an output of shape {outputs.shape}"


def sees_other_queries(
    layer: BlackBox, pairs: Pairs, first: FirstAnswer, others: np.ndarray, limit: float
) -> bool:
    """Whether what a query is answered, up to a positive factor, depends on the queries (m', d)
    that are asked with it: alone, or among more than there were.

    `limit` : relative, below which outputs are the same
    """
    draw = first.draw
    if len(draw.queries) == 1:
        return False
    # A layer with places for its pairs may have none for more queries.
    room = len(draw.keys) - len(draw.queries)
    if room > 0:
        more = replace(draw, queries=np.concatenate([draw.queries, others[:room]]))
        among_more = checked_outputs(layer, more, pairs)[: len(draw.queries)]
        if not _are_alike(among_more, first.outputs, limit):
            return True
    for query in {0, len(draw.queries) - 1}:
        single = replace(draw, queries=draw.queries[[query]])
        alone = checked_outputs(layer, single, pairs)
        if not _are_alike(alone, first.outputs[[query]], limit):
            return True
    return False


def _are_alike(outputs: np.ndarray, wanted: np.ndarray, limit: float) -> bool:
    """Whether rows (R, E) are the same up to a positive factor each."""
    rows = outputs.astype(float)
    wanted_rows = wanted.astype(float)
    place = np.abs(wanted_rows).argmax(axis=1, keepdims=True)
    largest = np.take_along_axis(wanted_rows, place, axis=1)
    at_largest = np.take_along_axis(rows, place, axis=1)
    is_scaled = np.sign(largest) * np.sign(at_largest) > 0
    factor = np.where(is_scaled, largest / np.where(is_scaled, at_largest, 1), 1.0)
    gaps = np.abs(factor * rows - wanted_rows)
    allowed = np.maximum(limit * np.abs(largest), SMALL_OUTPUT * np.abs(wanted_rows).max())
    return bool((gaps <= allowed).all())
