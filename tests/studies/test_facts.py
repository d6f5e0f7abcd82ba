"""Named values of the tracked tables, held against the tables' own rows, read line by line."""

import csv
import math
from functools import partial
from statistics import mean, median

import pytest
from tracked_pages import DOCS

from attention_separation import separate
from attention_separation.any_attention.layers import LAYERS
from attention_separation.pages.rendering import PageError, Tables
from attention_separation.statistics.claims import NOT_APPLICABLE, VERDICTS
from attention_separation.studies.any_attention.facts import Kernels
from attention_separation.studies.head_rank.facts import Rank
from attention_separation.studies.lemmas.facts import Lemmas
from attention_separation.studies.needle.facts import Needle
from attention_separation.studies.recall.facts import Recall
from attention_separation.studies.softmax_vs_linear.facts import First

TABLES = Tables(DOCS)


def rows(name, **wanted):
    """The rows of a table as text, those that have the wanted cells."""
    with (DOCS / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return [
            row
            for row in csv.DictReader(lines)
            if all(row[key] == value for key, value in wanted.items())
        ]


def only(row, name, **wanted):
    """A table of one row, whatever is wanted of it."""
    return [row]


def number(row, name):
    return float(row[name])


def meets_the_definition(row):
    """Definition D.1 has b + c = 1, a0 below 0.1 and a1 at least 0.7, in cross-attention 1."""
    if not row["a1"]:
        return True
    is_self_attention = bool(row["b"])
    least_a1 = 0.7 if is_self_attention else 1.0
    sums_to_1 = not is_self_attention or abs(number(row, "b") + number(row, "c") - 1) < 1e-9
    return number(row, "a0") < 0.1 and number(row, "a1") >= least_a1 and sums_to_1


def test_the_first_paper():
    facts = First(TABLES)
    points = [row for k in (3, 4, 5, 7) for row in rows(f"gallery/fig{k}")]
    assert len(facts.rows) == len(points)
    for least in (0.5, 0.9):
        assert facts.at_least(least) == sum(number(row, "p_exact") >= least for row in points)
    assert facts.above(0.5) == sum(number(row, "p_exact") > 0.5 for row in points)
    assert facts.above(0.5, "fig3") == facts.at_least(0.5, "fig3") - 1
    for k in (3, 4, 5, 7):
        own = rows(f"gallery/fig{k}")
        inside = [number(row, "p_exact") for row in own if meets_the_definition(row)]
        outside = [number(row, "p_exact") for row in own if not meets_the_definition(row)]
        assert [row["p_exact"] for row in facts.inside(f"fig{k}")] == inside
        assert [row["p_exact"] for row in facts.outside(f"fig{k}")] == outside
    assert sum(facts.at_least(0.9, f"fig{k}") for k in (3, 4, 5, 7)) == facts.at_least(0.9)
    assert facts.mean("fig4") == mean(number(row, "p_exact") for row in rows("gallery/fig4"))
    for k, kind in enumerate(("paper", "best")):
        wanted = median(number(row, "p_exact") for row in rows("gallery/theta", kind=kind))
        assert facts.medians[k] == wanted
    of = {(row["panel"], row["value"], row["network"]): row for row in rows("gallery/threshold")}
    leads = [
        number(row, "p_best") - number(of[panel, value, "linear"], "p_best")
        for (panel, value, network), row in of.items()
        if network == "exp"
    ]
    ahead = sum(lead > 1e-8 for lead in leads), sum(lead < -1e-8 for lead in leads)
    assert facts.ahead == ahead


def test_the_first_papers_claims():
    facts = Lemmas(TABLES)
    listed = [row["id"] for row in rows("gallery/claims", identity="false")]
    assert [row["id"] for row in facts.claims] == [*dict.fromkeys(listed)]
    assert facts.fails("1.1.m")
    assert not facts.fails("1.1.m", "A.1.columns", "D.3.P1")


def test_the_weight_ratio_of_undivided_linear_attention_on_the_page():
    """Scores are symmetric: the special token's weight on itself over that of others on it."""
    rows = separate("linear_unnormalised", "self_attention", "ones", n=2000).rows
    special, other = (
        rows.set_index(["dataset", "query"]).loc[("D1", query), "share"]
        for query in ("special", "other class")
    )
    page = (DOCS / "kernels.md").read_text(encoding="utf-8")
    assert f"a ratio of {special / other:.1f} (X all ones, n = 2,000)" in page


def test_kernels():
    facts = Kernels(TABLES)
    finite = [row for row in rows("kernels/kernels") if row["last_n"] not in ("", "inf")]
    assert len(facts.finite) == len(finite)
    laws = rows("kernels/kernel_laws", quantity="last n", verdict="agrees")
    by_law = {(row["kernel"], row["model"], row["attention_x"]): row["measured"] for row in laws}
    for row in finite:
        cell = (row["kernel"], row["model"], row["attention_x"])
        assert (cell in facts.predicted) == (cell in by_law)
        assert by_law.get(cell, row["last_n"]) == row["last_n"]
    assert facts.names == [*dict.fromkeys(row["kernel"] for row in rows("kernels/kernels"))]
    for kernel, layer in (("exp", 0), ("linear", 1), ("power_8", 2), ("linear", 2)):
        place = LAYERS[layer].columns
        (row,) = rows("kernels/kernels", kernel=kernel, **place)
        assert facts.last(kernel, layer) == float(row["last_n"] or 0)
        (row,) = rows("kernels/kernel_values", kernel=kernel, n="2000", **place)
        assert facts.p(kernel, layer) == number(row, "p_best")
    assert facts.separate_everywhere("exp", "cosh")
    assert not facts.separate_everywhere("exp", "power_8")
    assert sum(row["verdicts"].total() for row in facts.laws) == len(rows("kernels/kernel_laws"))
    for row in facts.laws_elsewhere:
        own = rows("kernels/laws_elsewhere", data=row["data"])
        for word in (*VERDICTS, NOT_APPLICABLE):
            assert row[word] == sum(int(row_of_law[word]) for row_of_law in own)


def test_how_far_a_kernel_reaches_in_words(subtests):
    for cells, words in [
        ({"last_n": 80.0}, "80"),
        ({"last_n": None}, "none"),
        ({"last_n": math.inf}, "≥ 10¹²"),
        (
            {"last_n": 1e6, "first_hole": 30.0, "last_hole": 1200.0},
            "1,000,000, not at some n in 30 to 1,200",
        ),
        ({"last_n": 1e6, "undecided_from": 2e9}, "1,000,000, P unknown from 2.00·10⁹"),
    ]:
        with subtests.test(cells=cells, words=words):
            row = {"kernel": "a", "model": "self_attention", "attention_x": "identity"}
            row |= dict.fromkeys(("first_hole", "last_hole", "undecided_from"))
            row["n_equal_to_uniform"] = 4e6
            facts = Kernels(partial(only, row | cells))
            assert facts.reach("a", 0) == words
            ends = words.startswith("≥")
            assert facts.reach_and_end("a", 0) == (words if ends else f"{words} (4,000,000)")


def test_the_needle():
    facts = Needle(TABLES)
    (row,) = rows("needle/needle_critical", kernel="linear", mu="5")
    assert facts.last("linear") == int(number(row, "n_critical"))
    own = rows(
        "needle/needle_cells", arm="query_given", kernel="exp", divided_by="sum", features="",
        mu="5", n="512", control="false",
    )  # fmt: skip
    wanted = mean(number(row, "accuracy") for row in own)
    assert facts.trained(arm="query_given", kernel="exp", divided_by="sum") == pytest.approx(wanted)
    runs = [{"accuracy": accuracy} for accuracy in (0.9, 0.92, 0.94)]
    # Student's: 4.303 times 0.02 / sqrt(3).
    assert Needle(lambda name, **wanted: runs).trained_words() == "0.920 ± 0.050"


def test_recall():
    facts = Recall(TABLES)
    (row,) = rows("recall/recall_capacity", layer="linear", d="64")
    assert facts.capacity("linear", 64)["largest_n"] == number(row, "largest_n")
    lines = rows("recall/recall_lines", part="line", layer="linear", d="64")
    by_age = {int(row["age"]): number(row, "accuracy") for row in lines if row["age"]}
    assert facts.latest("linear", 64)["accuracy"] == by_age[0]
    assert facts.oldest("linear", 64)["accuracy"] == by_age[max(by_age)]
    given_keys = rows("recall/recall_lines", part="given keys", layer="delta_1", d="64")
    assert facts.oldest("delta_1", 64)["accuracy"] == number(given_keys[-1], "accuracy")


def test_an_accuracy_of_recall_has_its_error_where_it_is_simulated():
    said = Recall.with_error
    assert said({"method": "exact: a sum", "accuracy": 0.72571, "error": 0}) == "0.726"
    assert said({"method": "simulated: x", "accuracy": 1, "error": 0}) == "1.000"
    assert said({"method": "simulated: x", "accuracy": 0.5132, "error": 0.0098}) == "0.513 ± 0.010"
    assert said({"method": "simulated: x", "accuracy": 0.50726, "error": 0.00013}) == (
        "0.5073 ± 0.0002"
    )


def test_how_many_pairs_in_words(subtests):
    for largest, low, high, words, between in [
        (1234.0, 1234.0, 1234.0, "1,234", ""),
        (math.inf, math.inf, math.inf, "10¹² or more", ""),
        (None, 5000.0, None, "5,000 or more", ""),
        (50.0, 48.0, 53.0, "about 50", " (48 to 53)"),
    ]:
        with subtests.test(largest=largest, low=low, high=high, words=words, between=between):
            row = {"layer": "a", "d": 8, "largest_n": largest, "low": low, "high": high}
            facts = Recall(partial(only, row))
            assert facts.words_of("a", 8) == words
            assert facts.bounds_text("a", 8) == between


def test_the_rank_of_heads():
    facts = Rank(TABLES)
    (row,) = rows("head_rank/rank_bound", d="64", rank="32", heads="2")
    assert facts.bound(64, 32, 2)["bound"] == number(row, "bound")
    (row,) = rows("head_rank/rank_heads_needed", d="64", rank="1", error="0.1")
    assert facts.heads_needed(64, 1, 0.1) == number(row, "heads")
    cells = rows("head_rank/rank_errors", d="8", n="4", layers="1", encoding="none", regime="fresh")
    errors = {True: [], False: []}
    for row in cells:
        if "_b16_" not in row["cell"] and not (row["biases"] or row["layer_norm"]):
            errors[row["rank"] == "8"].append(number(row, "mean"))
    assert facts.gap == min(errors[False]) / max(errors[True]) > 1


def test_claims_that_published_values_alone_judge_are_counted_apart():
    facts = Rank(TABLES)
    papers = rows("head_rank/rank_claims", origin="the paper's")
    alone = [r for r in rows("head_rank/rank_claims") if "published values" in r["origin"]]
    others = [r for r in rows("head_rank/rank_claims") if r not in papers and r not in alone]
    counted = (facts.papers, papers), (facts.on_published_values, alone), (facts.ours, others)
    for counts, own in counted:
        assert counts.total() == len(own)
        for verdict, count in counts.items():
            assert count == sum(row["verdict"] == verdict for row in own)
    assert {row["claim"] for row in alone} == {"five layers", "best below full rank"}


SIZES_IN_WORDS = [
    ("holds at the sizes tested", "all tested"),
    ("holds with C = 0.8 by Hoeffding's bound at every n tested", "all tested, with C = 0.8"),
    ("holds with least C = 1.443 at every n tested", "all tested, with C = 1.443"),
    (
        "with τ = 1/4*: refuted below n = 2423, proved from n = 13578",
        "from 13,578, not below 2,423, with τ = 1/4*",
    ),
    (
        "holds only from n >= 12768, with d − 2 = ⌈√n⌉; not yet at n = 10^9 with d − 2 = ⌈n^0.1⌉",
        "from 12,768 if d − 2 = ⌈√n⌉; not by n = 10⁹ if d − 2 = ⌈n^0.1⌉",
    ),
    (
        "the reconstructed claim holds only from n >= 702, with d − 1 = ⌈√n⌉; not yet at n = 10^9 "
        "with d − 1 = ⌈n^0.1⌉",
        "from 702 if d − 1 = ⌈√n⌉; not by n = 10⁹ if d − 1 = ⌈n^0.1⌉",
    ),
    (
        "what the paper leaves out holds only from n >= 13572, with d − 2 = ⌈√n⌉; not yet at "
        "n = 10^9 with d − 2 = ⌈n^0.1⌉; at n = 10^9 it fails at b = 0.9, c = 0.1 of the dataset's "
        "range",
        "from 13,572 if d − 2 = ⌈√n⌉; not by n = 10⁹ if d − 2 = ⌈n^0.1⌉, nor at b = 0.9, c = 0.1",
    ),
    (
        "fails: the least C grows like n^0.50, from 1.63 at n = 4 to 4 at n = 10^9",
        "none: C would grow like n^0.50",
    ),
    ("fails at every n tested", "none tested"),
    ("something else", "something else"),
]
"""What a verdict says of n, and what pages say of it."""


def test_for_which_n_a_claim_holds_in_words(subtests):
    for verdict, words in SIZES_IN_WORDS:
        with subtests.test(verdict=verdict, words=words):
            assert Lemmas.sizes(verdict) == words


def test_what_is_in_no_table_is_said():
    with pytest.raises(PageError, match="0 rows"):
        Needle(TABLES).critical("uniform", 99.0)


def test_published_models():
    models = rows("head_rank/models")
    for row in models:
        d, heads, r, keys = (
            int(row[name]) for name in ("d", "heads", "head_dimension", "key_value_heads")
        )
        assert min(d, heads, r, keys) > 0
        assert heads % keys == 0
        assert 2017 <= int(row["year"]) <= 2025
        assert row["source"].strip()
        (model,) = (each for each in Rank(TABLES).models if each["model"] == row["model"])
        assert model["ratio"] == heads * r / d
    order = [(int(row["year"]), row["model"].casefold()) for row in models]
    assert order == sorted(order)
    assert len({row["model"] for row in models}) == len(models) == len(Rank(TABLES).models)
