"""Weights as a model that generates gives them: a step for each token, and what is refused."""

import numpy as np
import pytest
from head_rows import RNG, quietly
from scipy.special import softmax
from seen_keys import N, assert_same, weights_of

from attention_separation import head

QUERIES = np.arange(N)


@pytest.mark.parametrize("attentions", [(), (None, None), ((), ()), [(), ()], (None,)])
def test_attentions_that_are_not_there_say_what_to_do(attentions):
    with pytest.raises(ValueError, match='attn_implementation="eager"'):
        head.measure(attentions, 1, weights=True)


def causal_layers(windows):
    """Weights of layers of two sequences and three heads."""
    query, key = np.ogrid[:N, :N]
    scores = RNG(7).standard_normal((len(windows), 2, 3, N, N))
    is_visible = np.array([(key <= query) & (key > query - window) for window in windows])
    return weights_of(scores, is_visible[:, None, None])


@pytest.mark.parametrize("windows", [(N, N), (16, 16), (N, 16), (16, N)])
@pytest.mark.parametrize("cache", ["growing", "static", "static and longer"])
def test_the_steps_of_a_model_that_generates_are_one_map(windows, cache):
    layers = causal_layers(windows)
    spare = 10 * (cache == "static and longer")
    longer = np.pad(layers, [(0, 0)] * 4 + [(0, spare)])
    steps = []
    for begin, end in [(0, 40), *[(query, query + 1) for query in range(40, N)]]:
        step = []
        for layer, window in zip(longer, windows, strict=True):
            first = max(0, end - window) if begin else 0
            keys = slice(first, end) if cache == "growing" else slice(None)
            step.append(layer[:, :, begin:end, keys])
        steps.append(tuple(step))
    targets = np.where(QUERIES >= 20, QUERIES - 3, -1)
    for causal in (None, True):
        named = {"weights": True, "causal": causal}
        right, _ = quietly(head.measure, list(layers), targets, **named)
        for attentions in (tuple(steps), [list(step) for step in steps]):
            table, _ = quietly(head.measure, attentions, targets, **named)
            assert_same(table, right)
    if windows == (N, N):  # with no window what is later is all that scores may show
        scores = [[np.log(np.maximum(layer, 1e-9)) for layer in step] for step in steps]
        unmasked = [np.log(np.maximum(layer, 1e-9)) for layer in layers]
        table = head.measure(scores, targets, causal=True)
        assert_same(table, head.measure(unmasked, targets, causal=True))


def test_steps_over_another_sequence_have_all_its_keys():
    weights = softmax(RNG(3).standard_normal((4, 1, 2, 30, 20)), axis=-1)
    steps = [[layer[:, :, query : query + 1] for layer in weights] for query in range(30)]
    assert_same(head.measure(steps, 5, weights=True), head.measure(list(weights), 5, weights=True))


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        ([[(1, 2, 5, 5), (1, 2, 5, 5)], [(1, 2, 1, 6)]], r"steps have \[1, 2\] layers"),
        ([[(2, 2, 5, 5)], [(4, 2, 1, 6)]], "steps have shapes .*one batch"),
        ([[(1, 2, 5, 5)], [(1, 2, 1, 9)]], "steps have shapes .*those so far"),
        ([[(1, 2, 5, 7)], [(1, 2, 1, 9)]], "steps have shapes .*one pass of the model"),
    ],
)
def test_steps_that_do_not_belong_together_are_refused(shapes, words):
    steps = [[np.full(shape, 1 / shape[-1]) for shape in step] for step in shapes]
    with pytest.raises(ValueError, match=words):
        head.measure(steps, 1, weights=True)


def test_layers_of_several_shapes_say_what_to_do():
    ragged = [np.full((1, 2, 1, keys), 1 / keys) for keys in (20, 20, 21, 21)]
    with pytest.raises(ValueError, match=r"layers have shapes .*one pass of the model"):
        head.measure(ragged, 1, weights=True)
