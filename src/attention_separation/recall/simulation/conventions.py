"""What tells that a layer of somebody's keeps other conventions than those it is called with here.

All pairs are written in their order, then the queries read, each of them all pairs and none of the
other queries; keys and queries have one norm, sqrt d or 1. A layer that is made for something else
answers as well, and wrongly.
"""

from dataclasses import replace

import numpy as np

from ...statistics.seeding import stream
from .black_box import Draw, Pairs, checked_outputs
from .layer_check import (
    STATE_WORDS,
    FirstAnswer,
    is_same_after_others,
    require_any_sizes,
    sees_other_queries,
)
from .literal_layers import BlackBox

LARGEST_OUTPUT = 1e6
"""Times the size of values: larger outputs have grown with each write."""

MOST_QUERIES_COMPARED = 8
"""Whose keys' values are changed, one after another."""

SAME_OUTPUT_LIMIT = 0.01
"""Relative: outputs that are to be equal differ by less, in low precision too."""

DRAWS = 20
"""By which accuracies of two norms are compared."""

STANDARD_ERRORS = 4.0
"""How far apart two accuracies are that are told apart."""


def words_of_norm(pairs: Pairs) -> str:
    """The norm of keys and queries, in words."""
    return "1" if pairs.norm == 1 else "√d"


def other_conventions(
    layer: BlackBox,
    pairs: Pairs,
    trials: int,
    seed: int,
    is_norm_given: bool,
    first: FirstAnswer,
) -> list[str]:
    """Sentences on what tells that a layer keeps other conventions, each with what to do; at most
    as many draws are looked at as there are trials. ValueError where a layer fits because two sizes
    are equal alone."""
    generator = stream(seed, "recall", "conventions", "others")
    if not is_same_after_others(layer, pairs, first, generator):
        # What else is seen may come of that.
        return [STATE_WORDS]
    draw = first.draw
    outputs = first.outputs
    require_any_sizes(layer, pairs, draw)
    words_of_size = _words_of_size(outputs, pairs)
    sentences = [words_of_size]
    words_of_queries = ""
    if not words_of_size:
        # Of larger outputs rounding hides what one value changes.
        sentences.append(_words_of_unmoved(layer, draw, outputs, pairs, trials))
        words_of_queries = _words_of_order(layer, draw, outputs, pairs)
    if not words_of_queries:
        other_queries = pairs.draw(generator).queries
        words_of_queries = _words_of_other_queries(layer, pairs, first, other_queries)
    sentences.append(words_of_queries)
    if not is_norm_given:
        sentences.append(_words_of_norms(layer, pairs, min(DRAWS, trials), seed))
    return [sentence for sentence in sentences if sentence]


def _words_of_size(outputs: np.ndarray, pairs: Pairs) -> str:
    """The sentence that outputs grow far beyond the values, with what to do; "" where they do
    not."""
    largest = float(np.abs(outputs.astype(float)).max())
    if largest <= LARGEST_OUTPUT:
        return ""
    remedy = "norm=1 is for such rules" if pairs.norm != 1 else "a smaller step keeps them small"
    return (
        f"outputs are up to {largest:.1g} times the values, with keys of norm "
        f"{words_of_norm(pairs)}: those of a delta rule grow so with each write; {remedy}"
    )


def _words_of_unmoved(
    layer: BlackBox, draw: Draw, outputs: np.ndarray, pairs: Pairs, trials: int
) -> str:
    """The sentence that outputs stay as they are where the value of their query's own key is
    changed; "" where they change."""
    count = min(len(outputs), MOST_QUERIES_COMPARED, trials)
    queries = np.unique(np.linspace(0, len(outputs) - 1, count).astype(int))
    unmoved = 0
    for query in queries:
        values = draw.values.copy()
        values[draw.own[query]] *= -1
        outputs_of_changed = checked_outputs(layer, replace(draw, values=values), pairs)
        unmoved += bool((outputs_of_changed[query] == outputs[query]).all())
    if not unmoved:
        return ""
    return (
        f"of {len(queries)} queries {unmoved} do not see their own key: their answers stay the "
        "same when its value changes; queries come after all pairs and are to see all of them, "
        "without is_causal=True or another mask, unless the layer forgets old pairs"
    )


def _words_of_order(layer: BlackBox, draw: Draw, outputs: np.ndarray, pairs: Pairs) -> str:
    """The sentence that outputs depend on the row in which their query stands; "" where they do
    not."""
    reversed_queries = replace(draw, queries=draw.queries[::-1])
    reordered = checked_outputs(layer, reversed_queries, pairs)[::-1]
    sizes = np.abs(outputs.astype(float)).max(axis=1, keepdims=True)
    gaps = np.abs(reordered.astype(float) - outputs)
    if (gaps <= SAME_OUTPUT_LIMIT * sizes).all():
        return ""
    return (
        "a query's answer depends on the row that it stands in, as with a causal mask, positions, "
        "or an output a token: queries read one by one after all pairs, and write nothing"
    )


def _words_of_other_queries(
    layer: BlackBox, pairs: Pairs, first: FirstAnswer, others: np.ndarray
) -> str:
    """Whether outputs depend on which queries (m', d) are asked beside."""
    # Asked again, for what is random once in many calls may have come now.
    for _ in range(2):
        if not sees_other_queries(layer, pairs, first, others, SAME_OUTPUT_LIMIT):
            return ""
    return (
        "a query's answer depends on the queries that are asked with it, as where scores are "
        "divided by the largest of all queries: queries read one by one, so axis=-1, keepdims=True "
        "for what is taken over a query's scores"
    )


def _words_of_norms(layer: BlackBox, pairs: Pairs, draws: int, seed: int) -> str:
    """The sentence that keys and queries of the norms 1 and sqrt d have other accuracies; "" where
    they have the same."""
    of_root = pairs.accuracies_of_draws(layer, draws, stream(seed, "recall", "norms"))
    of_unit = replace(pairs, norm=1.0).accuracies_of_draws(
        layer, draws, stream(seed, "recall", "norms")
    )
    gaps = of_root.mean(axis=1) - of_unit.mean(axis=1)
    error = float(np.std(gaps, ddof=1)) / np.sqrt(draws)
    if abs(gaps.mean()) <= max(STANDARD_ERRORS * error, 1 / (draws * of_root.shape[1])):
        return ""
    return (
        f"its accuracy hangs on the norm of keys and queries: about {of_root.mean():.2f} with √d, "
        f"which was taken, {of_unit.mean():.2f} with 1; norm='sqrt_d' is for layers with a scale "
        "1/√d, norm=1 for delta rules"
    )
