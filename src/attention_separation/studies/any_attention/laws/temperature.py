"""How sharp softmax has to be: its critical temperature, and SSMax's scale, against n."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from ....any_attention.layers import LAYERS
from ....any_attention.least_values import critical_temperatures
from ....pages.table_page import write_result
from ....results.provenance import record
from ....results.tables import finite_or_null, schema, table_from_rows
from ..settings import KernelsJob
from .mixture import gamma
from .predictions import stacked

N_OF_TEMPERATURES = (200, 2_000, 20_000, 1_000_000)
SCHEMA = schema(
    model=str, attention_x=str, n=int, d=int, m=int,
    beta=float, limit=float, s_fixed_tokens=float, s_paper_tokens=float,
)  # fmt: skip
TITLE = "Any attention: how sharp softmax has to be"
ABOUT = (
    "beta is the least at which e^(beta x) separates at n, by more than half of the probability of "
    "eˣ; limit, 1/gamma_1, what it comes to as n grows. SSMax (arXiv 2501.19399) is "
    "e^(s log n · x/√d): s_paper_tokens is its least s on the paper's tokens, which grow like "
    "√log n, and s_fixed_tokens on the same ones of a fixed size, where s = √d is eˣ here."
)


def run(job: KernelsJob, output: Path) -> None:
    data = job.data
    sizes = stacked(data, *N_OF_TEMPERATURES)
    rows: list[dict[str, Any]] = []
    for layer in LAYERS:
        root = math.sqrt(layer.d(data.classes))
        with np.errstate(divide="ignore"):
            betas = 1 / critical_temperatures(layer, data, sizes)
        for n, beta in zip(sizes, betas.tolist(), strict=True):
            numbers = {
                "beta": beta,
                "limit": 1 / gamma(layer, data),
                "s_fixed_tokens": root * beta,
                "s_paper_tokens": root * beta / math.log(n),
            }
            row: dict[str, Any] = layer.columns | layer.sizes(data, n)
            row |= {name: finite_or_null(number) for name, number in numbers.items()}
            rows.append(row)
    provenance = record(job.canonical(), __name__)
    table = table_from_rows(rows, SCHEMA)
    write_result(table, output.with_suffix(""), provenance, TITLE, ABOUT)
