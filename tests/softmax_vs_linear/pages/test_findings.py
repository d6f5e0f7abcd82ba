"""Findings, the check and the gallery's texts: what tables say, in sentences."""

import pyarrow as pa
import pytest
from attention_separation.softmax_vs_linear.pages.claim_findings import (
    FAILS,
    HERE,
    HOLDS,
    LATER,
    PART,
    UNJUDGED,
    claim_findings,
    kind_of,
)
from attention_separation.softmax_vs_linear.pages.panel_findings import (
    choice_findings,
    reconstruction_findings,
    verdict_findings,
    whp_findings,
    width_findings,
)
from attention_separation.softmax_vs_linear.pages.threshold_findings import (
    theta_findings,
    threshold_findings,
)

from attention_separation.softmax_vs_linear.audits import check, theta


def verdict_rows(*verdicts):
    return pa.Table.from_pylist(
        [
            {
                "panel": f"p{k}", "verdict": verdict, "points": 10, "trials": 100,
                "detectable_bias": 0.02 + k / 100, "mean_p_hat": 0.5, "mean_p_exact": 0.6,
                "smallest_point_p": 1e-9, "pooled_p": 0.2, "shape_p": 0.03, "margin": 0.1,
                "detectable_shape": 0.05 + k / 100, "largest_p_error": 3e-6 if k == 1 else 0.0,
                "trials_to_decide": 123 if verdict == "undecided" else None,
            }
            for k, verdict in enumerate(verdicts)
        ]
    )  # fmt: skip


def test_verdicts():
    (text,) = verdict_findings(verdict_rows("agrees", "agrees", "undecided"))
    assert "Of 3 panels with 30 points, 2 agree, 1 is undecided and 0 differ; 2 are held" in text
    assert "values and 1 against reference values with an estimated error of at most 3e-6." in text
    assert "lies within ±10.0 percentage points; a mean bias of 2.0 to 4.0 percentage" in text
    assert "along a panel, cut off at rates 0 and 1, x 5.0 to 7.0." in text
    assert "p2 (123 trials per point instead of 100)" in text
    (text,) = verdict_findings(verdict_rows("differs"))
    assert "1 differs; 1 is held against exact values. To agree" in text


def test_verdicts_on_reference_values_alone_and_shapes_that_none_could_find():
    rows = verdict_rows("agrees", "agrees").to_pylist()
    rows[1]["detectable_shape"] = None
    (text,) = verdict_findings(pa.Table.from_pylist(rows[1:]))
    assert "0 differ; 1 is held against reference values with an estimated error of" in text
    assert text.endswith(
        "bias of 3.0 percentage points would have been found about nine times in ten."
    )
    assert "-x" not in verdict_findings(pa.Table.from_pylist(rows))[0]


def test_what_is_reconstructed_of_which_panels():
    texts = {"a1": "m, data", "a2": "data; V", "a3": "data; V", "a4": "m, b; V", "a5": "b; V"}
    rows = [{"panel": panel, "reconstructed": text} for panel, text in texts.items()]
    (text,) = reconstruction_findings(pa.Table.from_pylist([*rows, rows[1] | {"panel": "a6"}]))
    assert text.endswith("V (a2 to a6); data (a1 to a3, a6); m (a1, a4); b (a4, a5).")
    everywhere = pa.table({"panel": ["a", "b"], "reconstructed": ["V", "m, V"]})
    assert "V (all panels); m (b)." in reconstruction_findings(everywhere)[0]
    assert reconstruction_findings(pa.table({"panel": ["a"], "reconstructed": [""]})) == []


def test_many_undecided_panels_are_counted():
    (text,) = verdict_findings(verdict_rows(*["undecided"] * 5))
    assert text.endswith("and 2 more.")


def test_the_check_fails_on_what_differs_only():
    assert check.sentences(verdict_rows("agrees", "undecided")) == []
    (sentence,) = check.sentences(verdict_rows("agrees", "differs"))
    assert sentence == (
        "p1 differs: its mean success rate is 0.5000, by reference values 0.6000; adjusted "
        "p-values 1e-09 (its points), 0.2 (their sum) and 0.03 (their shape)"
    )
    (sentence,) = check.sentences(verdict_rows("differs"))
    assert "rate is 0.5000, exactly 0.6000; adjusted" in sentence


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("holds at the sizes tested", HOLDS),
        ("holds with least C = 1.5 at every n tested", HOLDS),
        ("holds with C = 1.5 by Hoeffding's bound at every n tested", HOLDS),
        ("holds at the sizes tested, fails at a₁ = 0.7 of the dataset's range", HERE),
        ("holds with least C = 3 at every n tested, but with none at b = 0.1 of the dataset's "
         "range", HERE),
        ("holds at 6 of the 8 sizes tested", LATER),
        ("holds only from n >= 7310, with d − 2 = ⌈√n⌉", LATER),
        ("holds only from n >= 7310; at n = 10^9 it fails at b = 0.9 of the dataset's range",
         LATER),
        ("with τ = 1/4*: refuted below n = 2362, proved from n = 3484", LATER),
        ("fails at every n tested", FAILS), ("fails at every large n tested", FAILS),
        ("fails: the least C grows like n^0.50", FAILS),
        ("not judged: an o() says nothing", UNJUDGED),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "subject", ["", "the guessed bound ", "the reconstructed claim ", "what the paper leaves out "]
)
def test_what_a_verdict_on_a_claim_comes_down_to(subject, text, kind):
    assert kind_of(f"{subject}{text}") == kind
    with pytest.raises(ValueError, match="is no verdict"):
        kind_of(f"perhaps {subject}{text}")


def test_only_the_papers_own_parts_are_counted():
    own = """4.2.P1 5.2 A.1 C.3 D.2.P1a D.3.P2.one D.3.P2.rest E.1.P4.own E.4 1.2 F.17
    E.D0-exp.sign.P1 E.D1-lin.zero"""
    others = """3.1 A.1.columns 4.1.P1.entries 4.2.P1.sqrt 5.1.every 5.2.m D.5.m D.2.P3a.value
    D.2.P4a.loose D.2.P3a.from-0.7 D.8.hoeffding D.8.assumption 1.1.identity 6.2.printed"""
    assert all(PART.fullmatch(name) for name in own.split())
    assert not any(PART.fullmatch(name) for name in others.split())


def claim(name, verdict, **values):
    row = {
        "id": name, "source": "given", "verdict": verdict, "n": 200, "d": 22, "value": 0.25,
        "bound": 5e-5, "holds": False, "identity": False, "from_n_d_sqrt": None,
        "from_n_d_fixed": None, "from_n_d_quarter": None, "paths": "",
    }  # fmt: skip
    return row | values


def test_claims_are_counted_by_source_and_only_those_that_can_fail():
    guessed = {"source": "value forced, bound guessed"}
    rows = [
        claim("D.4.P2", "the guessed bound fails at every n tested", **guessed),
        claim("E.2.P1", "the guessed bound holds at the sizes tested, fails at a₁ = 0.7 of the "
              "dataset's range", **guessed),
        claim("E.3.P1", "the guessed bound holds at the sizes tested", **guessed),
        *[claim("4.1.P1", "holds at the sizes tested")] * 2,
        claim("3.1", "holds at the sizes tested"),
        claim("4.1.P1.entries", "fails at every n tested"),
        claim("4.2.P1", "fails: the least C grows"),
        claim("4.2.P1.sqrt", "holds with C = 1.5 by Hoeffding's bound at every n tested"),
        claim("D.2.P1a", "holds at the sizes tested", identity=True, holds=True),
        claim("D.2.P1b", "fails at every n tested", identity=True),
        claim("D.9", "holds only from n >= 7", source="left out by the paper, value forced"),
    ]  # fmt: skip
    counted, failing = claim_findings(pa.Table.from_pylist(rows))
    assert (
        "as parts that hold at the sizes tested / hold there but not in all of the dataset's range "
        "/ hold only at some sizes or from a larger n on / fail: given 1 / 0 / 0 / 1; bound "
        "guessed 1 / 1 / 0 / 1; left out by the paper 0 / 0 / 1 / 0. Parameters are the" in counted
    )
    assert "in section 5 m = C log(n/δ), with the least C that works." in counted
    assert "1 of 2 identities hold, and are not counted." in counted
    assert (
        "**What fails.** The rate that Lemma 4.2, Part 1 prints, in the translation that we have, "
        "fails: the least C grows; with √n for n it holds with C = 1.5 by" in failing
    )
    # A guessed bound that fails is no fault of the paper's, so no such part is singled out.
    assert "D.4" not in f"{counted}{failing}"
    assert "contradicts" not in failing


def test_what_fails_with_the_experiments_columns_is_named_by_whose_it_is():
    fails, guessed = "fails at every n tested", {"source": "value forced, bound guessed"}
    rows = [
        claim("5.2.m", fails),
        claim("D.5.m", fails, source="value forced, bound read from the text"),
        claim("E.4.m", f"the guessed bound {fails}", **guessed),
        claim("F.5.m", "the reconstructed claim holds only from n >= 7", source="reconstructed"),
        claim("1.2.m", f"the reconstructed claim {fails}", source="reconstructed"),
        claim("6.2.m", fails), claim("6.2.printed", fails),
    ]  # fmt: skip
    text = claim_findings(pa.Table.from_pylist(rows))[1]
    assert "With the experiments' own m, that F_exp is positive on D1 (5.2, D.5; guessed or" in text
    assert (
        "reconstructed E.4) and the joint events (6.2; guessed or reconstructed 1.2) fail" in text
    )
    assert text.endswith(
        "(Theorem 6.2 is counted with its misprints mended; as printed it contradicts itself.)"
    )
    rows[-2] = claim("6.2.m", "holds only from n >= 7")
    rows[-1] = claim("6.2.printed", "holds at the sizes tested")
    text = claim_findings(pa.Table.from_pylist(rows))[1]
    assert "the joint events (guessed or reconstructed 1.2)" in text
    assert "contradicts" not in text


def test_theorem_6_2_holds_from_its_own_start_and_its_zero_networks_from_the_last_of_theirs():
    fixed = "With d fixed at 22 (the theorems ask that it grows), it fails at every n tested, from"

    def rows(paths=fixed, **values):
        own = {"from_n_d_sqrt": 500, "from_n_d_quarter": 40, "paths": paths} | values
        starts = {"D.9": (100, 30), "D.13": (300, 20), "D.17": (200, 10)}
        return pa.Table.from_pylist(
            [
                claim("D.5", "holds with least C = 3.477 at every n tested", value=3.4760594),
                claim("6.2", "holds only from n >= 3", **own),
                claim("6.2", "holds only from n >= 3", n=256, **own),
                *[
                    claim(name, "holds only from n >= 3", from_n_d_sqrt=a, from_n_d_quarter=b)
                    for name, (a, b) in starts.items()
                ],
            ]
        )

    text = claim_findings(rows())[1]
    assert "(δ/poly(n) is read as δ/n, δ = 0.01) the four events of Theorem 6.2" in text
    assert (
        "with about 3.476 log(n/δ) columns from n = 500 on for d - 2 = ⌈√n⌉ and from n = 40 on"
        in text
    )
    assert "at none of the 2 sizes tested; at no n tested for d = 22 (the theorem asks that" in text
    assert text.endswith(
        "With the experiments' m, the events that a network is zero (D.9, D.13, D.17) hold, each "
        "alone, from n = 300 on for d - 2 = ⌈√n⌉ and from n = 30 on for d - 2 = n/4."
    )
    assert "d = 22" not in claim_findings(rows("With d fixed at 22, it holds"))[1]
    assert (
        "not up to the largest n for d - 2 = n/4, as"
        in claim_findings(rows(from_n_d_quarter=None))[1]
    )
    assert len(claim_findings(rows().slice(1))) == 1


def test_the_check_wants_whole_verdicts():
    whole = verdict_rows("agrees", "undecided")
    assert check.faults(whole) == []
    assert check.faults(whole.slice(0, 0)) == ["there are no verdicts"]
    rows = whole.to_pylist()
    rows[0]["verdict"] = "DIFFERS"
    rows[1]["mean_p_hat"] = float("nan")
    rows[1]["detectable_shape"] = None
    rows.append(rows[0] | {"panel": "p9", "verdict": None})
    assert check.faults(pa.Table.from_pylist(rows)) == [
        "p0: 'DIFFERS' is no verdict", "p1: mean_p_hat is nan", "p9: verdict is None",
    ]  # fmt: skip


def whp_row(panel, event, points, whp, undecided=0):
    return {
        "panel": panel, "event": event, "points": points, "points_whp": whp,
        "points_undecided": undecided,
    }  # fmt: skip


def test_with_high_probability():
    rows = [
        whp_row("fig8a", "f_exp_d1_positive", 80, 7, 2),
        whp_row("fig8b", "f_exp_d1_positive", 20, 1, 1),
        whp_row("fig8b", "f_lin_d1_zero", 100, 0),
    ]
    (text,) = whp_findings(pa.Table.from_pylist(rows))
    assert "at most δ/n (δ = 0.01 where a panel has none), the error of its" in text
    assert "probability included: F_exp > 0 on D1 at 8 of 100 (3 undecided), F_lin" in text
    assert "F_lin = 0 on D1 at 0 of 100." in text
    assert "All four" not in text


def test_events_of_several_contests_are_told_apart_and_equal_ones_counted_together():
    rows = [
        whp_row("p", "f_exp_d1_positive", 10, 4), whp_row("p", "f_lin_d1_zero", 10, 1),
        whp_row("p", "all_four", 10, 1), whp_row("q", "exp_d1_positive", 5, 3, 1),
        whp_row("q", "linear_d1_zero", 5, 2), whp_row("q", "power_2_d0_zero", 5, 5),
        whp_row("q", "all", 5, 2), whp_row("r", "exp_d1_positive", 5, 3),
        whp_row("r", "hardmax_d0_zero", 5, 2), whp_row("r", "all_four", 5, 2),
    ]  # fmt: skip
    (text,) = whp_findings(pa.Table.from_pylist(rows))
    assert (
        "included: F_exp > 0 on D1 at 10 of 20 (1 undecided), F_lin = 0 on D1 at 3 of 15, "
        "F_power_2 = 0 on D0 at 5 of 5, F_hardmax = 0 on D0 at 2 of 5." in text
    )
    # Four of F_exp and F_lin, not r's.
    assert text.endswith("All four of the paper's contest at once: 1 point, all in p.")
    assert "at once" not in whp_findings(pa.Table.from_pylist(rows[3:]))[0]


def test_where_all_four_and_no_zero_networks_are_with_high_probability():
    zero = ("f_lin_d1_zero", "f_exp_d0_zero", "f_lin_d0_zero")

    def text(found, undecided=0, together=5):
        rows = []
        for panel, count in (("fig4a", 0), ("fig4b", 0), ("fig5a", found), ("fig7a", 3)):
            rows += [whp_row(panel, event, 10, count if k == 1 else 0)
                     for k, event in enumerate(zero)]  # fmt: skip
            rows.append(whp_row(panel, "all_four", 10, together if panel == "fig7a" else 0))
        rows[8]["points_undecided"] = undecided
        return whp_findings(pa.Table.from_pylist(rows))[0]

    assert "All four at once: 5 points, all in fig7a. In Figures 4 and 5 no network that" in text(0)
    assert text(0).endswith("is so with high probability at any of 30 points.")
    for one in (text(1), text(0, undecided=1)):
        assert "In Figure 4 no network" in one
        assert one.endswith("at any of 20 points.")
    assert "All four at once: 0 points. In" in text(0, together=0)


def test_widths():
    def table(parameter, *p_exact, event="f_exp_d1_positive"):
        row = {"panel": "p", "parameter": parameter, f"prob_{event}": 1.0}
        rows = [row | {"value": float(k + 1), "p_exact": p} for k, p in enumerate(p_exact)]
        return pa.Table.from_pylist(rows)

    (text,) = width_findings([table("n", 0.1), table("m", 0.2, 0.7, 0.4)])
    assert text.endswith("falls in p from 0.70 at m = 2 to 0.40 at m = 3.")
    (text,) = width_findings([table("m", 0.2, 0.7, 0.4)], ["p"])
    assert text.endswith("in p* from 0.70 at m = 2 to 0.40 at m = 3. (* its threshold is "
                         "reconstructed.)")  # fmt: skip
    assert width_findings([table("d", 0.9, 0.5), table("m", 0.5, 0.6)]) == []
    assert width_findings([table("m", 0.2, 0.7, 0.4, event="hardmax_d1_positive")]) == []


def test_choices_are_named_by_their_largest_mean_change():
    def row(choice, alternative, panel, change, signed=0.0):
        return {
            "choice": choice, "default": "x", "alternative": alternative, "panel": panel,
            "mean_change": change, "largest_change": change, "signed_change": signed,
        }  # fmt: skip

    rows = [
        row("one", "a", "p", 0.2), row("one", "b", "q", 0.4), row("two", "c", "p", 0.3),
        row("bound", "d", "p", 0.9, None), row("three", "e", "p", 0.001),
        {**row("none", None, None, None), "signed_change": None},
    ]  # fmt: skip
    (text,) = choice_findings(pa.Table.from_pylist(rows), most=2)
    assert text.index("one (b for x: 0.40") < text.index("two (c for x: 0.30")
    assert text.count("bound") == 2
    assert text.endswith("is a bound: bound (d: at most 0.90 on average over p).")
    assert "Of 4 alternatives that were measured, for 3 of the text's gaps" in text
    assert "1 of these 3 choices move no panel by 0.005 or more on average, and single" in text
    assert "points by 0.00 at most. Another alternative than those measured may move more." in text
    assert choice_findings(pa.Table.from_pylist(rows[:3]))[0].endswith("may move more.")


def pair(value, exp, lin, **more):
    row = {
        "panel": "p", "parameter": "a1", "value": value, "a1": value, "n": 10, "d": 4, "m": 3,
        "a0": 0.1, "b": 0.2, "c": 0.8, "model": "self_attention",
    }  # fmt: skip
    networks = (("exp", exp), ("linear", lin))
    return [row | {"network": network, "p_best": p} | more for network, p in networks]


def test_thresholds_say_where_either_network_is_ahead():
    rows = [
        *pair(0.5, 0.9, 0.8), *pair(1.0, 0.3, 0.3 + 1e-12), *pair(1.5, 0.25, 0.3),
        *pair(2.0, 0.2, 0.3), *pair(2.5, None, None),
    ]  # fmt: skip
    (text,) = threshold_findings(pa.Table.from_pylist(rows))
    assert "At 1 of 4 points of 1 panel F_exp alone is positive on D1 and zero on D0 with" in text
    assert "are 0.275 and 0.300." in text
    assert "at 1 the two are equal, within 1e-9, and F_lin is ahead at 2: by" in text
    assert "All 3 of these lie outside" in text
    assert "0.100 (p, n = 10, d = 4, m = 3, a1 = 2.0), by 0.050 (p, n = 10, d = 4, m = 3" in text
    assert "F_lin comes to 0.800 at most (p, n = 10, d = 4, m = 3, a1 = 0.5, an end of its" in text
    assert "At 1 further point float64 does not tell the best threshold." in text
    assert "softmax regression" not in text
    (text,) = threshold_findings(pa.Table.from_pylist(pair(1, 0.5, 0.25, model="regression")))
    assert "At 1 of 1 point of 1 panel" in text
    assert "and F_lin is ahead at 0. On" in text
    assert "At the 1 point of softmax regression all entries of Ax but the special one are" in text
    assert threshold_findings(pa.Table.from_pylist(pair(1, None, None))) == []


def test_points_where_softmax_is_not_ahead_may_all_lie_outside_the_definition():
    inside = pair(0.7, 0.9, 0.8, a0=0.05)
    outside = [*pair(0.6, 0.3, 0.3, a0=0.05), *pair(0.8, 0.2, 0.3, a0=0.1)]
    (text,) = threshold_findings(pa.Table.from_pylist([*inside, *outside]))
    assert "All 2 of these lie outside the datasets' definition" in text
    (text,) = threshold_findings(pa.Table.from_pylist([*inside, *pair(0.9, 0.2, 0.3, a0=0.05)]))
    assert "lie outside" not in text


def test_thresholds_of_other_networks_are_left_out():
    """Of F_exp and F_lin it speaks wherever both are, whatever else stands beside them."""
    rows = [
        *pair(0.5, 0.9, 0.8), *pair(1.0, 0.3, 0.4),
        *[row | {"network": "power_2", "p_best": p} for row, p in zip(
            [pair(0.5, 0, 0)[0], pair(1.0, 0, 0)[0]], (0.99, None), strict=True)],
        *[row | {"panel": "q"} for row in pair(0.5, 0.9, 0.8) if row["network"] == "exp"],
    ]  # fmt: skip
    (text,) = threshold_findings(pa.Table.from_pylist(rows))
    assert "At 1 of 2 points of 1 panel F_exp alone" in text
    assert "F_lin is ahead at 1: by 0.100" in text
    assert "float64" not in text
    assert "Medians, which are a matter of the grids, are 0.600 and 0.600." in text
    assert threshold_findings(pa.Table.from_pylist(rows[4:])) == []


def test_points_of_a_map_of_thresholds_are_told_apart():
    """Two swept parameters: the first has one value at many points."""
    rows = [*pair(0.5, 0.9, 0.8, c=0.5), *pair(0.5, 0.9, 0.2, c=0.6)]
    assert "At 2 of 2 points of 1 panel" in threshold_findings(pa.Table.from_pylist(rows))[0]


def common(value, paper, best, marked=True):
    own, low, high = paper[0], *best[1:]
    row = {"panel": "p", "parameter": "a1", "value": value}
    return [
        row | {"kind": "paper", "theta": own, "p_exact": paper[1], "reconstructed": marked},
        row | {
            "kind": "best", "theta": low and (low + high) / 2, "p_exact": best[0],
            "theta_low": low, "theta_high": high,
        },
        row | {"kind": "map", "theta": 0.1, "p_exact": 0.99},
    ]  # fmt: skip


def test_a_common_threshold():
    rows = [
        *common(1.0, (0.9, 0.2), (0.8, 1.0, 1.2)), *common(2.0, (0.9, 0.3), (0.4, 0.5, 0.7)),
        *common(3.0, (0.9, 0.6), (0.6, 0.8, 1.2), marked=False),
        *common(4.0, (0.9, 0.6), (None, None, None)),
    ]  # fmt: skip
    (text,) = theta_findings(pa.Table.from_pylist(rows, schema=theta.SCHEMA))
    assert "Over 3 points of 1 panel of attention, the median of P(E_success) is 0.300 at" in text
    assert "and 0.600 where each point has the best one" in text
    assert (
        "own comes within 0.001 of it at 1 of them; a panel's median loss is 0.100 (p) to" in text
    )
    assert "never falls" not in text
    assert "lies above it at 1 (by 0.10 √log n in median) and below it at 1 (by 0.20" in text
    assert "Most is lost in p at a1 = 1: 0.200 instead of 0.800." in text
    assert text.endswith("reconstructed at 2 of the points.")
    wider = [row | {"parameter": "m"} for row in rows[:9]]
    (text,) = theta_findings(pa.Table.from_pylist(wider, schema=theta.SCHEMA))
    assert "never falls" not in text
    (text,) = theta_findings(pa.Table.from_pylist(wider[3:], schema=theta.SCHEMA))
    assert "At the best one P(E_success) never falls with m (p)." in text
    rows = common(1.0, (0.9, 0.2), (None,) * 3)
    assert theta_findings(pa.Table.from_pylist(rows, schema=theta.SCHEMA)) == []
