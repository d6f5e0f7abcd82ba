"""Stands as `pandas` beside the package of a project: a job that loads it ends there and fails.

pyarrow imports it where it converts Python objects, if it is there, for half of a short job's time.
Whatever is no job gets the real one.
"""

import importlib
import os
import sys
from pathlib import Path

if Path(sys.argv[0]).parent.name == "attention_separation":
    os.write(2, f"a job loads pandas: {sys.argv}\n".encode())
    os._exit(1)
here = str(Path(__file__).parent)
path, sys.path = sys.path, [entry for entry in sys.path if entry != here]
del sys.modules["pandas"]
importlib.import_module("pandas")
sys.path = path
