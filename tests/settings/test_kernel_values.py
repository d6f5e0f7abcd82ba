"""A user's own kernels: equal to the built-in ones that they spell out, and shown after them."""

import dataclasses
import math
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest
from making import CONFIG

from attention_separation.__main__ import run_job
from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.least_values import known_least_weights
from attention_separation.any_attention.values import best_probabilities, separate
from attention_separation.attention.kernels import KERNELS
from attention_separation.own_kernels import given
from attention_separation.pages import drawing
from attention_separation.settings import kernel_values as own_kernels_module
from attention_separation.settings.kernel_section import FeatureKernel, PythonKernel, ScoreKernel
from attention_separation.settings.kernel_values import load_function, own_kernel, own_kernels
from attention_separation.studies.any_attention import figures
from attention_separation.studies.any_attention.figures import label_of
from attention_separation.studies.any_attention.settings import KernelsJob

DATA = CONFIG.any_attention.data
SIZES = [200, 2000, 10**6, 10**12]

ELU = "where(x > 0, x + 1, exp(x))"
TWINS = {
    # an own kernel: the built-in one that it is
    "exp": ScoreKernel(score="exp(x)"),
    "linear": ScoreKernel(score="x"),
    "power_log_n": ScoreKernel(score="x**log_n"),
    "taylor_2": ScoreKernel(score="1 + x + x**2/2"),
    "relu2_over_n": ScoreKernel(score="maximum(x, 0)**2 / n", normalised=False),
    "elu_plus_one": FeatureKernel(feature_map=ELU),
    "softplus": PythonKernel(python="own_functions.softplus"),
    "exp_features": PythonKernel(python="own_functions.both_signs", of="features"),
}
FUNCTIONS = """
import numpy as np

def softplus(x):
    x += 0.0
    return np.logaddexp(0.0, x)

def flat(x):
    return 1 + 0 * np.exp(x)

def both_signs(z):
    z *= 1.0
    return np.concatenate([np.exp(z), np.exp(-z)], axis=-1)
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """The folder of a user's functions is the one that jobs run in."""
    (tmp_path / "own_functions.py").write_text(FUNCTIONS)
    monkeypatch.chdir(tmp_path)
    # It is added in a job, and stays.
    monkeypatch.setattr(sys, "path", [*sys.path])


def test_equal_to_its_built_in_twin(subtests):
    for name in TWINS:
        with subtests.test(name=name):
            kernel, twin = own_kernel("mine", TWINS[name]), KERNELS[name]
            assert (kernel.kind, kernel.normaliser, kernel.source) == (
                twin.kind,
                twin.normaliser,
                "config.yaml",
            )
            if not isinstance(TWINS[name], PythonKernel):
                assert kernel.also == twin.also
            for layer in LAYERS:
                wanted, found = (separate(one, layer, DATA, SIZES) for one in (twin, kernel))
                np.testing.assert_array_equal(found.resolved, wanted.resolved)
                for quantity in ("p_best", "p_after_y", "share"):
                    one, other = (getattr(of, quantity)[wanted.resolved] for of in (found, wanted))
                    np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


def test_symbols_are_the_formulas():
    assert own_kernel("a", TWINS["taylor_2"]).symbol == "1 + x + x**2/2"
    assert own_kernel("a", TWINS["elu_plus_one"]).symbol == f"φ = {ELU}"
    assert own_kernel("a", TWINS["softplus"]).symbol == "own_functions.softplus"
    assert own_kernel("a", ScoreKernel(score="x*d/n")).sees == "x, n and d"


def test_a_weight_in_x_that_only_overflow_hides_is_unknown():
    flat = own_kernel("flat", PythonKernel(python="own_functions.flat"))
    assert known_least_weights(flat, LAYERS[0], DATA, [2000]) == [None]
    # A formula has weights at every g.
    flat = own_kernel("flat", ScoreKernel(score="1 + 0*exp(x)"))
    assert known_least_weights(flat, LAYERS[0], DATA, [2000]) == [math.inf]
    small = own_kernel("small", ScoreKernel(score="1 + 1e-300*exp(x)"))
    (found,) = known_least_weights(small, LAYERS[0], DATA, [2000])
    shifted = own_kernel("shifted", ScoreKernel(score="exp(x - 300*log(10))"))
    (least,) = known_least_weights(shifted, LAYERS[0], DATA, [2000])
    assert least == 0 < 1 < found


def test_tables_have_own_kernels_after_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(own_kernels_module, "KERNELS", {"exp": KERNELS["exp"]})
    own = {"mine": TWINS["taylor_2"], "theirs": TWINS["softplus"]}
    job = KernelsJob(data=DATA, sizes=[200], kernels=own, modules={"theirs": "0"})
    assert KernelsJob.model_validate_json(job.canonical()) == job
    output = tmp_path / "tables/kernels.parquet"
    words = ["--settings", job.canonical(), "--output", str(output)]
    run_job("studies.any_attention.tables.value_table", *words)
    for name in ("kernels", "kernel_values"):
        found = pq.read_table(output.with_name(f"{name}.parquet"))["kernel"].to_pylist()
        assert list(dict.fromkeys(found)) == ["exp", "mine", "theirs"]
    rows = pq.read_table(output).to_pylist()
    assert {row["formula"] for row in rows if row["source"] == "config.yaml"} == {
        "1 + x + x**2/2", "own_functions.softplus",
    }  # fmt: skip


def test_figures_have_own_kernels_after_the_others(tmp_path, monkeypatch):
    name = "kernels_margins"
    monkeypatch.setattr(drawing, "FORMATS", ("svg",))
    few = dataclasses.replace(figures.DRAWN[name], count=4, shown=("exp", "linear"))
    monkeypatch.setitem(figures.DRAWN, name, few)
    own = {f"own_{k}": TWINS["elu_plus_one"] for k in range(3)}
    job = KernelsJob(data=DATA, kernels=own)
    path = tmp_path / f"{name}.svg"
    words = ["--settings", job.canonical(), "--figure", name, "--output", str(path)]
    run_job("studies.any_attention.figures", *words)
    table = pq.read_table(path.with_suffix(".parquet")).to_pandas()
    assert list(dict.fromkeys(table["kernel"])) == ["exp", "linear", *own]
    line = table[(table["kernel"] == "own_1") & (table["model"] == "cross_attention")]
    wanted = best_probabilities(KERNELS["elu_plus_one"], LAYERS[2], DATA, line["n"].tolist())
    np.testing.assert_allclose(line["p_best"], wanted, atol=1e-12)


def test_long_formulas_are_cut_in_legends():
    own = own_kernels({"mine": ScoreKernel(score="+".join(["x"] * 60))})
    label = label_of("mine", own)
    assert label.startswith("mine: x+x+")
    assert label.endswith("x…")
    assert len(label) == len("mine: ") + 40


def test_a_fault_in_a_job_is_a_sentence(capsys, tmp_path):
    job = KernelsJob(data=DATA, kernels={"mine": PythonKernel(python="own_functions.gone")})
    path = tmp_path / "kernels_margins.svg"
    words = ["--figure", "kernels_margins", "--output", str(path)]
    assert run_job("studies.any_attention.figures", "--settings", job.canonical(), *words) == 1
    assert ".figures: own_functions has no gone; " in capsys.readouterr().err
    assert not path.exists()


def test_a_kernel_has_the_name_of_its_function():
    def squared(x):
        return x**2

    assert given.scores(squared).name == "squared"
    assert given.scores(lambda x: x**2).name == "kernel"
    assert given.pair(squared, lambda z: z).name == "squared_kernel"


def test_a_module_of_this_folder_comes_before_others_of_its_name(tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for folder, answer in ((elsewhere, 1), (tmp_path, 2)):
        (folder / "of_two_folders.py").write_text(f"def of(x):\n    return {answer}\n")
    monkeypatch.syspath_prepend(elsewhere)
    assert load_function("of_two_folders.of")(0) == 2
