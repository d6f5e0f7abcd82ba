"""Where a user's Python function lies, and the digest of its module, found without importing it."""

import hashlib
import importlib
import sys
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

from attention_separation.settings.closed import DIGEST_LENGTH

NOT_A_FILE = "no file"


def module_digest(function: str) -> str:
    """Digest of the file of the module that a function `package.module.name` is in."""
    spec = _module_spec(function.rpartition(".")[0])
    try:
        content = Path(spec.origin or "").read_bytes() if spec else b""
    except OSError:  # it is built into Python, say
        return NOT_A_FILE
    return hashlib.sha256(content).hexdigest()[:DIGEST_LENGTH] if content else NOT_A_FILE


def add_own_folder() -> None:
    """Let modules be imported from the folder that this process runs in, first of all."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)


def _module_spec(module: str) -> ModuleSpec | None:
    """Of each package on the way to a module, then of it; of one in no package first in this
    folder, as after `add_own_folder`."""
    importlib.invalidate_caches()
    name, folders, spec = "", None, None
    for part in module.split("."):
        name = f"{name}.{part}".strip(".")
        own = PathFinder.find_spec(name, [str(Path.cwd())]) if folders is None else None
        found = (finder.find_spec(name, folders) for finder in sys.meta_path)
        spec = own or next(filter(None, found), None)
        if spec is None:
            return None
        folders = spec.submodule_search_locations or []
    return spec
