"""FAVOR+ and cosFormer, of which no exact value is known, in trials."""

from functools import cache
from itertools import product
from pathlib import Path

import pyarrow as pa

from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets.dataset import Data
from attention_separation.pages.table_page import write_result
from attention_separation.results.progress import Progress
from attention_separation.results.provenance import record
from attention_separation.results.tables import finite_or_null, table_from_rows
from attention_separation.statistics.counts import clopper_pearson

from ..exact.layers import LAYERS, Layer
from ..exact.limits import exp_probabilities
from ..exact.values import Separation, separate
from ..settings.jobs import SimulatedJob
from .attending import SIMULATED
from .trials import Outcome, simulate

SCHEMA = pa.schema(
    [
        ("kernel", pa.string()),
        ("features", pa.int64()),
        ("model", pa.string()),
        ("attention_x", pa.string()),
        ("n", pa.int64()),
        ("d", pa.int64()),
        ("m", pa.int64()),
        ("trials", pa.int64()),
        ("successes_after_y", pa.int64()),
        ("p_after_y", pa.float64()),
        ("ci_low", pa.float64()),
        ("ci_high", pa.float64()),
        ("exact_after_y", pa.float64()),
        ("successes_paper", pa.int64()),
        ("p_paper", pa.float64()),
        ("paper_ci_low", pa.float64()),
        ("paper_ci_high", pa.float64()),
        ("exact_paper", pa.float64()),
        ("share", pa.float64()),
    ]
)
"""A row per kernel, number of its random features (null: it has none) and layer; `exact_*` are null
where no exact value is known."""

TITLE = "Any attention: kernels that are simulated"
ABOUT = (
    "Kernels whose rows differ from trial to trial or from token to token. FAVOR+ (arXiv "
    "2009.14794, favor): φ(q)·φ(k) with φ(x) = e^(Wx − |x|²/2)/√features, W Gaussian, orthogonal "
    "in blocks of d rows, drawn for each trial; it approximates eˣ. cosFormer (arXiv 2202.08791): "
    "relu(q)·relu(k)·cos(π(i − j)/2n), i and j the places of the tokens. Rows are divided by their "
    "sums.\n"
    "In each trial the special tokens of D0 and of D1 are drawn, and signs that both share: "
    "p_after_y says how often one threshold, chosen after the signs, separates D1 from D0 by the "
    "network alone, p_paper how often the paper's does, with 95 % intervals (Clopper and Pearson); "
    "share is the mean of the special token's in its own row on D1. Kernels exp and linear are "
    "simulated alike, as a check: exact_after_y and exact_paper are their exact values."
)


@cache
def _exact(kernel: str, layer: Layer, data: Data, n: int) -> Separation:
    return separate(KERNELS[kernel], layer, data, [n], exp_probabilities(layer, data, (n,)))


def exact_columns(kernel: str, layer: Layer, data: Data, n: int) -> dict[str, float | None]:
    """The exact probabilities of a kernel that has some."""
    if kernel not in KERNELS:
        return {}
    found = _exact(kernel, layer, data, n)
    return {
        "exact_after_y": finite_or_null(float(found.p_after_y[0])),
        "exact_paper": finite_or_null(float(found.p_paper[0])),
    }


def simulated_columns(outcome: Outcome) -> dict[str, float | int]:
    """What the table says of some trials."""
    trials = len(outcome.share)
    row = {"trials": trials, "share": float(outcome.share.mean())}
    for name, told, interval in (
        ("after_y", outcome.after_y, "ci"), ("paper", outcome.paper, "paper_ci")
    ):  # fmt: skip
        successes = int(told.sum())
        low, high = clopper_pearson(successes, trials)
        row |= {
            f"successes_{name}": successes,
            f"p_{name}": successes / trials,
            f"{interval}_low": float(low),
            f"{interval}_high": float(high),
        }
    return row


def simulated_table(job: SimulatedJob) -> pa.Table:
    """All kernels that are simulated, in all layers."""
    data, n = job.data, job.simulated.n
    each = list(product(SIMULATED, LAYERS))
    progress = Progress("kernels-simulated", len(each), "kernels in layers")
    rows = []
    for kernel, layer in each:
        found = simulate(kernel, layer, data, n, job.seed, job.simulated.trials)
        for features, outcome in found.items():
            rows.append(
                {
                    "kernel": kernel.name,
                    "features": features,
                    "model": layer.model,
                    "attention_x": layer.attention_x,
                    "n": n,
                    "d": layer.d(data.classes),
                    "m": data.m(n),
                }
                | simulated_columns(outcome)
                | exact_columns(kernel.name, layer, data, n)
            )
        progress.advance()
    return table_from_rows(rows, SCHEMA)


def run(job: SimulatedJob, output: Path) -> None:
    table = simulated_table(job)
    provenance = record(job.canonical(), __name__)
    write_result(table, output.with_suffix(""), provenance, TITLE, ABOUT)
