"""What the tests of models of transformers need. Nothing is asked of another machine."""

import importlib.util
import os

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"

if importlib.util.find_spec("transformers") is None:
    pytest.exit(
        "tests/hugging_face needs transformers, which `make setup-head` installs", returncode=1
    )
