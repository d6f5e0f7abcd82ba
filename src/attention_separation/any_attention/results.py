"""What a run of this study makes, each result declared once."""

from collections.abc import Iterator

from attention_separation.any_attention.settings.jobs import DataJob, ValuesJob
from attention_separation.any_attention.verbs import VERBS
from attention_separation.results.result import FIGURE, TABLE, Output, Result
from attention_separation.settings.closed import Closed

FIGURES = {
    "accuracy": "what each kernel can do, against n",
    "degrees": "polynomials: the degree against n",
    "temperature": "softmax: the temperature against n",
    "margins": "the gap between the scores, against n",
    "budget": "the weight in X that is needed, against n",
}
"""By the verb's option: what stands beside each in a report's list."""


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
    yield _made(
        "laws",
        DataJob(data=data),
        {"output": (Output(TABLE, "kernel_laws", "laws of which kernels separate"),)},
        words="Any attention: laws against exact values",
        priority=6,
    )
    yield _made(
        "figures",
        DataJob(data=data),
        {
            option: (Output(FIGURE, f"kernels_{option}", words),)
            for option, words in FIGURES.items()
        },
        words="Any attention: figures",
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
