"""The answer in a few sentences: what decides, what it means in each layer, and what is not shown.

Each sentence is made of the tables; of kernels that a table has not, nothing is said.
"""

import math
from collections.abc import Iterator

import pyarrow as pa

from attention_separation.any_attention.exact.layers import LAYERS, Layer
from attention_separation.datasets.data import Data
from attention_separation.pages.prose import counted, joined

LARGE = 2_000
"""Tokens at which probabilities are quoted."""

Rows = dict[tuple[str, Layer], dict]
"""Rows of a table by kernel and layer."""


def story(tables: dict[str, pa.Table], data: Data) -> list[str]:
    """What a reader with one minute should know, of the tables that there are."""
    if "kernels" not in tables:
        return []
    reach = _rows(tables["kernels"])
    values = {}
    if "kernel_values" in tables:
        rows = [row for row in tables["kernel_values"].to_pylist() if row["n"] == LARGE]
        values = {(row["kernel"], _layer(row)): row for row in rows}
    found = [_what_decides(reach, data)]
    for layer in LAYERS:
        parts = [*_of_softmax(reach, layer, data), *_of_linear(reach, values, layer)]
        if parts:
            found.append(f"**{layer.words}:** {'; '.join(parts)}.")
    return [*found, _not_shown(values)]


def reach_words(last: float | None) -> str:
    """A largest n in words: "none", "10¹² still" or the number."""
    if last is None:
        return "none"
    return "10¹² still" if math.isinf(last) else f"{last:,.0f}"


def _what_decides(reach: Rows, data: Data) -> str:
    kernels = {kernel for kernel, _ in reach}
    everywhere = [
        kernel
        for kernel in dict.fromkeys(kernel for kernel, _ in reach)
        if all(reach[kernel, layer]["last_n"] == math.inf for layer in LAYERS)
    ]
    return (
        "**What decides is how many times as loud a kernel makes the special token, against n; not "
        "that it is exp.** A kernel separates at n if its network alone, at the threshold that is "
        "best for it, is positive on D1 and zero on D0 with more than half of exp's probability. "
        f"Of {counted(len(kernels), 'kernel')}, {len(everywhere)} do at n = 10¹² still in all "
        f"three layers ({', '.join(everywhere)}): K = {data.classes}, a₁ = {data.a1:g}, in "
        f"self-attention b = {data.b:g} and c = {data.c:g}."
    )


def _of_softmax(reach: Rows, layer: Layer, data: Data) -> Iterator[str]:
    if ("exp", layer) in reach:
        yield f"softmax separates {_up_to(reach['exp', layer]['last_n'])}"
    if ("exp_sqrt_d", layer) in reach:
        last = reach["exp_sqrt_d", layer]["last_n"]
        yield f"with the usual 1/√d (d = {layer.d(data.classes)}) {_up_to(last)}"
    powers = [name for name in ("power_4", "power_8") if (name, layer) in reach]
    if powers:
        each = [
            f"x{'⁴' if name == 'power_4' else '⁸'} {_up_to(reach[name, layer]['last_n'])}"
            for name in powers
        ]
        yield joined(each)


def _of_linear(reach: Rows, values: Rows, layer: Layer) -> Iterator[str]:
    if ("linear", layer) not in reach:
        return
    row = reach["linear", layer]
    text = f"linear attention {_up_to(row['last_n'])}"
    as_none = row["as_none_from"]
    if as_none is not None and math.isfinite(as_none):
        text += f", and from n = {as_none:,.0f} on it is exactly as good as no attention"
    pair = [values.get((kernel, layer)) for kernel in ("linear", "none")]
    if as_none == math.inf and all(pair):
        p, of_none = (one["p_best"] for one in pair)
        text += (
            f", though it keeps a chance ({p:.3f} at n = {LARGE:,}) that no attention has not "
            f"({of_none:.3f})"
        )
    yield text
    undivided = reach.get(("linear_unnormalised", layer))
    if undivided and undivided["last_n"] == math.inf and row["last_n"] != math.inf:
        pair = [values.get((kernel, layer)) for kernel in ("linear_unnormalised", "exp")]
        more = ""
        if all(pair) and pair[0]["p_best"] > pair[1]["p_best"]:
            more = (
                f", and beats softmax ({pair[0]['p_best']:.5f} against {pair[1]['p_best']:.5f} at "
                f"n = {LARGE:,})"
            )
        yield f"where its rows are not divided by their sum, it separates at n = 10¹² still{more}"


def _up_to(last: float | None) -> str:
    if last is None:
        return "at no n"
    return "at n = 10¹² still" if math.isinf(last) else f"up to n = {last:,.0f}"


def _not_shown(values: Rows) -> str:
    biases = [
        row["p_each_bias"]
        for (_, layer), row in values.items()
        if layer.model == LAYERS[0].model and row["p_each_bias"] is not None
    ]
    text = (
        "**Not shown:** the weights are random signs, X and V the paper's; a trained network, or "
        "another X, is another question"
    )
    if biases:
        text += (
            ". With a bias for each neuron, chosen after the signs, every kernel separates in "
            f"self-attention, uniform weights too ({min(biases):.5f} or more at n = {LARGE:,})"
        )
    return text + "."


def _rows(table: pa.Table) -> Rows:
    return {(row["kernel"], _layer(row)): row for row in table.to_pylist()}


def _layer(row: dict) -> Layer:
    (found,) = (
        layer
        for layer in LAYERS
        if (layer.model, layer.attention_x) == (row["model"], row["attention_x"])
    )
    return found
