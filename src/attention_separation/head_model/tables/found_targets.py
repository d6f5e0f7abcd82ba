"""Which heads give their weight to which kind of target."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from ...pages.table_page import write_result
from ...results.provenance import record
from ...results.tables import Row, table_from_rows
from ..cells import CaughtHead, read_cell
from ..settings.section import ProbeJob, TablesJob, filler_of
from ..settings.titles import TARGETS_TITLE
from .columns import TARGETS

ABOUT = (
    "The median weight of each head on the right key: the key after the earlier like token "
    "(induction), that token (duplicate), the key before (previous), or the next token of a "
    "sentence at a depth of the text (needle). Means over texts and segments, and the least."
)


def target_rows(contexts: Iterable[tuple[ProbeJob, list[CaughtHead]]]) -> Iterator[Row]:
    """Yields a row for each kind of target, filler, context, depth of a needle, and head: its
    median share over queries, as a mean over texts and segments, and the least."""
    groups: dict[tuple, list[float]] = {}
    for job, heads in contexts:
        filler = filler_of(job.text)
        for caught in heads:
            key = (caught.target, filler, job.n, job.depth, caught.layer, caught.head)
            groups.setdefault(key, []).append(float(np.median(caught.shares)))
    for (target, filler, n, depth, layer, head), medians in groups.items():
        yield {
            "target": target,
            "filler": filler,
            "n": n,
            "depth": depth,
            "layer": layer,
            "head": head,
            "contexts": len(medians),
            "share": float(np.mean(medians)),
            "least_share": min(medians),
        }


def run(job: TablesJob, tables: list[Path], output: Path) -> None:
    contexts = [(cell, read_cell(path)) for cell, path in zip(job.cells, tables, strict=True)]
    table = table_from_rows(target_rows(contexts), TARGETS)
    write_result(table, output, record(job.canonical(), __name__), TARGETS_TITLE, ABOUT)
