"""The first paper's lemmas and theorems as a study: what a run makes of them, declared once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...results.declaration import TABLE, Output, Result, Study
from .settings import LemmasSection


class Lemmas(Study):
    """The claims of the first paper, in its folder of results."""

    name = "lemmas"
    prefix = "lemmas"
    title = "Lemmas of the first paper"
    kept_in = "gallery"

    def __init__(self, section: LemmasSection, folder: str, scale: str) -> None:
        self.section = section
        self.scale = scale
        self._folder = folder

    @property
    def folder(self) -> str:
        return self._folder

    def declare_results(self) -> Iterator[Result]:
        judged = "Bounds that the first paper states"
        yield Result(
            name="claims",
            module="studies.lemmas.claims_table",
            settings=self.section.job(self.scale),
            outputs={
                "output": (Output(TABLE, "claims", "claims of the paper", judged=judged),),
                "otherwise": (Output(TABLE, "claims_readings", "other bounds than δ/n"),),
            },
            description="Claims of the paper, evaluated",
            seconds=20.0,
            priority=3,
        )

    def kept_part(self, output: Output, table: Any) -> Any:
        # Asked for only when a run is kept.
        from .kept_parts import decided_claims

        return decided_claims(table) if output.name == "claims" else table

    def labels(self, output: Output, folder: Path) -> dict[str, str]:
        return {"table": output.title}

    def summary(self, folder: Path) -> Iterator[str]:
        """The lines on a run in a folder: at how many sizes the paper's bounds hold, and where the
        page of claims is; ValueError where there is no table of claims."""
        # Asked for by people alone.
        from .claims_table import SCHEMA
        from .facts import bounds_in_words

        rows = self.made_rows(folder, "claims", SCHEMA)
        yield f"bounds that the paper states: {bounds_in_words(rows)}"
        yield f"{folder}/tables/claims.html  every claim, at every size"
