"""What a run of this study makes, each result declared once."""

from collections.abc import Iterator

from attention_separation.needle.settings.titles import FIGURES, JUDGED, LINES
from attention_separation.needle.verbs import VERBS
from attention_separation.results.result import FIGURE, TABLE, Output, Result
from attention_separation.settings.closed import Closed


def declare_results(study) -> Iterator[Result]:
    """The results of a `study.Needle`."""
    accuracies, critical = (Output(TABLE, name, title) for name, title in LINES.items())
    yield _made(
        "needle_exact", "lines", study.lines_job(),
        {"output": (accuracies,), "": (critical,)},
        words="The needle: the best accuracy of each kernel", priority=9,
    )  # fmt: skip
    for name, table in (("needle_accuracy", accuracies), ("needle_critical", critical)):
        yield _made(
            name, "figure", study.figure_job(FIGURES[name]),
            {"output": (Output(FIGURE, name, FIGURES[name]),)},
            inputs={"table": (table,)}, options=("--figure", name), words=f"Figure {name}",
        )  # fmt: skip
    yield _made(
        "needle_claims", "claims", study.claims_job(),
        {"output": tuple(Output(TABLE, name, title) for name, title in JUDGED.items())},
        inputs={"critical": (critical,)}, words="The needle: claims",
    )  # fmt: skip


def _made(
    name: str, verb: str, settings: Closed, outputs: dict[str, tuple[Output, ...]], **more
) -> Result:  # fmt: skip
    return Result(
        name=name, verb=f"needle-{verb}", module=f"{__package__}.{VERBS[verb][0]}",
        settings=settings, outputs=outputs, **more,
    )  # fmt: skip
