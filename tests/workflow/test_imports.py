"""What a job of plain `snakemake` loads: a library that it does not need takes longer than most
jobs compute."""

import subprocess
import sys

import pytest
from making import STUDIES

PACKAGE = "attention_separation"
OF_PLAIN_SNAKEMAKE = ("softmax_vs_linear", "lemmas", "open_choices", "any_attention")
OF_NO_JOB = {
    *("IPython", "matplotlib.pyplot", "numexpr", "pandas"),
    *("numpy.f2py.f2py2e", "numpy.testing._private.utils"),
    *("scipy.stats", "snakemake", "torch", "yaml"),
}
"""Frames and formulas are people's, the workflow reads settings, figures have no windows, and what
SciPy imports with NumPy's names is asked nothing."""

OF_DRAWING = {"PIL", "fontTools", "matplotlib"}
OF_ROOTS = {"scipy.integrate", "scipy.linalg", "scipy.optimize"}
"""What looks for a root loads them when it does."""

MODULES = {
    result.module: {output.kind.folder for outputs in result.outputs.values() for output in outputs}
    for name in OF_PLAIN_SNAKEMAKE
    for result in STUDIES[name].results.values()
    if result.in_default_run
}


def loaded(module: str) -> set[str]:
    """The modules that a job has loaded before it computes."""
    code = (
        f"import sys, {PACKAGE}.__main__; {PACKAGE}.__main__.import_lazily(); "
        f"import {PACKAGE}.{module}; print(*sys.modules)"
    )
    return {*subprocess.check_output([sys.executable, "-c", code], text=True).split()}


@pytest.mark.parametrize("module", MODULES)
def test_a_job_loads_what_it_needs(module):
    names = loaded(module)
    assert "numpy" in names
    assert names.isdisjoint(OF_NO_JOB)
    draws = "figures" in MODULES[module]
    assert ("matplotlib" in names) == draws
    if not draws:
        assert names.isdisjoint(OF_DRAWING)
    assert names.isdisjoint(OF_ROOTS)
