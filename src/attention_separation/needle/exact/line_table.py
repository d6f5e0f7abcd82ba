"""The accuracy of each line against n, where each is .75, and where bounds end."""

import math
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from attention_separation.pages.table_page import write_result
from attention_separation.results.progress import Progress
from attention_separation.results.provenance import record
from attention_separation.results.tables import table_from_rows

from ..settings.exact import LinesSettings
from ..settings.titles import LINES as TITLES
from .bound_ends import ends
from .lines import BEST, BOUND, LINES, REFERENCE, Line

LINE = [("kernel", pa.string()), ("mu", pa.float64())]
HOW = [("error", pa.float64()), ("kind", pa.string()), ("method", pa.string())]
ACCURACY = [("n", pa.int64()), ("accuracy", pa.float64())]
ACCURACIES = pa.schema([*LINE, *ACCURACY, *HOW])
BOUND_ENDS = pa.schema([("layer", pa.string()), *LINE, *ACCURACY, HOW[0], ("limit", pa.float64())])
CRITICAL = pa.schema([*LINE, ("n_critical", pa.float64()), *HOW])
"""n_critical: inf where the accuracy is above .75 at n = 10^15 still, 0 where it is below at n = 1;
in both cases it has no error."""

ENDLESS = ("n_critical",)

_ABOUT = (
    "n tokens with independent normal noise of standard deviation 1; on D1 one of them has mu "
    f"added; D0 and D1 are equally likely. A {BOUND} is what no layer of the kernel can pass, of "
    "any number of heads whose queries do not see the tokens, with scores and values linear in "
    f"them, and anything behind; a {REFERENCE} is the accuracy of one query and one threshold: for "
    "powers on the ratio of sums, at the best shift and threshold found, for exp on "
    "the largest token, which softmax tends to as it grows sharp. Nothing passes the likelihood "
    f"ratio ({BEST})."
)
ABOUT = {
    "needle_lines": f"{_ABOUT}\nThe error is how far a finer grid moves the accuracy; that of "
    "powers has in it how far two searches for the shift and threshold may differ. Powers at "
    "fewer than 8 tokens have errors up to 0.002.",
    "needle_critical": f"{_ABOUT}\nn_critical is interpolated in log n between two whole numbers; "
    "infinite where the accuracy is above 0.75 at n = 10^15 still, 0 where it is below at n = 1. "
    "The error is what the errors of the two accuracies make of it.",
    "needle_bound_ends": "Layers just outside the class of the bounds, with weights set by hand, "
    "and the limit inside it. The error is how far a finer grid moves the accuracy.",
}


def accuracy_rows(line: Line, job: LinesSettings) -> Iterator[dict]:
    """The rows of a line in the table of accuracies."""
    for mu in job.mus:
        accuracy_at = line.at(mu)
        # From small n to large, for the search of powers begins where it ended; rows as asked.
        found = {n: accuracy_at(n) for n in sorted(job.sizes)}
        for n in job.sizes:
            yield _described(line, mu) | {
                "n": n, "accuracy": found[n].value, "error": found[n].error,
            }  # fmt: skip


def critical_rows(line: Line, job: LinesSettings) -> Iterator[dict]:
    """The rows of a line in the table of critical n."""
    for mu in job.critical:
        found = line.critical(mu)
        yield _described(line, mu) | {
            "n_critical": found.n, "error": found.error if math.isfinite(found.n) else None,
        }  # fmt: skip


def _described(line: Line, mu: float) -> dict[str, object]:
    return {"kernel": line.name, "mu": mu, "kind": line.kind, "method": line.method}


def tables(job: LinesSettings) -> dict[str, pa.Table]:
    """All three tables by name."""
    progress = Progress("needle-lines", len(LINES), "lines")
    accuracies, critical = [], []
    for line in LINES.values():
        accuracies += accuracy_rows(line, job)
        critical += critical_rows(line, job)
        progress.advance()
    return {
        "needle_lines": table_from_rows(accuracies, ACCURACIES),
        "needle_critical": table_from_rows(critical, CRITICAL),
        "needle_bound_ends": table_from_rows(list(ends()), BOUND_ENDS),
    }


def run(job: LinesSettings, output: Path) -> None:
    provenance = record(job.canonical(), __name__)
    for name, table in tables(job).items():
        stem = output.with_name(name)
        write_result(table, stem, provenance, TITLES[name], ABOUT[name], endless=ENDLESS)
