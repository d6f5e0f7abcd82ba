"""A user's own kernels in the configuration: what is accepted, and what each fault says."""

import copy
import os
import subprocess
import sys

import pytest
from faulty import SMALL, as_yaml
from hypothesis import given
from hypothesis import strategies as st
from making import ROOT, values

from attention_separation.__main__ import main
from attention_separation.commands import COMMANDS
from attention_separation.config import checked_config, load_config
from attention_separation.own_kernels.formula import FUNCTIONS, FormulaError, parse_formula
from attention_separation.settings.faults import ConfigError
from attention_separation.settings.kernel_section import NOT_A_FILE, module_digest
from attention_separation.settings.section_files import WrittenSettings

MODULE = """
import sys
import numpy as np

print("loaded")
CONSTANT = 3

def square(x):
    return x**2

def features(vectors):
    return np.concatenate([np.exp(vectors), np.exp(-vectors)], axis=-1)

def first(vectors):
    return 1 + vectors[..., :1] + 3 * vectors[..., 1:2]

def flat(x):
    return x.ravel()

def places(x):
    return np.broadcast_to(1.0 + np.arange(x.shape[-1]), x.shape)

def complexes(x):
    return x + 0j

def late(x):
    if x.max() > 20:
        raise KeyError("no weight\\nof this")
    return x

def leaves(x):
    sys.exit(3)
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Checks settings with some kernels, in a folder that has modules of a user's."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_kernels.py").write_text(MODULE)
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "ending.py").write_text("import os\nos._exit(0)\n")

    def read(kernels, settings=SMALL, tries_functions=True):
        section = settings["any_attention"] | {"kernels": kernels}
        written = WrittenSettings("config.yaml", settings | {"any_attention": section}, {}, [])
        return checked_config(written, {}, tries_functions=tries_functions)

    return read


def faults_of(load, kernels):
    with pytest.raises(ConfigError) as error:
        load(kernels)
    return error.value.faults


ACCEPTED = {
    "a score": {"score": "1 + x + x**2/2"},
    "all names": {"score": "x**2 / n + d*x + log_n"},
    "not divided": {"score": "x - 3", "normalised": False},
    "features": {"feature_map": "where(x > 0, x + 1, exp(x))"},
    "Python, of scores": {"python": "my_kernels.square"},
    "Python, of features": {"python": "my_kernels.features", "of": "features"},
    "Python, installed": {"python": "numpy.square"},
}


def test_all_forms_at_once(load, capsys):
    assert load({}).any_attention.kernels == {}
    found = load({f"kernel_{k}": one for k, one in enumerate(ACCEPTED.values())})
    assert len(found.any_attention.kernels) == len(ACCEPTED)
    # No module of a user is imported here.
    assert "my_kernels" not in sys.modules
    assert capsys.readouterr().out == ""


MINE = "any_attention.kernels.mine"
WRONG_FORMULAS = {
    # a formula: what is said of it
    "1 + y": "column 5: no quantity 'y'; allowed: x, n, d, log_n",
    "log_m * x": "column 1: no quantity 'log_m'; did you mean 'log_n'?",
    "x^2": "column 2: '^' is no operator here; did you mean **?",
    "  x // 2": "column 5: '//' is no operator here; allowed: + - * / **",
    "tan(x)": "column 1: no function 'tan'; did you mean 'tanh'? allowed: where, exp",
    "1 +": "column 4: invalid syntax; allowed: x, n, d, log_n, numbers",
    "": "column 1: invalid syntax",
    "(x": "column 1: '(' was never closed",
    "where(x > 0, x)": "column 1: 2 arguments of where; allowed: where(a, b, c)",
    "exp(a=x)": "column 1: an argument of exp has a name or a star; allowed: exp(a)",
    "exp(*x)": "column 1: an argument of exp has a name or a star",
    "2*exp": "column 3: exp without arguments; allowed: exp(a)",
    "0 < x < 1": "column 1: several comparisons in a row; allowed: one",
    "x in x": "column 3: 'in' is no operator here",
    "1 + x.real": "column 5: 'x.real' is no part of a formula",
    "x[0]": "column 1: 'x[0]' is no part of a formula",
    "x if x > 0 else 0": "is no part of a formula",
    "[x for x in (1,)]": "is no part of a formula",
    "True": "'True' is no part of a formula",
    "x + 1j": "column 5: '1j' is no part of a formula",
    "'x'": "is no part of a formula",
    "x * 1e999": "column 5: '1e999' is too large; allowed: numbers below 1e308",
    "__import__('os').system('true')": "no function \"__import__('os').system\"",
    "(lambda: x)()": "no function",
    "é * x": "column 1: no quantity 'é'",
    "(é) * y": "column 2: no quantity 'é'",
    "(" * 250: "too many nested parentheses",
    "x\0": "null bytes",
}


@given(text=st.sampled_from([*WRONG_FORMULAS]))
def test_what_is_no_formula(text):
    with pytest.raises(FormulaError) as error:
        parse_formula(text)
    assert WRONG_FORMULAS[text] in str(error.value)
    assert "allowed: " in str(error.value)
    assert str(error.value).isprintable()


def test_formulas_are_written_anew():
    assert parse_formula("1 + x\n + +x**2/2").expression == "1.0 + x + x ** 2.0 / 2.0"
    assert parse_formula("where(x > 0, n, d)").names == ("x", "n", "d")
    assert parse_formula("(x > 0) * 3").expression == "where(x > 0.0, 1.0, 0.0) * 3.0"
    assert parse_formula("where(x, 1, 2)").expression == "where(x != 0.0, 1.0, 2.0)"
    # Long sums do not nest.
    assert parse_formula("+".join(["x"] * 150)).expression.count("(") == 0
    for name, count in FUNCTIONS.items():
        assert parse_formula(f"{name}({', '.join('xnd'[:count])})").names[0] == "x"


SCORE = {"score": "x"}
WRONG_SETTINGS = {
    # what is wrong: (kernels, the fault's path, words of its sentence)
    "a formula": ({"mine": {"score": "1 + y"}}, f"{MINE}.score", "'1 + y' is not allowed; column"),
    "a formula of features": ({"mine": {"feature_map": "x^2"}}, f"{MINE}.feature_map", "column 2"),
    "a long formula": ({"mine": {"score": "x" * 301}}, f"{MINE}.score", "at most 300 characters"),
    "misspelt": ({"mine": {"scores": "x"}}, f"{MINE}.scores", "did you mean 'score'?"),
    "misspelt map": ({"mine": {"features_map": "x"}}, f"{MINE}.features_map", "'feature_map'?"),
    "misspelt option": (
        {"mine": SCORE | {"normalized": True}}, f"{MINE}.normalized", "did you mean 'normalised'?",
    ),
    "an option of Python": ({"mine": SCORE | {"of": "score"}}, f"{MINE}.of", "allowed: score, nor"),
    "no weights": (
        {"mine": {"normalised": True}}, MINE,
        "has no weights; allowed: one of score, feature_map, python",
    ),
    "empty": ({"mine": {}}, MINE, "has no weights"),
    "two forms": (
        {"mine": SCORE | {"python": "a.b"}}, MINE, "has score and python; allowed: one of score",
    ),
    "many kernels": (
        {f"k{k}": SCORE for k in range(51)}, "any_attention.kernels", "at most 50 items",
    ),
    "no module": ({"mine": {"python": "square"}}, f"{MINE}.python", "allowed: module.function or"),
    "no path": ({"mine": {"python": "my-kernels.f"}}, f"{MINE}.python", "'my-kernels.f' is not"),
    "no name": ({"a b": SCORE}, "any_attention.kernels.a b", "is no name; allowed: at most 50"),
    "an underscore first": ({"_a": SCORE}, "any_attention.kernels._a", "a letter first"),
    "a built-in name": ({"exp": SCORE}, "any_attention.kernels.exp", "of a built-in kernel;"),
    "no finite weight": (
        {"mine": {"score": "log(0*x)"}}, MINE,
        "self-attention, X = I, n = 20: a weight, of score x = 2.0374, is -inf; allowed: fin",
    ),
    "what overflows at some n, not divided": (
        {"mine": {"score": "exp(x**2)", "normalised": False}}, MINE,
        "self-attention, X = I, n = 327,680: a weight, of",
    ),
    "overflowing features, not divided": (
        {"mine": {"feature_map": "1e300 * (1 + x)", "normalised": False}}, MINE,
        "is inf; allowed: finite numbers",
    ),
    "negative sums": (
        {"mine": {"score": "x - 30"}}, MINE,
        "self-attention, X = I, n = 20: a row of weights sums to -561.535; allowed: sums > 0",
    ),
    "a division by zero": (
        {"mine": {"score": "x + 1/0"}}, MINE, "it cannot be evaluated: ZeroDivisionError",
    ),
}  # fmt: skip


def test_faults_name_path_value_and_what_is_allowed(subtests, load):
    for what in WRONG_SETTINGS:
        with subtests.test(what=what):
            kernels, path, words = WRONG_SETTINGS[what]
            found = [line for line in faults_of(load, kernels) if words in line]
            assert found
            assert found[0].startswith(f"{path}: ")
            assert found[0].isprintable()


FIRST = "self-attention, X = I, n = 20: my_kernels"
WRONG_FUNCTIONS = {
    "nothing.f": "nothing cannot be imported: ModuleNotFoundError: No module named 'nothing'",
    "broken.f": "broken cannot be imported: ZeroDivisionError: division by zero",
    "my_kernels.squares": "my_kernels has no squares; did you mean 'square'? allowed: square, ",
    "my_kernels.CONSTANT": "my_kernels.CONSTANT is of type int; allowed: functions",
    "my_kernels.flat": f"{FIRST}.flat gave an array of shape (12,) for scores of shape (3, 4); "
    "allowed: the same shape",
    "my_kernels.complexes": f"{FIRST}.complexes gave numbers of type complex128; allowed: real",
    "my_kernels.late": 'my_kernels.late raised KeyError: \'no weight\\nof this\'',
    "my_kernels.leaves": f"{FIRST}.leaves raised SystemExit: 3",
    "my_kernels.places": "self-attention, X = I, n = 20: the weight of a score, "
    "2.0374, depends on which other scores stand in its array",
}  # fmt: skip


def test_faults_of_functions(load):
    """All in one process, as they would be in one configuration."""
    kernels = {f"kernel_{k}": {"python": path} for k, path in enumerate(WRONG_FUNCTIONS)}
    kernels["sound"] = {"python": "my_kernels.square"}
    for name, path in (("z_shape", "square"), ("z_first", "first"), ("z_lost", "flat")):
        kernels[name] = {"python": f"my_kernels.{path}", "of": "features"}
    kernels["z_shape"]["python"] = "numpy.sum"
    found = faults_of(load, kernels)
    assert len(found) == len(WRONG_FUNCTIONS) + 3
    for k, (line, words) in enumerate(zip(found, WRONG_FUNCTIONS.values(), strict=False)):
        assert line.startswith(f"any_attention.kernels.kernel_{k}: ")
        assert words in line
        assert line.isprintable()
    shape, first, lost = found[-3:]
    assert "gave an array of shape () for vectors of shape (3, 22); allowed: (3, features)" in shape
    assert "z_first: self-attention, X = I, n = 20: tokens that are alike" in first
    assert "allowed: the same weight" in first
    assert "gave an array of shape (66,) for vectors of shape (3, 22)" in lost


def test_a_module_that_ends_python(load):
    (line,) = faults_of(load, {"mine": {"python": "ending.f"}})
    assert line == f"{MINE}: Python ended with status 0 when it was tried: it said nothing"


SPY = """
import os
from pathlib import Path

with Path("imported").open("a") as file:
    file.write(f"{os.getpid()}\\n")

def square(x):
    return x**2
"""
READING = [name for name in COMMANDS if name.endswith(("summary", "verify"))]


@pytest.fixture
def spied(tmp_path, monkeypatch):
    """A folder whose settings name a function wherever they can; the file `imported` has the
    processes that have imported its module."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spy.py").write_text(SPY)
    (tmp_path / "results").mkdir()
    settings = copy.deepcopy(SMALL)
    settings["any_attention"]["kernels"] = {"mine": {"python": "spy.square"}}
    panels = settings["softmax_vs_linear"]["panels"]
    panels["fig4b"]["contest"] = {"fires": "mine", "silent": ["linear"]}
    settings["needle"]["scales"]["smoke"]["training"]["maps"]["mine"] = {"kernel": "mine"}
    (tmp_path / "config.yaml").write_text(as_yaml(settings))
    return tmp_path


def test_commands_that_need_no_kernel_import_no_module_of_the_settings(subtests, spied, capsys):
    for command in READING:
        with subtests.test(command=command):
            main([command, "results"] if command.endswith("verify") else [command])
            assert "fault" not in capsys.readouterr().err
            assert not (spied / "imported").exists()
            assert "spy" not in sys.modules


def test_what_runs_jobs_tries_functions_in_another_process(spied):
    load_config(spied / "config.yaml")
    processes = (spied / "imported").read_text().split()
    assert len(processes) == 1
    assert str(os.getpid()) not in processes
    assert "spy" not in sys.modules


def test_without_own_kernels_nothing_is_loaded_for_them():
    code = (
        "import sys; from pathlib import Path; from attention_separation.config import load_config;"
        f"load_config(Path({str(ROOT / 'config.yaml')!r}));"
        "assert not {'numexpr', 'attention_separation.settings.kernel_values'}"
        " & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(ROOT / "src")}, check=True)


def test_jobs_change_with_their_kernels_alone(load, tmp_path):
    def settings(kernels):
        config = load(kernels, values(), tries_functions=False)
        study = config.studies()["any_attention"]
        return {name: result.settings.canonical() for name, result in study.results.items()}

    def changed(one, other):
        return {name for name in one if one[name] != other[name]}

    shows = {
        "kernels_values", "kernels_splits", "kernels_accuracy", "kernels_margins", "kernels_budget",
    }  # fmt: skip
    without = settings({})
    assert not any("kernels" in text or "modules" in text for text in without.values())
    formula = settings({"mine": {"score": "x + 1"}})
    assert changed(without, formula) == shows
    assert changed(formula, settings({"mine": {"score": "x + 2"}})) == shows
    function = settings({"mine": {"python": "my_kernels.square"}})
    assert settings({"mine": {"python": "my_kernels.square"}}) == function
    (tmp_path / "my_kernels.py").write_text(MODULE.replace("x**2", "x**3"))
    assert changed(function, settings({"mine": {"python": "my_kernels.square"}})) == shows


def test_digests_of_modules(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack/__init__.py").write_text("raise ImportError('not to be imported')\n")
    (tmp_path / "pack/inner.py").write_text("f = 1\n")
    inner, whole = module_digest("pack.inner.f"), module_digest("pack.f")
    assert len({inner, whole, NOT_A_FILE}) == 3
    (tmp_path / "pack/inner.py").write_text("f = 2\n")
    assert module_digest("pack.inner.f") != inner
    assert module_digest("pack.f") == whole
    assert module_digest("nothing.at.all") == NOT_A_FILE
    assert module_digest("sys.f") == NOT_A_FILE
    assert len(module_digest("numpy.exp")) == len(whole)
