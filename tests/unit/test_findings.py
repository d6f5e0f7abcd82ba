"""Findings, the check and the gallery's texts: what tables say, in sentences."""

import pyarrow as pa
import pytest

from attention_separation.html import page
from attention_separation.softmax_vs_linear import check
from attention_separation.softmax_vs_linear.findings import (
    KINDS,
    choice_findings,
    kind_of,
    threshold_findings,
    verdict_findings,
    whp_findings,
    width_findings,
)
from attention_separation.softmax_vs_linear.gallery import BEGIN, END, with_block
from attention_separation.tables import TableError, write_result


def verdict_rows(*verdicts):
    return pa.Table.from_pylist(
        [
            {
                "panel": f"p{k}", "verdict": verdict, "points": 10, "trials": 100,
                "detectable_bias": 0.02 + k / 100, "mean_p_hat": 0.5, "mean_p_exact": 0.6,
                "smallest_point_p": 1e-9, "pooled_p": 0.2,
                "trials_to_decide": 123 if verdict == "undecided" else None,
            }
            for k, verdict in enumerate(verdicts)
        ]
    )  # fmt: skip


def test_verdicts():
    (text,) = verdict_findings(verdict_rows("agrees", "agrees", "undecided"))
    assert "Of 3 panels with 30 points, 2 agree with their exact values, 1 is undecided" in text
    assert "0 differ." in text
    assert "2.0 to 4.0 per cent" in text
    assert "p2 (123 trials per point instead of 100)" in text
    (text,) = verdict_findings(verdict_rows("differs"))
    assert "1 differs" in text


def test_many_undecided_panels_are_counted():
    (text,) = verdict_findings(verdict_rows(*["undecided"] * 5))
    assert text.endswith("and 2 more.")


def test_the_check_fails_on_what_differs_only():
    assert check.sentences(verdict_rows("agrees", "undecided")) == []
    (sentence,) = check.sentences(verdict_rows("agrees", "differs"))
    assert sentence.startswith("p1 differs: its mean success rate is 0.5000, exactly 0.6000")
    assert check.counted(verdict_rows("agrees", "differs")) == "1 agrees, 0 undecided, 1 differs"


@pytest.mark.parametrize(
    "text",
    [
        "holds at the paper's sizes", "holds, with constant C = 1.5",
        "holds at 6 of the paper's 8 sizes", "holds only from n >= 7310, with d − 2 = ⌈√n⌉",
        "false at every n", "false at every large n",
    ],
)  # fmt: skip
def test_every_verdict_on_a_claim_is_of_one_kind(text):
    assert sum(is_kind(text) for is_kind in KINDS.values()) == 1
    assert kind_of(text) in KINDS


def test_with_high_probability():
    rows = [
        {"event": "f_exp_d1_positive", "points": 80, "points_whp": 7},
        {"event": "f_exp_d1_positive", "points": 20, "points_whp": 1},
        {"event": "f_lin_d1_zero", "points": 100, "points_whp": 0},
    ]
    (text,) = whp_findings(pa.Table.from_pylist(rows))
    assert "F_exp > 0 on D1 at 8 of 100, F_lin = 0 on D1 at 0 of 100." in text


def test_widths():
    def table(parameter, *p_exact):
        rows = [
            {"panel": "p", "parameter": parameter, "value": float(k + 1), "p_exact": p}
            for k, p in enumerate(p_exact)
        ]
        return pa.Table.from_pylist(rows)

    (text,) = width_findings([table("n", 0.1), table("m", 0.2, 0.7, 0.4)])
    assert text.endswith("falls in p from 0.70 at m = 2 to 0.40 at m = 3.")
    assert width_findings([table("d", 0.9, 0.5), table("m", 0.5, 0.6)]) == []


def test_choices_are_named_by_their_largest_mean_change():
    def row(choice, alternative, panel, change, signed=0.0):
        return {
            "choice": choice, "default": "x", "alternative": alternative, "panel": panel,
            "mean_change": change, "signed_change": signed,
        }  # fmt: skip

    rows = [
        row("one", "a", "p", 0.2), row("one", "b", "q", 0.4), row("two", "c", "p", 0.3),
        row("bound", "d", "p", 0.9, None), row("three", "e", "p", 0.001),
        {**row("none", None, None, None), "signed_change": None},
    ]  # fmt: skip
    (text,) = choice_findings(pa.Table.from_pylist(rows), most=2)
    assert text.index("one (b for x: 0.40") < text.index("two (c for x: 0.30")
    assert "bound" not in text
    assert "1 of 3 measured choices" in text


def test_thresholds():
    def row(network, value, p):
        return {
            "panel": "p", "value": value, "network": network, "p_best": p, "n": 10,
            "model": "cross_attention", "d": int(value), "m": 3,
        }  # fmt: skip

    rows = [row("exp", 3, 0.9), row("lin", 3, 0.8), row("exp", 5, 1.0), row("lin", 5, 0.25)]
    (text,) = threshold_findings(pa.Table.from_pylist(rows))
    assert "Over 2 points" in text
    assert "F_lin comes to 0.80 at most (n = 10, d = 3, m = 3, cross-attention)" in text
    assert "ahead at every point; the smallest lead is 0.10 (d = 3" in text


def test_a_block_takes_the_place_of_the_old_one():
    text = f"a\n{BEGIN}old\n{END}z\n"
    assert with_block(text, f"{BEGIN}new\n{END}") == f"a\n{BEGIN}new\n{END}z\n"
    for wrong in ("", BEGIN, END, END + BEGIN, text + text):
        with pytest.raises(ValueError, match="needs the two lines"):
            with_block(wrong, "new")


def test_a_page_shows_every_cell_and_escapes_it():
    table = pa.table(
        {
            "text": ["<b>&\nline", None], "number": [0.123456, None], "count": [12345, None],
            "yes_no": [True, False],
        }
    )  # fmt: skip
    text = page(table, "A < B", "About & more")
    assert "<td>&lt;b&gt;&amp;<br>line</td>" in text
    assert '<td class="number">0.1235</td>' in text
    assert '<td class="number">12,345</td>' in text
    assert "<td>yes</td>" in text
    assert text.count("<td></td>") == 3
    assert "<h1>A &lt; B</h1>" in text
    assert "<th>yes no</th>" in text
    assert "http" not in text


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_result_holds_no_number_that_is_none(tmp_path, value):
    table = pa.table({"good": [1.0, None], "bad": [0.5, value]})
    with pytest.raises(TableError, match="column bad holds a value that is no finite number"):
        write_result(table, tmp_path / "t", {}, "T", "A")
    assert not list(tmp_path.iterdir())
