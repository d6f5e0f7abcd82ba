"""The answer in a few sentences: what decides, what it means in each layer, and what is not shown.

Each sentence is made of the tables; of kernels that a table has not, nothing is said.
"""

import math
from collections.abc import Iterator

import pyarrow as pa

from attention_separation.datasets.dataset import Data
from attention_separation.pages.prose import joined

from ..exact.layers import LAYERS, Layer

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
    return [*found, _not_shown(values, _helped_by_a_split(tables), data)]


def reach_words(row: dict, more: str = "") -> str:
    """A row's largest n in words: "none", "10¹² still" or the number, what is known more of it, and
    among which smaller n the kernel does not separate."""
    if row["last_n"] is None:
        return f"none{more}"
    words = "10¹² still" if math.isinf(row["last_n"]) else f"{row['last_n']:,.0f}"
    if row["first_hole"] is None:
        return f"{words}{more}"
    holes = f"{row['first_hole']:,.0f} to {row['last_hole']:,.0f}"
    return f"{words}{more}, except some n from {holes}"


def _what_decides(reach: Rows, data: Data) -> str:
    everywhere = [
        kernel
        for kernel in dict.fromkeys(kernel for kernel, _ in reach)
        if all(reach[kernel, layer]["last_n"] == math.inf for layer in LAYERS)
    ]
    text = (
        "**Where rows are divided by their sum, what decides is how many times as loud a kernel "
        "makes the special token on D1, and not on D0 too, against n; not that it is exp.** In D1 "
        f"one token of n has an entry of {data.a1:g} √log n, in D0 of {data.a0:g}. A kernel "
        "separates at n if its network alone, at the threshold that is best for it, is positive on "
        "D1 and zero on D0 with more than half of exp's probability, and exp's is above 1/2."
    )
    stop = {"exp_sqrt_d", "power_4", "elu_plus_one"}
    if "exp" in everywhere and stop <= {name for name, _ in reach} - {*everywhere}:
        text += (
            f" At n = 10¹² still, in all three layers: {joined(everywhere)}: exponentials of large "
            "scores, and kernels that cut small weights off. With the usual 1/√d softmax stops. "
            "Powers xᵖ and Taylor sums stop later the higher p is, and a large enough p reaches "
            "any n. Linear attention with the feature maps listed stops early."
        )
    return text


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
        text += f", and from n = {as_none:,.0f} on it is as good as uniform weights, to 12 digits"
    pair = [values.get((kernel, layer)) for kernel in ("linear", "none")]
    if as_none == math.inf and all(pair):
        p, of_none = (one["p_best"] for one in pair)
        text += (
            f", though with a chance of {p:.3f} at n = {LARGE:,}, where uniform weights have "
            f"{of_none:.3f}"
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


def _not_shown(values: Rows, split: list[str], data: Data) -> str:
    biases = [
        row["p_each_bias"]
        for (_, layer), row in values.items()
        if layer.model == LAYERS[0].model and row["p_each_bias"] is not None
    ]
    text = (
        "**Not shown:** the weights are random signs, X and V the paper's; a trained network, or "
        "another X, is another question. Feature maps have Q = K, which X does not fix, and "
        "Hedgehog's map, which is learned, is the identity"
    )
    if split:
        text += f": with another split of X = I {joined(split)} separate at n = {LARGE:,} as well"
    text += f". K = {data.classes}, in self-attention b = {data.b:g} and c = {data.c:g}."
    if biases:
        least = math.floor(min(biases) * 1e4) / 1e4
        text += (
            f" With a bias for each neuron, chosen after the signs, every kernel tells D1 from D0 "
            f"in self-attention at n = {LARGE:,}, uniform weights too, with probability {least:g} "
            "or more."
        )
    return text


def _helped_by_a_split(tables: dict[str, pa.Table]) -> list[str]:
    """Feature maps that separate in self-attention with X = I where Q and K differ, and do not
    where Q = K."""
    if not {"kernels_splits", "kernel_values"} <= tables.keys():
        return []
    identity = LAYERS[0]
    of_exp = [
        row["p_best"]
        for row in tables["kernel_values"].to_pylist()
        if row["kernel"] == "exp" and _layer(row) is identity and row["n"] == LARGE
    ]
    best: dict[str, list[float]] = {}
    alike: dict[str, float] = {}
    for row in tables["kernels_splits"].to_pylist():
        if _layer(row) is identity and row["n"] == LARGE and row["p_best"] is not None:
            best.setdefault(row["kernel"], []).append(row["p_best"])
            if row["alpha"] == 1.0:
                alike[row["kernel"]] = row["p_best"]
    return [
        name
        for name, p in best.items()
        if of_exp and name in alike and max(p) > of_exp[0] / 2 >= alike[name]
    ]


def _rows(table: pa.Table) -> Rows:
    return {(row["kernel"], _layer(row)): row for row in table.to_pylist()}


def _layer(row: dict) -> Layer:
    (found,) = (
        layer
        for layer in LAYERS
        if (layer.model, layer.attention_x) == (row["model"], row["attention_x"])
    )
    return found
