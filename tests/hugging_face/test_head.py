"""Heads of models of transformers, tiny and random: the examples of docs/head.md, and what they
rest on."""

import re

import numpy as np
import pytest
import torch
from head_rows import quietly
from making import ROOT
from scipy.special import softmax
from tiny_models import (
    HEADS,
    LAYERS,
    SEQUENCES,
    SINKS,
    TOKENS,
    WINDOWS,
    WITHOUT_SDPA,
    load,
    visible,
)

from attention_separation import head


@pytest.fixture(scope="module")
def named(path, tokens):
    """What the examples of the page have named, in their order, and what each warned of."""
    page = (ROOT / "docs/head.md").read_text(encoding="utf-8")
    named = {"PATH": path, "tokens": tokens, "tables": [], "said": []}
    for example in re.findall(r"```python\n(.*?)```", page, re.S):
        if "transformers" in example:
            _, said = quietly(exec, example, named)
            named["tables"].append(named["rows"])
            named["said"].append(said)
    return named


def test_weights_of_the_page_are_measured(name, named, tokens):
    weights = named["weights"]
    rows = named["tables"][0]
    assert [layer.shape for layer in weights] == [(SEQUENCES, HEADS, TOKENS, TOKENS)] * LAYERS
    targets = head.induction_targets(tokens)
    sampled = rows[rows["share"].notna()].sample(50, random_state=0)
    for row in sampled.itertuples():
        own = weights[row.layer][row.sequence, row.head, row.query].double()
        assert row.target == targets[row.sequence, row.query]
        assert row.n == visible(name, row.layer)[row.query].sum()
        total = float(own.sum())
        if total >= 0.98:  # as rounding has it
            assert row.share == pytest.approx(float(own[row.target]) / total, rel=1e-5)
            assert row.sink == pytest.approx(float(own[0]) / total, rel=1e-5)
        else:
            assert name in SINKS
            assert row.share == pytest.approx(float(own[row.target]), rel=1e-5)
            assert row.sink == pytest.approx(float(own[0]) + 1 - total, rel=1e-5)
    words = [("a sink that is no token", name in SINKS), ("in whole runs", name in WINDOWS)]
    for phrase, is_said in words:
        assert any(phrase in sentence for sentence in named["said"][0]) == is_said


def test_scores_of_the_page_are_those_of_the_weights(name, named):
    """Softmax of what was caught is the model's own attention."""
    scores = np.array(named["caught"].layers)
    assert scores.shape == (LAYERS, SEQUENCES, HEADS, TOKENS, TOKENS)
    sinks = [np.zeros((SEQUENCES, HEADS, TOKENS, 0))] * LAYERS
    if name in SINKS:
        sinks = [layer[..., None] for layer in named["caught"].sinks]
    weights = named["weights"]
    for layer in range(LAYERS):
        columns = np.concatenate([scores[layer], sinks[layer]], axis=-1)
        ours = softmax(columns, axis=-1)[..., :TOKENS]
        np.testing.assert_allclose(ours, weights[layer], atol=1e-6)
        hidden = ~visible(name, layer)
        assert (scores[layer][..., hidden] == -np.inf).all()
        assert np.isfinite(scores[layer][..., ~hidden]).all()
    for said in named["said"][1:]:
        assert len(said) == (name in WINDOWS)
        for sentence in said:
            assert "target of induction" in sentence
            assert "a window hides" in sentence


def test_scores_and_weights_of_the_page_are_measured_alike(name, named):
    table = named["tables"][2]
    # As the second example, with softmax and its sinks.
    other = named["tables"][0]
    assert len(table) == len(other) == len(named["tables"][1])
    # A row short of 1 by less than 0.02 has no sink that weights would show.
    shows_sink = np.ones(len(table), bool)
    if name in SINKS:
        shows_sink = (table["sink"] - first_token(named, table)).to_numpy() > 0.02
    assert shows_sink.mean() > 0.5
    for column in ("n", "share", "reach", "sink", "mu", "n_entropy"):
        np.testing.assert_allclose(
            table[column][shows_sink],
            other[column][shows_sink],
            rtol=1e-3,
            atol=1e-3,
            err_msg=column,
        )


def first_token(named, table):
    """The weight of the first token in each row."""
    weights = np.array([layer.numpy() for layer in named["weights"]])
    return weights[table["layer"], table["sequence"], table["head"], table["query"], 0]


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_padded_batch_is_measured_with_its_attention_mask(name, path, tokens, side):
    lengths = torch.tensor([TOKENS, 60, 41])
    is_token = torch.arange(TOKENS) < lengths[:, None]
    if side == "left":
        is_token = is_token.flip(1)
    padded = tokens * is_token
    mask = is_token.long()
    with torch.no_grad():
        weights = load(path)(padded, attention_mask=mask, output_attentions=True).attentions
    targets = head.induction_targets(padded)[:, None]
    rows, _ = quietly(head.measure, weights, targets, weights=True, mask=mask)
    assert set(rows["sequence"]) == set(range(SEQUENCES))
    for row in rows.sample(60, random_state=0).itertuples():
        there = is_token[row.sequence].numpy()
        assert there[row.query]
        assert row.n == (visible(name, row.layer)[row.query] & there).sum()


@pytest.mark.parametrize("cache", ["dynamic", "static"])
def test_the_attentions_of_generate_are_those_of_one_pass(name, path, tokens, cache):
    model = load(path)
    first = tokens[:, :40]
    generated = model.generate(
        first,
        attention_mask=torch.ones_like(first),
        max_new_tokens=20,
        min_new_tokens=20,
        do_sample=False,
        output_attentions=True,
        return_dict_in_generate=True,
        cache_implementation=cache,
    )
    text = generated.sequences[:, :-1]
    with torch.no_grad():
        weights = model(text, output_attentions=True).attentions
    targets = head.induction_targets(text)[:, None]
    right, _ = quietly(head.measure, weights, targets, weights=True)
    rows, _ = quietly(head.measure, generated.attentions, targets, weights=True)
    assert len(rows) == len(right)
    for column in ("n", "share", "reach"):
        np.testing.assert_allclose(rows[column], right[column], rtol=1e-3, err_msg=column)


def test_attentions_of_sdpa_say_what_to_do(path, name, tokens):
    if name in WITHOUT_SDPA:
        with pytest.raises(ValueError, match="scaled_dot_product_attention"):
            load(path, "sdpa")
        return
    model = load(path, "sdpa")
    with torch.no_grad():
        attentions = model(tokens, output_attentions=True).attentions
    with pytest.raises(ValueError, match='attn_implementation="eager"'):
        head.measure(attentions, 1, weights=True)
    generated = model.generate(
        tokens,
        attention_mask=torch.ones_like(tokens),
        max_new_tokens=2,
        output_attentions=True,
        return_dict_in_generate=True,
    )
    with pytest.raises(ValueError, match='attn_implementation="eager"'):
        head.measure(generated.attentions, 1, weights=True)
