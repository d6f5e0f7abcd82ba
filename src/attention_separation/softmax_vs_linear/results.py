"""What a run of this paper makes, each result declared once."""

from collections.abc import Iterable, Iterator, Mapping

from attention_separation.results.result import CHECK, FIGURE, POINTS, TABLE, Kind, Output, Result
from attention_separation.settings.closed import Closed
from attention_separation.settings.jobs import Job

from .models import MODELS

PANEL = Kind("panels", ("parquet",))
EXACT = Kind("exact", ("parquet",))

PAPERS_FIGURES = ("fig3", "fig4", "fig5", "fig7")

FEWEST_MINUTES = 5
TIMES_ESTIMATE = 3
"""What trials ask a cluster for, against their estimate."""


def declare_results(study) -> Iterator[Result]:
    """The results of a `study.SoftmaxVsLinear`."""
    yield from _panels(study)
    yield from _exact_values(study)
    yield from _figures(study)
    yield from _verdicts(study)
    yield from _audits(study)


def _made(
    name: str, module: str, settings: Closed, outputs: Mapping[str, Iterable[Output]], **more
) -> Result:  # fmt: skip
    """A result of a module of this study."""
    return Result(
        name=name,
        module=f"softmax_vs_linear.{module}",
        settings=settings,
        outputs={option: tuple(made) for option, made in outputs.items()},
        **more,
    )


def _panels(study) -> Iterator[Result]:
    for name, panel in study.section.panels.items():
        seconds, slices = study.panel_seconds(name), study.panel_slices(name)
        yield _made(
            f"simulate_{name}",
            "simulation.simulate",
            study.panel_job(name),
            {"output": [Output(PANEL, name)]},
            words=f"Panel {name}: trials",
            slices=slices,
            is_local=slices > 1 or seconds < study.jobs.local_below,
            memory_mb=study.panel_memory_mb(name),
            minutes=max(FEWEST_MINUTES, int(TIMES_ESTIMATE * seconds / slices / 60) + 1),
            priority=8 if MODELS[panel.model].has_maps else 9,
        )


def _exact_values(study) -> Iterator[Result]:
    """Those of the panels that a figure of the paper is the first to show by one job; those of each
    other panel by its own."""
    groups: dict[str, list[str]] = {}
    for panel, figure in study.figure_of().items():
        groups.setdefault(figure if figure in PAPERS_FIGURES else panel, []).append(panel)
    for name, panels in groups.items():
        yield _made(
            f"exact_{name}",
            "exact.compute",
            study.exact_job(panels),
            {"outputs": [_exact(study, panel) for panel in panels]},
            words=f"Exact values: {name}",
            priority=8,
        )


def _exact(study, panel: str) -> Output:
    """The exact values of one panel depend on it alone."""
    return Output(EXACT, panel, settings=study.exact_panel(panel))


def _figures(study) -> Iterator[Result]:
    """The figures of the configuration, and every panel on its own."""
    figures = {name: figure.panels for name, figure in study.section.figures.items()}
    in_figures = {panel for panels in figures.values() for panel in panels}
    for name, panels in (figures | {panel: [panel] for panel in study.section.panels}).items():
        job = study.figure_job(name, panels)
        yield _made(
            name,
            "figures.panel_figure",
            job,
            {"output": [Output(FIGURE, name, job.title, panels=tuple(panels))]},
            inputs=_tables_of(panels),
            words=f"Figure {name}",
            is_asked=name not in in_figures,
        )


def _audit_figure(name: str, swept: str) -> Output:
    """A figure of exact values of attention."""
    return Output(FIGURE, name, labels=_labels("attention", swept, "exact"))


def _figure_and_table(name: str, of: str, verdict: str) -> dict[str, list[Output]]:
    """A figure of all models' panels, and the table of its numbers."""
    return {
        "figure": [Output(FIGURE, name, labels=_labels("all", "every panel's", verdict))],
        "table": [Output(TABLE, name, of, beside=name)],
    }


def _labels(model: str, swept: str, verdict: str) -> dict[str, str]:
    """What stands beside a figure that is of no panels in a report's list."""
    return {"model": model, "swept": swept, "verdict": verdict}


def _tables_of(panels: Iterable[str]) -> dict[str, tuple[Output, ...]]:
    return {
        "tables": tuple(Output(PANEL, panel) for panel in panels),
        "exact": tuple(Output(EXACT, panel) for panel in panels),
    }


def _verdicts(study) -> Iterator[Result]:
    verdicts = Output(TABLE, "verdicts", "verdicts on the panels")
    yield _made(
        "verdicts",
        "audits.verdicts",
        study.verdicts_job(),
        {"output": [verdicts], "": [Output(POINTS, "verdicts_points")]},
        inputs=_tables_of(study.section.panels),
        words="Verdicts: simulation against exact or reference values",
        priority=7,
    )
    yield _made(
        "check",
        "audits.check",
        Job(),
        {"output": [Output(CHECK, "check")]},
        inputs={"verdicts": (verdicts,)},
        words="Check: no panel differs from its exact values",
        minutes=5,
    )


def _audits(study) -> Iterator[Result]:
    """What exact values tell beyond the figures; each where it has a subject."""
    yield _made(
        "claims",
        "claims.claims_table",
        study.claims_job(),
        {"output": [Output(TABLE, "claims", "claims of the paper")]},
        words="Claims of the paper, evaluated",
        priority=3,
    )
    panels = study.section.panels
    yield _made(
        "whp",
        "audits.whp",
        study.whp_job(),
        {"output": [Output(TABLE, "whp", "with high probability?")]},
        inputs={"exact": tuple(Output(EXACT, panel) for panel in panels)},
        words="With high probability: which events are",
    )
    threshold = study.threshold_job()
    if threshold.panels:
        yield _made(
            "threshold",
            "audits.threshold",
            threshold,
            _figure_and_table(
                "threshold", "best thresholds", "exact; Figure 3: equal entries of Ax"
            ),
            words="Thresholds: what each network alone can do",
            priority=4,
        )
    theta = study.theta_job()
    if theta.rows:
        yield _made(
            "theta",
            "audits.theta",
            theta,
            {"output": [_audit_figure("theta", "every panel's and τ/√log n")]},
            words="Success against the threshold, all networks with the same",
            priority=4,
        )
    yield _made(
        "choices",
        "audits.choices",
        study.choices_job(),
        _figure_and_table("choices", "open choices", "exact; Figure 3: reference values"),
        words="Open choices: how far each moves the figures",
        priority=2,
    )
    if study.section.phase:
        yield _made(
            "phase",
            "audits.phase",
            study.phase_job(),
            {"output": [_audit_figure("phase", "pairs")]},
            words="Phase maps: exact values beyond the grids",
            priority=2,
        )
