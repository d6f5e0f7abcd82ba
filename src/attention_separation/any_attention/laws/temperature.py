"""How sharp softmax has to be: its critical temperature, and SSMax's scale, against n."""

import math
from pathlib import Path

from ...datasets.dataset import Data
from ...pages.table_page import write_result
from ...results.provenance import record
from ...results.tables import finite_or_null, schema, table_from_rows
from ..exact.layers import LAYERS
from ..exact.limits import critical_temperatures
from ..settings import KernelsJob
from .mixture import gamma
from .predictions import stacked

SIZES = (200, 2_000, 20_000, 1_000_000)

NUMBERS = ("beta", "limit", "s_fixed_tokens", "s_paper_tokens")
SCHEMA = schema(model=str, attention_x=str, n=int, d=int, m=int, **dict.fromkeys(NUMBERS, float))
"""A row per layer and n; null where float64 does not tell."""

TITLE = "Any attention: how sharp softmax has to be"
ABOUT = (
    "beta is the least inverse temperature at which e^(beta x) separates at n: with more than half "
    "of the probability of eˣ. limit is what it comes to as n grows, 1/gamma_1. SSMax (arXiv "
    "2501.19399) is e^(s log n · x/√d). s_fixed_tokens is its least s on tokens of a fixed size: "
    "the paper's grow like √log n, so that eˣ on them is s = √d there. s_paper_tokens is its least "
    "s on the paper's tokens."
)


def table_rows(data: Data) -> list[dict[str, object]]:
    """The rows of the table."""
    rows, sizes = [], stacked(data, *SIZES)
    for layer in LAYERS:
        root = math.sqrt(layer.d(data.classes))
        for n, t in zip(sizes, critical_temperatures(layer, data, sizes).tolist(), strict=True):
            beta = 1 / t if t else math.nan
            numbers = beta, 1 / gamma(layer, data), root * beta, root * beta / math.log(n)
            named = dict(zip(NUMBERS, map(finite_or_null, numbers), strict=True))
            rows.append(layer.columns | layer.sizes(data, n) | named)
    return rows


def run(job: KernelsJob, output: Path) -> None:
    table = table_from_rows(table_rows(job.data), SCHEMA)
    write_result(table, output.with_suffix(""), record(job.canonical(), __name__), TITLE, ABOUT)
