"""A model and its tokens, of a package or of random weights; no other machine is asked.

PyTorch and transformers are imported when a job begins: where they are missing it says so.
"""

import hashlib
import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ...statistics.seeding import stream
from ..settings.section import PackagedModel, RandomModel

BYTES = 256

SPREAD = 0.25
"""Standard deviation of a random model's queries and keys: so its heads are far from uniform."""


def load_model(setting: PackagedModel | RandomModel, seed: int) -> Any:
    """Returns the model of a setting, of transformers, ready to run. ValueError if its package is
    not there, or has another file."""
    if isinstance(setting, RandomModel):
        return _random_model(setting, seed)
    from transformers import AutoModelForCausalLM

    path = model_file(setting)
    model = AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, attn_implementation="sdpa"
    )
    return model.eval()


def encoder(setting: PackagedModel | RandomModel) -> tuple[Callable[[str], np.ndarray], int]:
    """Returns what makes tokens of a text, and the number of different tokens."""
    if isinstance(setting, RandomModel):
        return _utf8, setting.vocabulary
    _stay_offline()
    from transformers import AutoTokenizer

    path = model_file(setting)
    tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)

    def encoded(text: str) -> np.ndarray:
        return np.array(tokenizer(text, add_special_tokens=False)["input_ids"])

    return encoded, len(tokenizer)


def model_file(setting: PackagedModel) -> Path:
    """Returns the file of a packaged model; ValueError if it is not there, or is another."""
    _stay_offline()
    package = importlib.util.find_spec(setting.package)
    if package is None or package.origin is None:
        raise ValueError(
            f"package {setting.package}, which has the model, is not installed; "
            "`make setup-head-model` installs it"
        )
    path = Path(package.origin).parent / setting.file
    if not path.is_file():
        raise ValueError(f"{path} is missing; the package {setting.package} is of another version")
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    if sha256 != setting.sha256:
        raise ValueError(f"{path} has sha256 {sha256}; allowed: {setting.sha256}")
    return path


def _stay_offline() -> None:
    """Let libraries of models ask no other machine; to be called before they are imported."""
    os.environ["HF_HUB_OFFLINE"] = "1"


def _utf8(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), np.uint8).astype(np.int64)


def _random_model(setting: RandomModel, seed: int) -> Any:
    """Returns a Llama whose weights are drawn by the seed."""
    _stay_offline()
    import torch
    from transformers import AutoModelForCausalLM, LlamaConfig

    width = setting.heads * setting.head_dimension
    config = LlamaConfig(
        vocab_size=setting.vocabulary,
        bos_token_id=0,
        eos_token_id=0,
        pad_token_id=0,
        hidden_size=width,
        intermediate_size=width,
        num_hidden_layers=setting.layers,
        num_attention_heads=setting.heads,
        num_key_value_heads=setting.key_heads,
        head_dim=setting.head_dimension,
        max_position_embeddings=2**17,
    )
    torch.manual_seed(int(stream(seed, "head_model", "model").integers(2**31)))
    model = AutoModelForCausalLM.from_config(config, attn_implementation="sdpa")
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "q_proj" in name or "k_proj" in name:
                parameter.normal_(0, SPREAD)
    return model.eval()
