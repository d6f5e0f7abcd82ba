"""Whether the weights of a kernel of one's own are a function of what it says they are: asked again
of the same tokens, by themselves and among others.

A function of scores gets arrays of them, and could look at their largest, their mean, their order
or their number. Here it is called with the few distinct scores of a row, so that it must not. Where
rows are divided, a factor that a row has in common is of no consequence.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..attention.distinct_rows import TokenTypes, inputs_shown
from ..attention.kernel import Kernel, KernelInputs
from .equal_weights import ROUNDING_OF_SUMS, SAME_WEIGHTS, gaps_by_rounding


class NotOfOneScoreError(ArithmeticError):
    """A function of scores gives a score other weights among other scores."""


class NotOfOneVectorError(ArithmeticError):
    """A feature map gives a vector other features among other vectors."""


class NotTheSameAgainError(ArithmeticError):
    """A function gives other weights when it is called again: it keeps a state or is random."""


TIMES_REPEATED = 5
"""How often a key comes again where it is to outweigh the others in a mean or a quantile."""

LEAST_PEAK = 1e-290
"""A row whose largest weight is smaller has lost digits, and is not compared."""


@dataclass(frozen=True)
class Part:
    """Some of the queries and keys of an attention, by their places; a place may come again."""

    queries: np.ndarray
    keys: np.ndarray

    def of(self, array: np.ndarray) -> np.ndarray:
        """The numbers (1, R, T) of these queries and keys."""
        return array[:, self.queries][:, :, self.keys]


def require_own_weights(kernel: Kernel, types: TokenTypes, other_types: TokenTypes) -> None:
    """Raise an ArithmeticError unless the weights of one point's types are the same when they are
    asked for again, after those of other types, and among other tokens: these but for a positive
    factor of each row where rows are divided by their sums. A formula sees no other tokens."""
    if kernel.logarithmic or kernel.is_formula:
        return
    inputs = inputs_shown(types, kernel)
    weights = kernel.weigh(inputs)
    kernel.weigh(inputs_shown(other_types, kernel))
    again = kernel.weigh(inputs)
    # Of the same numbers in the same places rounding is the same, and so is a factor.
    undivided = replace(kernel, normaliser="none")
    is_other, _ = _differences(undivided, inputs, weights, again, may_round=False)
    if is_other.any():
        raise NotTheSameAgainError(
            f"{kernel.name}: called twice with the same numbers, it gives other weights: it keeps "
            "a state or is random; allowed: functions of what they are given, and modules in eval()"
        )
    for part in _parts(kernel, inputs):
        difference = _first_difference(kernel, inputs, weights, part)
        if difference is not None:
            raise _neighbour_error(kernel, difference)


def _parts(kernel: Kernel, inputs: KernelInputs) -> Iterator[Part]:
    """The parts of its tokens that a kernel of scores or vectors is asked for again; none of a
    kernel of rows, which may depend on all keys of a row and is called for each by itself."""
    if kernel.kind == "row":
        return
    scores = inputs.scores[0]
    queries = np.arange(len(scores))
    # Maps of vectors take long: one query is enough of them.
    alone = queries[:1] if kernel.kind == "features" else queries
    keys = np.flatnonzero(inputs.multiplicities[0, 0] > 0)
    for query in alone:
        yield Part(np.array([query]), keys)
    yield Part(queries[::-1], keys[::-1])
    for query in alone:
        scores_of_query = scores[query, keys]
        for extreme in (scores_of_query.max(), scores_of_query.min()):
            others = keys[scores_of_query != extreme]
            if len(others) > 0:
                yield Part(np.array([query]), others)
    extremes = {int(keys[scores[:, keys].max(axis=0).argmax()])}
    extremes.add(int(keys[scores[:, keys].min(axis=0).argmin()]))
    for key in sorted(extremes):
        yield Part(queries, np.concatenate([keys, np.repeat(key, TIMES_REPEATED)]))
        if len(keys) > 1:
            yield Part(queries, keys[keys != key])


@dataclass(frozen=True)
class Difference:
    """Two weights of one score: among all of an attention's tokens, and among some of them."""

    score: float
    weight: float
    weight_in_part: float
    fault: str = ""


def _first_difference(
    kernel: Kernel, inputs: KernelInputs, weights: np.ndarray, part: Part
) -> Difference | None:
    """The largest difference of weights (1, R, T) and those of a part of the tokens by itself; None
    where they are the same."""
    expected = part.of(weights)
    scores = part.of(inputs.scores)
    seen = _of_part(inputs, part)
    try:
        in_part = kernel.weigh(seen)
    except ArithmeticError as error:
        return Difference(float(scores.flat[0]), float(expected.flat[0]), np.nan, str(error))
    is_other, in_part = _differences(kernel, seen, expected, in_part, may_round=True)
    if not is_other.any():
        return None
    with np.errstate(all="ignore"):
        relative = np.abs(in_part / expected - 1)
    place = np.where(is_other, np.nan_to_num(relative, nan=np.inf), -1.0).argmax()
    return Difference(
        float(scores.flat[place]), float(expected.flat[place]), float(in_part.flat[place])
    )


@np.errstate(all="ignore")
def _differences(
    kernel: Kernel,
    seen: KernelInputs,
    expected: np.ndarray,
    in_part: np.ndarray,
    may_round: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Where weights (1, R, T) of some tokens by themselves are other ones than expected, by more
    than rounding; and these weights, over what their rows would be divided by."""
    counts = np.broadcast_to(seen.multiplicities, expected.shape)
    is_compared = np.isfinite(expected) & (counts > 0)
    scale = np.ones((*expected.shape[:-1], 1))
    scale_in_part = scale
    if kernel.normaliser == "row sum":
        # Where both have lost no digits, each row is taken over its own largest weight.
        sizes_of_types = np.where(is_compared, np.abs(expected) * counts, -1.0)
        peaks = sizes_of_types.argmax(axis=-1, keepdims=True)
        scale = np.take_along_axis(expected, peaks, axis=-1)
        scale_in_part = np.take_along_axis(in_part, peaks, axis=-1)
        is_compared &= np.abs(scale) > LEAST_PEAK
    weights = expected / scale
    weights_in_part = in_part / scale_in_part
    # A negative factor is none that a sum would divide out.
    weights_in_part = np.where(scale_in_part * np.sign(scale) > 0, weights_in_part, np.nan)
    sizes = np.where(is_compared, np.abs(weights), 0.0)
    gaps = np.abs(weights_in_part - weights)
    row_sums = (sizes * counts).sum(axis=-1, keepdims=True)
    is_same = (gaps <= SAME_WEIGHTS * sizes) | (gaps * counts <= ROUNDING_OF_SUMS * row_sums)
    is_other = is_compared & ~is_same
    if may_round and is_other.any():
        undivided = replace(kernel, normaliser="none", of_rows=None)
        rounding = gaps_by_rounding(undivided, seen, in_part) / np.abs(scale_in_part)
        is_other &= ~(gaps <= rounding)
    return is_other, weights_in_part * scale


def _of_part(inputs: KernelInputs, part: Part) -> KernelInputs:
    """What a kernel is shown of some tokens by themselves."""
    counts = np.broadcast_to(inputs.multiplicities, inputs.scores.shape)
    shown = replace(inputs, scores=part.of(inputs.scores), multiplicities=part.of(counts))
    if inputs.queries is None:
        return shown
    queries, keys = inputs.vectors
    return replace(shown, queries=queries[:, part.queries], keys=keys[:, part.keys])


def _neighbour_error(kernel: Kernel, difference: Difference) -> ArithmeticError:
    """The error that names a difference which only other tokens can have made."""
    what = difference.fault.removeprefix(f"{kernel.name}: ")
    if not difference.fault:
        what = (
            f"{difference.weight:.6g}, and {difference.weight_in_part:.6g} with others than these"
        )
    divided = ", but for a factor of each row" if kernel.normaliser == "row sum" else ""
    if kernel.kind == "score":
        return NotOfOneScoreError(
            f"{kernel.name}: the weight of a score, {difference.score:.6g}, depends on which other "
            f"scores stand in its array: {what}; allowed: a function of the score alone{divided}"
        )
    return NotOfOneVectorError(
        f"{kernel.name}: the features of a token depend on which other tokens stand in its array: "
        f"a weight is {what}; allowed: a map of each vector by itself"
    )
