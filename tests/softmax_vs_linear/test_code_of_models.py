"""Code that serves some models alone: jobs of other models do not depend on it."""

import ast
import re
import sys

import pytest
from making import SECTION, STUDY, contest, panel

from attention_separation.results import provenance
from attention_separation.softmax_vs_linear.audits import theta, verdicts, whp
from attention_separation.softmax_vs_linear.audits import threshold as threshold_audit
from attention_separation.softmax_vs_linear.audits.choices import choices_table
from attention_separation.softmax_vs_linear.audits.choices import draw as draw_choices
from attention_separation.softmax_vs_linear.audits.phase import draw as draw_phase
from attention_separation.softmax_vs_linear.audits.phase import phase_table
from attention_separation.softmax_vs_linear.exact.compute import compute_exact
from attention_separation.softmax_vs_linear.figures.joined_table import join_exact
from attention_separation.softmax_vs_linear.figures.panel_figure import draw as draw_figure
from attention_separation.softmax_vs_linear.figures.schematic import draw as draw_schematic
from attention_separation.softmax_vs_linear.models import MODELS
from attention_separation.softmax_vs_linear.models.contest import PAPERS
from attention_separation.softmax_vs_linear.results import SCHEMATICS
from attention_separation.softmax_vs_linear.settings import code_of_models
from attention_separation.softmax_vs_linear.settings.code_of_models import modules_of_others
from attention_separation.softmax_vs_linear.settings.jobs import (
    ChoicesJob,
    ExactJob,
    FigureJob,
    PhaseJob,
    ThetaJob,
    ThresholdJob,
    VerdictsJob,
    WhpJob,
)
from attention_separation.softmax_vs_linear.settings.panels import PanelJob, without_trials
from attention_separation.softmax_vs_linear.simulation.simulate import simulate
from attention_separation.verbs import module_of

PAPER = "attention_separation.softmax_vs_linear"
EVERY = [
    ".".join(("attention_separation", *path.relative_to(provenance.ROOT).with_suffix("").parts))
    .removesuffix(".__init__")
    for path in sorted(provenance.ROOT.rglob("*.py"))
]  # fmt: skip
SERVING = {module for modules in code_of_models.SERVING.values() for module in modules}

MAY_NAME_THEM = {
    # One entry for each model, or each kind of model.
    "models", "attention_separation.datasets", "simulation.engines", "exact.methods",
    "exact.best_thresholds",
    # They ask which kind a model is, or have alternatives for each.
    "audits.readings", "figures.dataset_ranges", "settings.claims",
    # Names of kernels, and of models.
    "attention_separation.settings.kernel_name", "attention_separation.attention.kernel_names",
    "pages.threshold_findings", "results",
    # It serves other studies alone.
    "attention_separation.datasets.another_x",
    # Each drawing is of one model.
    "figures.attention_schematics", "figures.regression_schematics",
}  # fmt: skip
"""Modules that name what serves some models alone, beside the claims, which are of all models."""

KINDS = {
    "AttentionModel", "RegressionModel", "REGRESSION", "SELF_ATTENTION", "CROSS_ATTENTION",
    "KERNELS",
}  # fmt: skip
"""What jobs of any model may read of the modules of others: only which is which."""


def code_of(verb, models=None):
    """Digest of the code that a verb's results of some models depend on."""
    without = () if models is None else modules_of_others(models)
    return provenance.code_digest(module_of(verb), without=without)


def served(module):
    """The models that a module serves, if not all."""
    return frozenset(name for name, modules in code_of_models.SERVING.items() if module in modules)


def test_every_module_of_a_model_exists():
    assert {*EVERY} >= SERVING
    assert code_of_models.SERVING.keys() == MODELS.keys()
    of_attention = {name for name in EVERY if name.startswith("attention_separation.attention.")}
    of_attention -= {
        f"attention_separation.attention.{name}"
        for name in (
            "exceeding",
            "fair_coins",
            "gaps",
            "kernel_names",
            "separation",
            "sign_columns",
            "threshold_curves",
        )
    }
    for name in ("self_attention", "cross_attention"):
        assert {*code_of_models.SERVING[name]} >= of_attention
        assert f"{PAPER}.models.{name}" in code_of_models.SERVING[name]
    assert served(f"{PAPER}.simulation.regression_trials") == {"regression"}
    assert served(f"{PAPER}.exact.attention_probabilities") == {"self_attention", "cross_attention"}


def test_only_what_tells_models_apart_names_their_modules():
    naming = set()
    # All of the studies of kernels and of the needle, own kernels, API and explorer is attention.
    others = re.compile(r"\.(any_attention|needle|own_kernels|api|explorer)(\.|$)")
    for module in (name for name in EVERY if not others.search(name)):
        for imported in provenance._parsed(module)[1]:
            if imported in SERVING and not (served(module) and served(module) <= served(imported)):
                naming.add(module.removeprefix(f"{PAPER}."))
    of_claims = {name for name in naming if name.startswith("claims.")}
    assert naming - of_claims == MAY_NAME_THEM


def test_the_modules_of_others():
    regression, self_attention = (
        modules_of_others([name]) for name in ("regression", "self_attention")
    )
    assert f"{PAPER}.models.cross_attention" in regression & self_attention
    assert f"{PAPER}.simulation.attention_trials" in regression - self_attention
    assert f"{PAPER}.simulation.regression_trials" in self_attention - regression
    assert modules_of_others(MODELS) == frozenset()
    assert modules_of_others([]) == SERVING
    assert modules_of_others(["regression", "self_attention"]) == {
        "attention_separation.datasets.cross_attention", f"{PAPER}.models.cross_attention",
    }  # fmt: skip


SWEEPS = {
    "regression": ("m", [2, 3], {"n": 60}),
    "self_attention": ("a1", [0.8, 1.2], {"n": 12, "d": 5, "m": 3, "a0": 0.01, "b": 0.2, "c": 0.8}),
    "cross_attention": ("a1", [0.8, 1.2], {"n": 12, "d": 4, "m": 3, "a0": 0.01}),
}


def jobs_of(model):
    """A small job of each verb, as text, and what runs it; by the verb."""
    parameter, values, fixed = SWEEPS[model]
    contests = [PAPERS] if model == "regression" else [PAPERS, contest("exp", "elu_plus_one")]
    panels = {
        f"p{k}": panel(model, {parameter: values}, 20, own, **fixed)
        for k, own in enumerate(contests)
    }
    sweeps = {name: without_trials(own) for name, own in panels.items()}
    of_exact = [{"name": name, "panel": own} for name, own in sweeps.items()]
    digests = {"table_settings": "", "exact_settings": ""}
    drawn = [
        {"name": name, "panel": own, "reconstructed": ["n"], "notes": ["V*"]} | digests
        for name, own in panels.items()
    ]
    judged = [
        {"name": name, "contest": own.contest, "margin": 0.5, "reconstructed": "n"} | digests
        for name, own in panels.items()
    ]
    jobs = {
        "exact": ExactJob(panels=of_exact),
        "figure": FigureJob(title="T", panels=drawn),
        "verdicts": VerdictsJob(level=1e-3, margin=0.5, panels=judged),
        "whp": WhpJob(panels=[{"exact": of, "reconstructed": ""} for of in of_exact]),
        "choices": ChoicesJob(panels=of_exact, figures={name: name for name in panels}),
        "threshold": ThresholdJob(panels=of_exact),
    }
    if model != "regression":
        jobs["theta"] = ThetaJob(rows=[{"title": "T", "panels": of_exact}])
        grid = {"m": [1, 2], "a1": [0.8, 1.2]}
        held = {key: value for key, value in fixed.items() if key != "m"}
        maps = [
            {"name": name, "map": without_trials(panel(model, grid, 1, own.contest, **held))}
            for name, own in panels.items()
        ]
        jobs["phase"] = PhaseJob(maps=maps, marked=of_exact)
    texts = {verb: (type(job), job.model_dump_json(by_alias=True)) for verb, job in jobs.items()}
    simulated = {
        engine: [
            PanelJob(name=name, panel=own, seed=1, engine=engine).model_dump_json(by_alias=True)
            for name, own in panels.items()
        ]
        for engine in ("reduced", "dense")
    }
    return texts, simulated


def watched(function, codes):
    """What a function returns; the code that it runs, with its module, is added to `codes`."""

    def note(frame, event, argument):
        module = frame.f_globals["__name__"]
        if event == "call" and module.startswith("attention_separation"):
            codes.add((module, frame.f_code))

    sys.setprofile(note)
    try:
        return function()
    finally:
        sys.setprofile(None)


def run_all(model):
    """Run a job of each verb: what each ran, by the verb."""
    texts, simulated = jobs_of(model)
    found, tables = {}, {}

    def watch(verb, function):
        return watched(function, found.setdefault(verb, set()))

    def job(verb):
        kind, text = texts[verb]
        return kind.model_validate_json(text)

    for engine, jobs in simulated.items():
        tables[engine] = [
            watch("simulate", lambda text=text: simulate(PanelJob.model_validate_json(text)))
            for text in jobs
        ]
    exactly = watch("exact", lambda: [compute_exact(own) for own in job("exact").panels])
    both = [join_exact(*pair) for pair in zip(tables["reduced"], exactly, strict=True)]
    watch("figure", lambda: draw_figure(job("figure"), both))
    watch("verdicts", lambda: verdicts.verdict_tables(job("verdicts"), both))
    watch("whp", lambda: whp.whp_table(
        [whp.panel_events(of, table)
         for of, table in zip(job("whp").panels, exactly, strict=True)]
    ))  # fmt: skip
    watch("choices", lambda: draw_choices(choices_table(job("choices")), job("choices").figures))
    watch("threshold", lambda: threshold_audit.draw(
        job("threshold"), threshold_audit.threshold_table(job("threshold"))
    ))  # fmt: skip
    if "theta" in texts:
        watch("theta", lambda: theta.draw(job("theta"), theta.theta_table(job("theta"))))
        watch("phase", lambda: draw_phase(job("phase"), phase_table(job("phase"))))
    return found


@pytest.fixture(scope="module")
def ran():
    """What jobs of each model ran: (module, code) by the model and the verb."""
    return {model: run_all(model) for model in MODELS}


def imported_names(module):
    """Where the names of a module are from: module by name."""
    tree = ast.parse(provenance._source(module).read_text(encoding="utf-8"))
    return {
        alias.asname or alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


@pytest.mark.parametrize("model", MODELS)
def test_no_job_runs_or_reads_what_serves_other_models_alone(ran, model):
    others = modules_of_others([model])
    verbs = {"simulate", "exact", "figure", "verdicts", "whp", "choices", "threshold"}
    assert ran[model].keys() >= verbs
    for verb, codes in ran[model].items():
        assert len(codes) > 10, verb
        for module, code in codes:
            assert module not in others, (verb, module, code.co_name)
            names = imported_names(module)
            read = {name for name in code.co_names if names.get(name) in others}
            assert read <= KINDS, (verb, module, code.co_name)
    assert {module for module, _ in ran[model]["simulate"]} & {*code_of_models.SERVING[model]}


@pytest.mark.parametrize("model", MODELS)
def test_verdicts_run_no_code_of_models(ran, model):
    assert not {module for module, _ in ran[model]["verdicts"]} & SERVING


@pytest.mark.parametrize("model", MODELS)
def test_a_change_of_what_a_job_runs_changes_the_digest_of_its_code(ran, model, monkeypatch):
    parsed, changed = provenance._parsed, set()

    def other(name):
        tree, imported = parsed(name)
        return f"another {tree}" if name in changed else tree, imported

    before = {verb: code_of(verb, [model]) for verb in ran[model]}
    monkeypatch.setattr(provenance, "_parsed", other)
    for verb, codes in ran[model].items():
        for module in {module for module, _ in codes}:
            changed = {module}
            assert code_of(verb, [model]) != before[verb], (verb, module)
        changed = modules_of_others([model])
        assert code_of(verb, [model]) == before[verb]


@pytest.mark.parametrize("figure", SCHEMATICS)
def test_a_drawing_runs_no_code_of_other_models(figure):
    codes = set()
    watched(lambda: draw_schematic(figure, "{}"), codes)
    modules = {module for module, _ in codes}
    assert not modules & modules_of_others([SCHEMATICS[figure].name])
    assert {*code_of_models.SERVING[SCHEMATICS[figure].name]} & modules


def test_the_code_of_every_file_is_that_of_its_models():
    """A whole run's files carry what `code_of` says of their panels' models."""
    found = STUDY.expected_tables()
    for name, own in SECTION.panels.items():
        for folder, verb in (("panels", "simulate"), ("exact", "exact"), ("figures", "figure")):
            assert found[f"{folder}/{name}.parquet"].code == code_of(verb, [own.model])
    assert found["figures/phase.parquet"].code == code_of("phase", ["self_attention"])
    assert found["tables/claims.parquet"].code == code_of("claims")
