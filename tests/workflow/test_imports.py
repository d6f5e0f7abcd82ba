"""What a job of plain `snakemake` loads: a library that it does not need takes longer than most
jobs compute."""

import subprocess
import sys

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
DRAWING = {module for module, folders in MODULES.items() if "figures" in folders}


def loaded(modules: set[str]) -> set[str]:
    """The modules that jobs have loaded before they compute."""
    imports = "".join(f"import {PACKAGE}.{module}; " for module in sorted(modules))
    code = (
        f"import sys, {PACKAGE}.__main__; {PACKAGE}.__main__.import_lazily(); "
        f"{imports}print(*sys.modules)"
    )
    return {*subprocess.check_output([sys.executable, "-c", code], text=True).split()}


def test_jobs_load_what_they_need():
    """What all of them load together is what any of them may."""
    drawing, others = loaded(DRAWING), loaded(MODULES.keys() - DRAWING)
    assert {"numpy", "matplotlib"} <= drawing
    assert "numpy" in others
    assert (drawing | others) & (OF_NO_JOB | OF_ROOTS) == set()
    assert others & OF_DRAWING == set()
