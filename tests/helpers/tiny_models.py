"""Models of transformers, tiny and random."""

import numpy as np
from transformers import (
    AutoModelForCausalLM,
    Gemma2Config,
    GPT2Config,
    GptOssConfig,
    LlamaConfig,
    MistralConfig,
)

SEQUENCES, TOKENS, LAYERS, HEADS = 3, 80, 2, 4
WINDOW = 24
SIZES = {"vocab_size": 20, "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0}
SIZES_OF_MOST = SIZES | {
    "hidden_size": 32,
    "intermediate_size": 32,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "num_key_value_heads": 2,
    "head_dim": 8,
}
CONFIGS = {
    "llama": LlamaConfig(**SIZES_OF_MOST),
    "gpt2": GPT2Config(n_embd=32, n_layer=LAYERS, n_head=HEADS, **SIZES),
    "mistral": MistralConfig(sliding_window=WINDOW, **SIZES_OF_MOST),
    "gemma2": Gemma2Config(sliding_window=WINDOW, attn_logit_softcapping=2.0, **SIZES_OF_MOST),
    "gpt_oss": GptOssConfig(
        sliding_window=WINDOW, num_local_experts=2, num_experts_per_tok=1, **SIZES_OF_MOST
    ),
}
SINKS = {"gpt_oss"}
WITHOUT_SDPA = {"gemma2", "gpt_oss"}
WINDOWS = {
    "mistral": {0: WINDOW, 1: WINDOW},
    "gemma2": {0: WINDOW},
    "gpt_oss": {0: WINDOW},
}
"""Layers whose queries see the last keys alone."""


def load(path, implementation="eager"):
    model = AutoModelForCausalLM.from_pretrained(path, attn_implementation=implementation)
    return model.eval()


def visible(name, layer, tokens=TOKENS):
    """Whether query i sees key j, (tokens, tokens), by the model's configuration."""
    query, key = np.ogrid[:tokens, :tokens]
    width = WINDOWS.get(name, {}).get(layer, tokens)
    return (key <= query) & (key > query - width)
