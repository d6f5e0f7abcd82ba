"""Heads of models of transformers, tiny and random: the example of docs/head.md, and what it rests
on."""

import re

import numpy as np
import pytest
import torch
from making import ROOT
from transformers import AutoModelForCausalLM, GPT2Config, LlamaConfig

from attention_separation import head

SIZES = {"vocab_size": 20, "bos_token_id": 0, "eos_token_id": 0}
CONFIGS = {
    "llama": LlamaConfig(
        hidden_size=32, intermediate_size=32, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, **SIZES,
    ),
    "gpt2": GPT2Config(n_embd=32, n_layer=2, n_head=4, **SIZES),
}  # fmt: skip
SEQUENCES, TOKENS, LAYERS, HEADS = 3, 80, 2, 4


@pytest.fixture(params=CONFIGS)
def path(request, tmp_path):
    """A model's folder."""
    torch.manual_seed(0)
    AutoModelForCausalLM.from_config(CONFIGS[request.param]).save_pretrained(tmp_path)
    return tmp_path


@pytest.fixture
def tokens():
    return torch.randint(20, (SEQUENCES, TOKENS), generator=torch.Generator().manual_seed(1))


@pytest.fixture
def named(path, tokens):
    """What the examples of the page have named, in their order."""
    page = (ROOT / "docs/head.md").read_text(encoding="utf-8")
    named = {"PATH": path, "tokens": tokens}
    for example in re.findall(r"```python\n(.*?)```", page, re.S):
        if "transformers" in example:
            exec(example, named)
            named.setdefault("rows_of_weights", named["rows"])
    return named


def test_weights_of_the_page_are_measured(named, tokens):
    weights, rows = named["weights"], named["rows_of_weights"]
    assert [each.shape for each in weights] == [(SEQUENCES, HEADS, TOKENS, TOKENS)] * LAYERS
    targets = head.induction_targets(tokens)
    assert len(rows) == LAYERS * HEADS * (targets >= 0).sum()
    for row in rows[rows["share"].notna()].sample(50, random_state=0).itertuples():
        own = weights[row.layer][row.sequence, row.head, row.query].double()
        assert row.target == targets[row.sequence, row.query]
        assert row.n == row.query + 1
        assert row.share == pytest.approx(float(own[row.target] / own.sum()), rel=1e-6)
        assert row.sink == pytest.approx(float(own[0] / own.sum()), rel=1e-6)


def test_scores_of_the_page_are_those_of_the_weights(named, tokens):
    weights, scores = named["weights"], named["scores"]
    assert np.shape(scores) == (LAYERS, SEQUENCES, HEADS, TOKENS, TOKENS)
    target = np.where(np.arange(TOKENS) >= 40, 7, -1)
    ours = head.measure(scores, target, fixed=[0])
    other = head.measure(weights, target, fixed=[0], weights=True)
    assert len(ours) == LAYERS * SEQUENCES * HEADS * 40
    for name in ("share", "reach", "sink", "mu", "n_entropy"):
        np.testing.assert_allclose(ours[name], other[name], rtol=1e-4, atol=1e-4, err_msg=name)
    assert len(named["rows"]) == len(named["rows_of_weights"])


def test_attentions_of_sdpa_say_what_to_do(path, tokens):
    model = AutoModelForCausalLM.from_pretrained(path, attn_implementation="sdpa").eval()
    with torch.no_grad():
        attentions = model(tokens, output_attentions=True).attentions
    with pytest.raises(ValueError, match='attn_implementation="eager"'):
        head.measure(attentions, 1, weights=True)
