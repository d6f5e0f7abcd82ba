"""Where fla-core lies: a folder with its package `fla`, and einops, which its functions import."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("FLA_CORE", ""))

if importlib.util.find_spec("torch") is None:
    pytest.exit("tests/fla needs PyTorch, which `make setup WITH=rank` installs", returncode=1)
if not os.environ.get("FLA_CORE") or not (FOLDER / "fla/ops").is_dir():
    pytest.exit(
        "tests/fla needs FLA_CORE, the folder of `pip install --no-deps --target FOLDER "
        "fla-core==0.6.0 einops`",
        returncode=1,
    )
sys.path.append(str(FOLDER))


@pytest.fixture(scope="session")
def reference():
    """A function of one of fla's plain references, loaded by file: the package itself imports what
    needs a GPU."""

    def load(operator, name):
        path = FOLDER / f"fla/ops/{operator}/naive.py"
        spec = importlib.util.spec_from_file_location(f"fla_{operator}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return getattr(module, name)

    return load
