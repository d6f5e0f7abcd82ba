"""What the tests of models of transformers need. Nothing is asked of another machine."""

import importlib.util
import os
import re

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"

if importlib.util.find_spec("transformers") is None:
    pytest.exit(
        "tests/hugging_face needs transformers, which `make setup-head` installs", returncode=1
    )

import torch
from tiny_models import CONFIGS, SEQUENCES, TOKENS
from transformers import AutoModelForCausalLM


@pytest.fixture(scope="module", params=CONFIGS)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def path(name, tmp_path_factory):
    """A model's folder, of queries and keys that are far from alike."""
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(CONFIGS[name])
    with torch.no_grad():
        for parameter_name, parameter in model.named_parameters():
            if re.search("q_proj|k_proj|c_attn", parameter_name):
                parameter.normal_(0, 0.25)
            if "sinks" in parameter_name:
                parameter.normal_(4, 1)
    folder = tmp_path_factory.mktemp(name)
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def tokens():
    return torch.randint(1, 20, (SEQUENCES, TOKENS), generator=torch.Generator().manual_seed(1))
