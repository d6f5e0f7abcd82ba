"""The part `training` of a scale: one test per way to be wrong, names of cells, own kernels."""

import functools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import CONFIG, ROOT
from needle_cells import small
from pydantic import ValidationError

from attention_separation import config
from attention_separation.settings.faults import ConfigError
from attention_separation.studies.any_attention import own_kernel_faults
from attention_separation.studies.needle.settings.cells import IN_STREAMS

GRID = {
    "arm": "query_given", "mus": [5], "sizes": [32], "maps": ["mine"], "batch": 32, "steps": 60,
    "lr": 0.02, "runs": 2, "held_out": 1000,
}  # fmt: skip
HERE = "needle.scales.smoke.training."


@pytest.fixture(scope="module", autouse=True)
def files_read_once():
    """Every test has config.yaml and its files as they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(config, "read_config", functools.cache(config.read_config))
        yield


def loaded(kernel, kernels=None, more=None, **grid):
    training = {"maps": {"mine": kernel} | (more or {}), "grids": {"own": GRID | grid}}
    return config.load_config(
        ROOT / "config.yaml",
        {
            "any_attention": {"kernels": kernels or {}, "sizes": [200]},
            "needle": {"scale": "smoke", "scales": {"smoke": {"training": training}}},
        },
        # Whether kernels can be used is not asked here.
        tries_functions=False,
    )


def fault_of(*arguments, **named):
    with pytest.raises(ConfigError) as error:
        loaded(*arguments, **named)
    (only,) = error.value.faults
    return only.removeprefix(f"--config {HERE}")


WRONG = {
    # what is wrong: (the map, changes of the grid, words of the sentence)
    "unknown kernel": ({"kernel": "softmax"}, {}, "'softmax' is no kernel; did you mean"),
    "whole rows": ({"kernel": "sparsemax"}, {}, "maps.mine.kernel: sparsemax needs whole rows"),
    "a root": ({"kernel": "exp_root"}, {}, "maps.mine.kernel: exp_root has no weights of negative"),
    "no features": ({"kernel": "elu_plus_one"}, {}, "maps.mine: elu_plus_one needs `features`"),
    "all keys": ({"kernel": "efficient", "features": 3}, {}, "efficient is no map of features"),
    "not of every vector": ({"kernel": "focused_3", "features": 3}, {}, "no features of vectors"),
    "no attention for one query": (
        {}, {}, "grids.own: no kernel; allowed: in the arm self_attention alone",
    ),
    "rms of one number": (
        {"kernel": "linear", "divided_by": "rms"}, {}, "grids.own: divided_by: rms; allowed",
    ),
    "features of all queries": (
        {"kernel": "elu_plus_one", "features": 3}, {"arm": "self_attention"},
        "grids.own: features; allowed",
    ),
    "unknown normaliser": ({"kernel": "exp", "divided_by": "m"}, {}, "maps.mine.divided_by: 'm'"),
    "unknown map": ({"kernel": "exp"}, {"maps": ["mine", "expp"]}, "maps[1]: 'expp' is no"),
    "a sink beside another map": (
        {"kernel": "exp"}, {"arm": "sink_learned", "standardise": False},
        "grids.own: arm: sink_learned; allowed: with kernel: softmax_one and standardise: false",
    ),
    "a sink beside standardised scores": (
        {"kernel": "softmax_one"}, {"arm": "sink_and_scale_learned"}, "standardise: false",
    ),
    "unknown arm": (
        {"kernel": "exp"}, {"arm": "asked"}, "grids.own.arm: 'asked' is not allowed; allowed: "
        "'query_given', 'query_learned', 'self_attention', 'sink_learned' or "
        "'sink_and_scale_learned'",
    ),
    "a map twice": ({"kernel": "exp"}, {"maps": ["mine", "mine"]}, "own.maps: has 'mine' twice"),
    "misspelt": ({"kernel": "exp"}, {"batches": 3}, "grids.own.batches: unknown key"),
    "no name": ({"kernel": "exp"}, {}, "maps.1st: is no name; allowed: at most 50 letters"),
    "a cell twice": (
        {"kernel": "exp"}, {"sizes": [8, 32], "arm": "query_learned", "maps": ["exp"]},
        "grids.own: has the cell query_learned_mu5_n32_exp, which query_learned has; allowed: each "
        "cell once",
    ),
}  # fmt: skip


@given(wrong=st.sampled_from([*WRONG]))
def test_every_way_to_be_wrong_is_said(wrong):
    kernel, grid, words = WRONG[wrong]
    more = {"1st": kernel} if wrong == "no name" else None
    assert words in fault_of(kernel, more=more, **grid)


WRONG_CELLS = {
    "a seed twice": ({"seeds": [1, 1]}, "each seed once, 0 to 7"),
    "a ninth run": ({"seeds": [0, 8]}, "each seed once, 0 to 7"),
    "NaN": ({"lr": float("nan")}, "finite number"),
}


@pytest.mark.parametrize("wrong", WRONG_CELLS)
def test_a_cell_says_what_is_wrong(wrong):
    changes, words = WRONG_CELLS[wrong]
    with pytest.raises(ValidationError) as error:
        small(**changes)
    (only,) = error.value.errors()
    assert words in only["msg"]


def test_equal_weights_have_one_name_and_an_alias():
    cell = (
        loaded({"kernel": "none"}, maps=["mine"])
        .studies()["needle"]
        .cells["query_given_mu5_n32_mine"]
    )
    assert cell.map.kernel == "uniform"


def test_streams_have_names_of_their_own_for_the_arms():
    cells = loaded({"kernel": "exp"}).studies()["needle"].cells.values()
    assert {cell.data_names()[:2] for cell in cells if cell.arm == "query_given"} == {
        ("needle", "asked")
    }
    assert IN_STREAMS == {
        "query_given": "asked", "query_learned": "fixed", "self_attention": "paper",
        "sink_learned": "sink", "sink_and_scale_learned": "sink",
    }  # fmt: skip


def test_own_kernels_are_cells(monkeypatch):
    monkeypatch.setattr(own_kernel_faults, "all_sizes", lambda _: [200])
    kernels = {
        "half": {"score": "1 + x + x**2/4"},
        "phi": {"feature_map": "where(x > 0, x + 1, exp(x))"},
        "called": {"python": "numpy.exp"},
    }
    maps = {"phi_4": {"kernel": "phi", "features": 4}, "called": {"kernel": "called"}}
    loaded_config = loaded({"kernel": "half"}, kernels, maps, maps=["mine", "phi_4"], mus=[4.5])
    cells = loaded_config.studies()["needle"].cells
    assert cells["query_given_mu4p5_n32_mine"].own.score == "1 + x + x**2/4"
    assert cells["query_given_mu4p5_n32_phi_4"].own.feature_map.startswith("where")
    assert cells["query_given_mu5_n8_exp"].own is None
    root = fault_of({"kernel": "root"}, {"root": {"score": "sqrt(x)"}})
    assert root.startswith("maps.mine.kernel: root has no weights of negative scores")


def test_a_scale_without_training_is_all_of_lines():
    of_lines = config.load_config(ROOT / "config.yaml", {"needle": {"scale": "lines"}})
    study = of_lines.studies()["needle"]
    assert {*study.results} == {
        "needle_exact", "needle_claims", "needle_accuracy", "needle_critical", "needle_sink"
    }  # fmt: skip
    assert {*study.targets()["needle_lines"]} == {*study.results}
    assert study.chosen.exact == CONFIG.needle.scales["desk"].exact
    assert CONFIG.studies()["needle"].targets() == {"needle_lines": ("needle_exact",)}
