"""Any attention as a study: kernels on the first paper's data, in its folder of results."""

from collections.abc import Iterator
from pathlib import Path

from attention_separation.any_attention import results
from attention_separation.any_attention.settings.section import AnyAttentionSection
from attention_separation.results.result import TABLE, Output, Result
from attention_separation.results.study import Study
from attention_separation.settings.closed import Closed


class AnyAttention(Study):
    """All that a run makes of kernels."""

    name = "any_attention"
    prefix = "kernels"
    title = "any attention: which kernels separate"
    category = None

    def __init__(self, section: AnyAttentionSection, folder: str):
        self.section, self._folder = section, folder

    @property
    def folder(self) -> str:
        return self._folder

    def declare_results(self) -> list[Result]:
        return list(results.declare_results(self))

    def overview_job(self, outputs: list[Output]) -> Closed:
        raise NotImplementedError("this study has no page of its own yet")

    def labels(self, output: Output, folder: Path) -> dict[str, str]:
        if output.kind is TABLE:
            return {"table": output.name, "of": output.title}
        return {"model": "attention", "swept": output.title, "verdict": "exact"}

    def summary(self, folder: Path) -> Iterator[str]:
        from attention_separation.any_attention.pages.summary import summary

        return summary(folder)
