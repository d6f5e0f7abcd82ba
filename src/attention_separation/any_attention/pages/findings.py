"""What the tables of this study say beyond its story, in sentences."""

import pyarrow as pa

from attention_separation.pages.prose import counted, joined
from attention_separation.results.tables import select_rows
from attention_separation.statistics.verdict_words import AGREES, NOT_APPLICABLE, count_verdicts

from ..exact.layers import LAYERS, Layer
from ..laws.margins import ANOTHER_X, WEIGHT
from ..laws.verdicts import KINDS
from .story import LARGE

MOVED = 0.01
"""Of a probability that is said to move with the split."""


def split_findings(splits: pa.Table) -> list[str]:
    """Of the table of splits: which feature maps depend on how X is split into Q and K."""
    spread: dict[tuple[str, Layer], list[float]] = {}
    for layer in (LAYERS[0], LAYERS[1]):
        for row in layer_rows(splits, layer).to_pylist():
            if row["n"] == LARGE and row["p_best"] is not None:
                spread.setdefault((row["kernel"], layer), []).append(row["p_best"])
    if not spread:
        return []
    names = list(dict.fromkeys(name for name, _ in spread))
    moved = {
        name: [
            f"{min(p):.3f} to {max(p):.3f}"
            for layer in LAYERS[:2]
            if max(p := spread[name, layer]) - min(p) > MOVED
        ]
        for name in names
    }
    moves = [f"{name} {' and '.join(each)}" for name, each in moved.items() if each]
    rest = [name for name, each in moved.items() if not each]
    return [
        "**Feature maps depend on the split of X into Q and K,** which X does not give: the other "
        f"numbers have Q = K. With Q = αI and K = I/α, α from 0.1 to 10, and in self-attention at "
        f"n = {LARGE:,}, X = I or all ones, the best P goes from and to: {'; '.join(moves)}. "
        f"By at most {MOVED:g} moves that of {joined(rest)}."
    ]


def law_findings(laws: pa.Table) -> list[str]:
    """Of the table of laws: how many numbers agree, apart from what is so or not, and which
    differ."""
    rows = laws.to_pylist()
    numbers, statements, identities, alone = (
        [row for row in rows if row["kind"] == kind] for kind in KINDS
    )
    judged = [row for row in numbers if row["verdict"] != NOT_APPLICABLE]
    others = [
        row
        for row in (*judged, *statements, *identities)
        if row["verdict"] not in (AGREES, NOT_APPLICABLE)
    ]
    named = "; ".join(
        f"{row['law']}, {row['kernel']}, {row['model'].replace('_', '-')}: {row['quantity']} "
        f"{_number(row['predicted'])} predicted, {_number(row['measured'])} by exact values"
        for row in others
    )
    found = [
        f"**Laws.** Of {counted(len(judged), 'number')} predicted by "
        f"{counted(len({row['law'] for row in judged}), 'law')}, judged by exact values at these "
        f"data to each law's own error term, {_verdicts(judged)}{_largest_difference(judged)}. Of "
        f"{len(numbers) - len(judged)} more a law's conditions are not met. Apart from numbers: "
        f"that a kernel separates or does not, {_verdicts(statements)}; that it has exactly the "
        f"probability of no attention, {_verdicts(identities)}.{f' Not: {named}.' if named else ''}"
    ]
    if alone:
        names = joined([*dict.fromkeys(row["kernel"] for row in alone)])
        words = counted(len(alone), "value")
        found.append(f"**No law is known** of {words} of {names}: the table has what is measured.")
    return [*found, *_another_x_findings(laws)]


def _verdicts(rows: list[dict]) -> str:
    return count_verdicts(row["verdict"] for row in rows) or "none"


def _number(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.5g}"


def _largest_difference(numbers: list[dict]) -> str:
    """How far off predictions are, from n = 2,000 on; a largest n is itself that n."""
    large = [
        row["relative_difference"]
        for row in numbers
        if row["tolerance_kind"] == "relative"
        and row["relative_difference"] is not None
        and (row["predicted"] if row["at"] is None else row["at"]) >= LARGE
    ]
    if not large:
        return ""
    words = f", the largest relative difference from n = {LARGE:,} on being {max(large):.2%}"
    return words.replace("%", " %")


def _another_x_findings(laws: pa.Table) -> list[str]:
    """What speaks against the others: a gap that does not shrink."""
    rows = select_rows(laws, law=ANOTHER_X.name).to_pylist()
    if not rows:
        return []
    gaps = joined([f"{row['measured']:.5f} at n = {row['at']:,.0f}" for row in rows])
    return [
        "**With another X linear attention keeps its gap:** with X = e_d e_dᵀ + g e₁e_kᵀ, g = "
        f"{WEIGHT:g}, read by y = e_k, which is no sign vector, in units of √log n {gaps}; it "
        "grows with g and falls with K. Half of the sign vectors keep a gap with this X too. "
        "That gaps shrink like 1/n is said of X = I, X all ones and random signs alone."
    ]


def simulated_findings(simulated: pa.Table) -> list[str]:
    """Of the table of simulated kernels: what these can do beside exp and linear attention."""
    rows = simulated.to_pylist()

    def of(layer: Layer) -> str:
        own = layer_rows(simulated, layer).to_pylist()
        features = [row for row in own if row["features"] is not None]
        (cosformer,) = (row for row in own if row["kernel"] == "cosformer")
        exact = {row["kernel"]: row["exact_after_y"] for row in own}
        favor = joined([f"{_simulated(row)} with {row['features']:,}" for row in features])
        return (
            f"{layer.words}: FAVOR+ {favor} random features, cosFormer {_simulated(cosformer)}; "
            f"exp {exact['exp']:.3f} and linear attention {exact['linear']:.3f}"
        )

    each = ". ".join(of(layer) for layer in LAYERS)
    return [
        f"**FAVOR+ and cosFormer** are simulated at n = {rows[0]['n']:,}, "
        f"{counted(rows[0]['trials'], 'trial')} each: how often the network alone tells D1 from "
        "D0, with one threshold chosen after the signs, with a 95 % interval, and beside them the "
        f"exact probabilities of exp and linear attention. {each}."
    ]


def findings(tables: dict[str, pa.Table]) -> list[str]:
    """All of them, of the tables that there are."""
    found = []
    if "kernels_splits" in tables:
        found += split_findings(tables["kernels_splits"])
    if "kernel_laws" in tables:
        found += law_findings(tables["kernel_laws"])
    if "kernels_simulated" in tables:
        found += simulated_findings(tables["kernels_simulated"])
    return found


def layer_rows(table: pa.Table, layer: Layer) -> pa.Table:
    """The rows of one layer."""
    return select_rows(table, model=layer.model, attention_x=layer.attention_x)


def _simulated(row: dict) -> str:
    return f"{row['p_after_y']:.2f} ({row['ci_low']:.2f} to {row['ci_high']:.2f})"
