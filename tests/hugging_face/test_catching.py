"""Scores caught of models of transformers, tiny and random, against their own eager weights."""

import numpy as np
import pytest
import torch
from scipy.special import softmax
from tiny_models import HEADS, LAYERS, SINKS, TOKENS, WITHOUT_SDPA, load, visible

from attention_separation.head import catching
from attention_separation.head.catching import catch_scores

QUERIES = [3, 40, 41, 79]


def own_weights(path, tokens, **more):
    with torch.no_grad():
        attentions = load(path)(tokens, output_attentions=True, **more).attentions
    return np.array([layer.numpy() for layer in attentions])


def weights_of(caught):
    """Softmax of what was caught, with the sink where there is one."""
    weights = []
    for layer, scores in enumerate(caught.layers):
        columns = scores
        if caught.sinks is not None:
            columns = np.concatenate([scores, caught.sinks[layer][..., None]], axis=-1)
        weights.append(softmax(columns, axis=-1)[..., : scores.shape[-1]])
    return np.array(weights)


def implementations(name):
    return ["eager"] if name in WITHOUT_SDPA else ["eager", "sdpa"]


@pytest.mark.parametrize("block", [2**24, 1000])
def test_softmax_of_caught_scores_is_the_models_own_attention(
    name, path, tokens, block, monkeypatch
):
    monkeypatch.setattr(catching, "BLOCK", block)
    wanted = own_weights(path, tokens)[:, :, :, QUERIES]
    for implementation in implementations(name):
        model = load(path, implementation)
        caught = catch_scores(model, tokens, QUERIES)
        assert (caught.sinks is not None) == (name in SINKS)
        np.testing.assert_allclose(weights_of(caught), wanted, atol=1e-6)
        for layer in range(LAYERS):
            hidden = ~visible(name, layer)[QUERIES]
            assert np.isneginf(caught.layers[layer][..., hidden]).all()
            assert np.isfinite(caught.layers[layer][..., ~hidden]).all()


def test_the_model_is_as_it_was_and_answers_alike(name, path, tokens):
    for implementation in implementations(name):
        model = load(path, implementation)
        with torch.no_grad():
            before = model(tokens).logits
        catch_scores(model, tokens, QUERIES)
        assert model.config._attn_implementation == implementation
        with torch.no_grad():
            assert torch.equal(model(tokens).logits, before)


def test_all_queries_of_one_sequence(name, path, tokens):
    caught = catch_scores(load(path), tokens[0].numpy())
    assert [layer.shape for layer in caught.layers] == [(HEADS, TOKENS, TOKENS)] * LAYERS
    np.testing.assert_allclose(weights_of(caught), own_weights(path, tokens)[:, 0], atol=1e-6)


def test_padding_is_masked(name, path, tokens):
    mask = torch.ones_like(tokens)
    mask[1, :20] = 0
    for implementation in implementations(name):
        caught = catch_scores(load(path, implementation), tokens, QUERIES[1:], attention_mask=mask)
        wanted = own_weights(path, tokens, attention_mask=mask)[:, :, :, QUERIES[1:]]
        np.testing.assert_allclose(weights_of(caught), wanted, atol=1e-6)
        assert np.isneginf(caught.layers[0][1, :, :, :20]).all()


def test_what_cannot_be_caught_is_refused(path, tokens):
    model = load(path)
    for wrong in ([80], [-1], [], [[1]], [1.5]):
        with pytest.raises(ValueError, match=r"queries ha.*; allowed: "):
            catch_scores(model, tokens, wrong)
    for wrong in (tokens[None], tokens[0, 0], tokens[:, :0], [0.5]):
        with pytest.raises(ValueError, match=r"tokens ha.*; allowed: "):
            catch_scores(model, wrong, [0])
    with pytest.raises(ValueError, match=r"allowed: model.eval\(\)"):
        catch_scores(model.train(), tokens, [0])
    model.eval().config._attn_implementation = "flex_attention"
    with pytest.raises(ValueError, match='"eager" or "sdpa"'):
        catch_scores(model, tokens, [0])
