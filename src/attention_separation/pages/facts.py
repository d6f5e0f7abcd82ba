"""What pages say that needs arithmetic: named values over the tables that are kept."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from statistics import mean, median
from typing import Any

from .rendering import Tables, one, short, whole

PAPERS = "the paper's"
PUBLISHED = "the paper's, judged on its published values alone"
"""Whose claims on the rank of heads, in their table."""

LAYERS = (
    ("self_attention", "identity"),
    ("self_attention", "ones"),
    ("cross_attention", "identity"),
)
"""The three models of attention, in the order of all tables: model and X."""

VERDICTS = ("agrees", "differs", "undecided", "not applicable")

PART = re.compile(r"A\.1|C\.\d|(?!3\.1)\d\.\d(\.P\d)?")
"""Ids of the first paper's own parts; Lemma 3.1 is Hoeffding's, a theorem of textbooks."""

SIZES = {
    "holds at the sizes tested": "all tested",
    r"holds with (least )?C = (?P<constant>[\d.]+) .*": "all tested, with C = {constant}",
    r"fails: the least C grows like (?P<law>\S+),.*": "none: C would grow like {law}",
    r"fails at every n tested": "none tested",
    r"with τ = (?P<tau>\S+): refuted below n = (?P<refuted>\d+), proved from n = (?P<proved>\d+)": (
        "from {proved}, not below {refuted}, with τ = {tau}"
    ),
    r"holds only from n >= (?P<least>\d+), with (?P<law>d − 2 = \S+);.*": "from {least}, if {law}",
}
"""By the pattern of a verdict, whole: for which n the claim holds."""

ROUNDING = 1e-6
"""Relative difference of a value and a bound that are one number."""

EQUAL = 1e-8
"""Probabilities that differ by less are equal: tables are kept to eight digits."""


class First:
    """The first paper: `docs/gallery/`, or rows that are chosen as its tables' are."""

    def __init__(self, tables: Callable[..., list[dict[str, Any]]]):
        self._tables = tables

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The points of all panels."""
        return [*self.of("fig3"), *self.of("fig4"), *self.of("fig5"), *self.of("fig7")]

    @property
    def claims(self) -> list[dict[str, Any]]:
        """Every claim that is no identity."""
        return self._tables("gallery/claims", identity=False)

    @staticmethod
    def word(verdict: str) -> str:
        """A claim's verdict as a word with its mark."""
        words = (
            ("not judged", "· not judged"),
            ("fails at every n", "✗ fails"),
            ("fails: ", "✗ fails"),
            ("fails at", "✗ fails somewhere"),
            ("only from n", "✓ from an n on"),
            ("proved from n", "✓ from an n on"),
            ("holds", "✓ holds"),
        )
        return next(word for part, word in words if part in verdict)

    @staticmethod
    def sizes(verdict: str) -> str:
        """For which n a claim holds, by its verdict, in a dozen words or fewer."""
        for pattern, words in SIZES.items():
            match = re.fullmatch(pattern, verdict)
            if match:
                numbers = {name: _with_commas(text) for name, text in match.groupdict().items()}
                return words.format_map(numbers)
        return verdict

    @staticmethod
    def sign(row: Mapping[str, Any]) -> str:
        """How the value of a claim is to its bound, whether that is as claimed or not."""
        if math.isclose(row["value"], row["bound"], rel_tol=ROUNDING):
            return "="
        return "<" if row["value"] < row["bound"] else ">"

    @property
    def bounds(self) -> Counter[str]:
        """At how many sizes tested the bounds hold that the paper states: "all", "some", "none"."""
        stated = [row for row in self.claims if row["source"] == "given"]
        parts = [row for row in stated if PART.fullmatch(row["id"])]
        return Counter(_extent(row["verdict"]) for row in parts)

    def fails(self, *names: str) -> bool:
        """Whether these claims fail at every n tested."""
        verdicts = [one(self.claims, id=name)["verdict"] for name in names]
        return all(verdict.endswith("at every n tested") for verdict in verdicts)

    def contest(self, figure: str) -> float:
        """The mean exact success rate over the points of a figure with other kernels."""
        rows = self._tables("contests/verdicts")
        panels = [row for row in rows if row["panel"].startswith(figure)]
        points = sum(row["points"] for row in panels)
        return sum(row["mean_p_exact"] * row["points"] for row in panels) / points

    @property
    def medians(self) -> tuple[float, float]:
        """The median probability of success at the panels' threshold, and at the best threshold
        that both networks can share, over the points of attention."""
        at_panels_threshold = self._tables("gallery/theta", kind="paper")
        at_best_threshold = self._tables("gallery/theta", kind="best")
        return (
            median(row["p_exact"] for row in at_panels_threshold),
            median(row["p_exact"] for row in at_best_threshold),
        )

    @property
    def ahead(self) -> tuple[int, int]:
        """At how many points softmax alone separates with more probability than linear attention
        alone, each at its own best threshold, and at how many with less."""
        exp_rows = self._tables("gallery/threshold", network="exp")
        linear_rows = self._tables("gallery/threshold", network="linear")
        leads = [
            exp["p_best"] - linear["p_best"]
            for exp, linear in zip(exp_rows, linear_rows, strict=True)
        ]
        return sum(lead > EQUAL for lead in leads), sum(lead < -EQUAL for lead in leads)

    def of(self, figure: str) -> list[dict[str, Any]]:
        """The points of a figure."""
        return self._tables(f"gallery/{figure}")

    def at_least(self, p: float, figure: str = "") -> int:
        """Points of a figure, or of all, at which success has at least this probability."""
        rows = self.of(figure) if figure else self.rows
        return sum(row["p_exact"] >= p for row in rows)

    def above(self, p: float, figure: str = "") -> int:
        """Points of a figure, or of all, at which success is more probable than this."""
        return sum(row["p_exact"] > p for row in (self.of(figure) if figure else self.rows))

    def mean(self, figure: str) -> float:
        """The mean exact success rate over the points of a figure."""
        return mean(row["p_exact"] for row in self.of(figure))


def _with_commas(text: str) -> str:
    """A whole number in digits with its thousands apart, any other text as it is."""
    return whole(int(text)) if text.isdecimal() else text


def _extent(verdict: str) -> str:
    """At how many of the sizes tested a claim holds, by its verdict."""
    words = re.sub(r"^with τ = \S+: ", "", verdict)
    if words.startswith(("holds at the sizes tested", "holds with ")):
        return "all"
    return "none" if words.startswith("fails") else "some"


class Kernels:
    """Any attention: `docs/kernels/`."""

    def __init__(self, tables: Tables):
        self._tables = tables

    def row(self, kernel: str, layer: int, table: str = "kernels", **wanted: object) -> Any:
        """A kernel's row in one of LAYERS."""
        model, x = LAYERS[layer]
        rows = self._tables(f"kernels/{table}")
        return one(rows, kernel=kernel, model=model, attention_x=x, **wanted)

    def last(self, kernel: str, layer: int) -> float:
        """The largest n computed at which a kernel separates; 0 for none."""
        return self.row(kernel, layer)["last_n"] or 0

    def reach(self, kernel: str, layer: int) -> str:
        """The same in words, and the n below it at which the kernel does not separate."""
        row = self.row(kernel, layer)
        last = self.last(kernel, layer)
        if math.isinf(last):
            words = "≥ 10¹²"
        else:
            words = whole(last) if last else "none"
        if row["first_hole"]:
            words += f", not at some n in {row['first_hole']:,.0f} to {row['last_hole']:,.0f}"
        if row["undecided_from"]:
            words += f", P unknown from {whole(row['undecided_from'])}"
        return words

    def p(self, kernel: str, layer: int, n: int = 2000) -> float:
        """The probability that a kernel separates, at its own best threshold."""
        return self.row(kernel, layer, "kernel_values", n=n)["p_best"]

    @property
    def names(self) -> list[str]:
        """All kernels, in the order of the table."""
        return list(dict.fromkeys(row["kernel"] for row in self._tables("kernels/kernels")))

    def separate_everywhere(self, *kernels: str) -> bool:
        """Whether all of these separate at the largest n computed, in all three models."""
        reaches = [self.last(kernel, layer) for kernel in kernels for layer in range(len(LAYERS))]
        return all(map(math.isinf, reaches))

    def reach_and_end(self, kernel: str, layer: int) -> str:
        """The largest n in words and, in brackets, that from which on it is equal to uniform
        attention."""
        words = self.reach(kernel, layer)
        end = self.row(kernel, layer)["n_equal_to_uniform"]
        if end and self.last(kernel, layer) < end < math.inf:
            words += f" ({whole(end)})"
        return words

    @property
    def laws(self) -> list[dict[str, Any]]:
        """Every law of the default data, with how many of its claims have each verdict."""
        laws: dict[str, dict[str, Any]] = {}
        for row in self._tables("kernels/kernel_laws"):
            law = laws.setdefault(row["law"], {**row, "verdicts": Counter()})
            law["verdicts"][row["verdict"]] += 1
        return list(laws.values())

    @property
    def laws_elsewhere(self) -> list[dict[str, Any]]:
        """How many claims of all laws have each verdict, for each of the other data."""
        counts_by_data: dict[str, Counter[str]] = {}
        for row in self._tables("kernels/laws_elsewhere"):
            counts = counts_by_data.setdefault(row["data"], Counter())
            counts.update({verdict: row[verdict] for verdict in VERDICTS})
        return [{"data": data, **counts} for data, counts in counts_by_data.items()]

    @property
    def finite(self) -> list[tuple[str, str, str]]:
        """Kernel, model and X of each finite number of the table of kernels."""
        rows = self._tables("kernels/kernels")
        return [_cell(row) for row in rows if row["last_n"] and math.isfinite(row["last_n"])]

    @property
    def predicted(self) -> list[tuple[str, str, str]]:
        """Those of them that a law predicts, within its error term."""
        laws = self._tables("kernels/kernel_laws", quantity="last n", verdict="agrees")
        cells = {_cell(row) for row in laws}
        return [cell for cell in self.finite if cell in cells]

    @property
    def least_with_biases(self) -> float:
        """Of all kernels, the least probability with a bias for each neuron, chosen after the
        signs, at n = 2,000."""
        rows = self._tables("kernels/kernel_values", model="self_attention", n=2000)
        return min(row["p_each_bias"] for row in rows if row["p_each_bias"] is not None)


def _cell(row: dict[str, Any]) -> tuple[str, str, str]:
    """Kernel, model and X of a row."""
    return row["kernel"], row["model"], row["attention_x"]


class Needle:
    """One noisy token among n: `docs/needle/`."""

    def __init__(self, tables: Tables):
        self._tables = tables

    def critical(self, kernel: str, mu: float = 5.0) -> float:
        """The n at which a kernel's best accuracy is 0.75."""
        return one(self._tables("needle/needle_critical"), kernel=kernel, mu=mu)["n_critical"]

    def last(self, kernel: str, mu: float = 5.0) -> int:
        """The largest whole n with an accuracy of 0.75 or more."""
        return math.floor(self.critical(kernel, mu))

    def trained(self, **wanted: object) -> float:
        """The mean held-out accuracy of trained networks, over runs."""
        wanted = {"features": None, "mu": 5.0, "n": 512, "control": False} | wanted
        return mean(row["accuracy"] for row in self._tables("needle/needle_cells", **wanted))


class Recall:
    """Pairs that a layer recalls: `docs/recall/`."""

    def __init__(self, tables: Tables):
        self._tables = tables

    def capacity(self, layer: str, d: int) -> Mapping[str, Any]:
        """The row of a layer's largest n."""
        return one(self._tables("recall/recall_capacity"), layer=layer, d=d)

    def words_of(self, layer: str, d: int) -> str:
        """A layer's largest n in words: of what is simulated with the n that it lies between."""
        row = self.capacity(layer, d)
        largest = row["largest_n"]
        if largest is None:
            return f"{row['low']:,.0f} or more"
        if math.isinf(largest):
            return "10¹² or more"
        if row["low"] == row["high"]:
            return f"{largest:,.0f}"
        return f"about {largest:,.0f}"

    def between(self, layer: str, d: int) -> str:
        """The n that it surely lies between; empty where it is computed."""
        row = self.capacity(layer, d)
        if row["low"] == row["high"] or row["high"] is None:
            return ""
        return f" ({row['low']:,.0f} to {row['high']:,.0f})"

    def latest(self, layer: str, d: int) -> float:
        """The accuracy of the latest pair of a long sequence."""
        rows = self._tables("recall/recall_lines", part="line", layer=layer, d=d, age=0)
        return float(one(rows)["accuracy"])

    def oldest(self, layer: str, d: int) -> float:
        """That of its oldest pair."""
        rows = self._tables("recall/recall_lines", part="line", layer=layer, d=d)
        by_age = {row["age"]: row["accuracy"] for row in rows if row["age"] is not None}
        return float(by_age[max(by_age)])

    def varied(self, layer: str, d: int, cosine: float = 1.0, rewrites: int = 0) -> float:
        """The accuracy with noisy queries, or of keys that were written so often before."""
        rows = self._tables("recall/recall_lines", part="varied", layer=layer, d=d)
        return float(one(rows, cosine=cosine, rewrites=rewrites)["accuracy"])


class HeadModel:
    """Heads of a trained model: `docs/head_model/`."""

    LONGEST = 8192
    FINDS = 0.3
    """Mean weight on a target from which on a head is said to find it."""

    def __init__(self, tables: Tables):
        self._tables = tables

    def errors(self, filler: str, n: int) -> Mapping[str, Any]:
        """How wrong forecasts of the longest context from one of n tokens were."""
        return one(self._tables("head_model/heads_errors"), filler=filler, n=n, at=self.LONGEST)

    @property
    def texts(self) -> int:
        """How many pieces of natural text there are."""
        rows = self._tables("head_model/heads", n=1024)
        return len({(row["text"], row["segment"]) for row in rows if row["text"] != "random"})

    @property
    def heads(self) -> list[tuple[int, int]]:
        """Layer and head of those that are measured on most texts at the longest context."""
        rows = self.far_rows(at=10**6)
        counts = Counter((row["layer"], row["head"]) for row in rows)
        return sorted(place for place, count in counts.items() if 2 * count > self.texts)

    def far_rows(self, **wanted: object) -> list[dict[str, Any]]:
        """What heads on natural text of the longest context foretell."""
        rows = self._tables("head_model/heads_far", n=self.LONGEST, **wanted)
        return [row for row in rows if row["text"] != "random"]

    def far(self, head: tuple[int, int], at: int, column: str) -> float:
        """The median over texts of a column of what a head foretells of so many tokens."""
        rows = self.far_rows(layer=head[0], head=head[1], at=at)
        return median(row[column] for row in rows)

    def reach(self, head: tuple[int, int]) -> str:
        """The median reach of a head on texts, in millions, with the medians of its ends."""
        reach = self.far(head, 10**6, "reach")
        if reach == 0:
            return "below 0.004"
        low = self.far(head, 10**6, "reach_low")
        high = self.far(head, 10**6, "reach_high")
        return f"{reach / 1e6:.2g} ({low / 1e6:.2g} to {high / 1e6:.3g})"

    def far_change(self, head: tuple[int, int]) -> float:
        """By how many logits new tokens up to 10⁶ would change a head's weight."""
        share = self.far(head, 10**6, "share")
        foretold = self.far(head, 10**6, "foretold")
        return math.log(foretold / (1 - foretold)) - math.log(share / (1 - share))

    def near(self, head: tuple[int, int], n: int, column: str) -> float | None:
        """The median over texts of a column of what a head on n tokens foretells of the longest
        context; None if it is measured on none."""
        rows = self._tables("head_model/heads", layer=head[0], head=head[1], n=n, at=self.LONGEST)
        known = [row[column] for row in rows if row["text"] != "random"]
        return median(known) if known else None

    def finders(self, target: str, n: int = 2048) -> list[dict[str, Any]]:
        """Heads that find a kind of target in natural text, the surest first: the mean of their
        weights over texts, and over the depths of a needle."""
        shares: dict[tuple[int, int], list[float]] = {}
        for row in self._tables("head_model/heads_targets", target=target, filler="text", n=n):
            shares.setdefault((row["layer"], row["head"]), []).append(row["share"])
        rows = [
            {"layer": layer, "head": head, "share": mean(values)}
            for (layer, head), values in shares.items()
        ]
        finders = [row for row in rows if row["share"] >= self.FINDS]
        return sorted(finders, key=lambda row: -row["share"])


class Rank:
    """The rank of heads: `docs/head_rank/`."""

    def __init__(self, tables: Tables):
        self._tables = tables

    def bound(self, d: int, rank: int, heads: int) -> Any:
        """The row of what no layer of such heads can do."""
        return one(self._tables("head_rank/rank_bound"), d=d, rank=rank, heads=heads)

    def heads_needed(self, d: int, rank: int, error: float, column: str = "heads") -> int:
        """How many heads of one layer an error takes at least."""
        rows = self._tables("head_rank/rank_heads_needed")
        return int(one(rows, d=d, rank=rank, error=error)[column])

    @property
    def one_layer(self) -> list[dict[str, Any]]:
        """The cells of one trained layer at d = 8 and N = 4, without encodings, on new batches."""
        cells = self._tables(
            "head_rank/rank_errors",
            d=8,
            n=4,
            layers=1,
            encoding="none",
            regime="fresh",
            biases=None,
            layer_norm=None,
        )
        # Batches of 16 belong to the figure that repeats batches.
        return [row for row in cells if "_b16_" not in row["cell"]]

    @property
    def gap(self) -> float:
        """The least mean error of lower rank over the largest of full rank, in one layer."""
        cells = self.one_layer
        lower_rank = [row["mean"] for row in cells if row["rank"] < 8]
        full_rank = [row["mean"] for row in cells if row["rank"] == 8]
        return min(lower_rank) / max(full_rank)

    @property
    def papers(self) -> Counter[str]:
        """How many of the paper's claims that runs or constructions made here judge have each
        verdict."""
        return self._verdicts(PAPERS)

    @property
    def on_published_values(self) -> Counter[str]:
        """How many of those that the paper's published values alone judge have each verdict."""
        return self._verdicts(PUBLISHED)

    @staticmethod
    def rule(row: Mapping[str, Any]) -> str:
        """The bound that a claim is judged by, and in a few words what it is."""
        words = row["bound_description"].partition(",")[0]
        if row["bound"] is None:
            return words
        # What no difference is to is the claim's own.
        return "0" if row["bound"] == 0 else f"{short(row['bound'])} {words}"

    def _verdicts(self, origin: str) -> Counter[str]:
        rows = self._tables("head_rank/rank_claims", origin=origin)
        return Counter(row["verdict"] for row in rows)

    @property
    def models(self) -> list[dict[str, Any]]:
        """Published models, each with H r / d: heads times their dimension over the width."""
        rows = self._tables("head_rank/models")
        return [row | {"ratio": row["heads"] * row["head_dimension"] / row["d"]} for row in rows]


FACTS = {
    "first": First,
    "kernels": Kernels,
    "needle": Needle,
    "rank": Rank,
    "recall": Recall,
    "head_model": HeadModel,
}
"""By the name that templates have for them."""
