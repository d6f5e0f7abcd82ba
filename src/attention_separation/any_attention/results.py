"""What a run of this study makes, each result declared once."""

from collections.abc import Iterator

from attention_separation.any_attention.settings.jobs import ValuesJob
from attention_separation.any_attention.verbs import VERBS
from attention_separation.results.result import TABLE, Output, Result
from attention_separation.settings.closed import Closed


def declare_results(study) -> Iterator[Result]:
    """The results of a `study.AnyAttention`."""
    data, sizes = study.section.data, study.section.sizes
    yield _made(
        "values",
        ValuesJob(data=data, sizes=sizes),
        {
            "values": (Output(TABLE, "kernel_values", "what each kernel can do"),),
            "kernels": (Output(TABLE, "kernels", "up to which n each kernel separates"),),
        },
        words="Any attention: what each kernel can do, and up to which n",
        priority=6,
    )


def _made(verb: str, settings: Closed, outputs: dict[str, tuple[Output, ...]], **more) -> Result:
    return Result(
        name=f"kernels_{verb}",
        verb=f"kernels-{verb}",
        module=f"{__package__}.{VERBS[verb][0]}",
        settings=settings,
        outputs=outputs,
        **more,
    )
