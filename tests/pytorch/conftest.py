"""What the tests of training, and of kernels against PyTorch's own, need."""

import importlib.util

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.exit("tests/pytorch needs PyTorch, which `make setup WITH=rank` installs", returncode=1)
