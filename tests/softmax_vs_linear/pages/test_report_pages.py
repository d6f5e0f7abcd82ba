"""Pages and captions of the report: every number is one of the tables'."""

from pathlib import Path

import pyarrow as pa
import pytest
from attention_separation.pages.captions import Caption, caption_html, caption_rst
from attention_separation.softmax_vs_linear.pages.captions import audit_caption, panels_caption
from attention_separation.softmax_vs_linear.pages.findings import findings
from attention_separation.softmax_vs_linear.pages.overview import panels_overview, tables_of_panels
from attention_separation.softmax_vs_linear.pages.panel_findings import success_findings
from docutils.core import publish_parts
from making import STUDY, contest, panel

from attention_separation.results.result import FIGURE, TABLE, Output, outputs_of
from attention_separation.results.tables import TableError
from attention_separation.softmax_vs_linear.audits import theta
from attention_separation.softmax_vs_linear.pages import labels as labels_module
from attention_separation.softmax_vs_linear.pages.labels import labels
from attention_separation.softmax_vs_linear.settings.section import RULE_NAME

RESULTS = Path("results")
P = panel("cross_attention", {"m": [1, 2, 4]}, n=40, d=11, a0=0.0, a1=1.2)
Q = P.with_more(name="q", reconstructed=["theta", "m"], notes=["V the identity*", "not marked"])


def numbers(panel="p", parameter="m", values=(1.0, 2.0, 4.0), rates=(0.2, 0.5, 0.9), error=0.0):
    """A figure's numbers: exact values 0.1 above the simulated, intervals of 0.15 to either side,
    but for the last one, which does not reach."""
    rows = [
        {
            "panel": panel, "parameter": parameter, "value": value, "trials": 1000, "p_hat": rate,
            "p_exact": rate + 0.1, "ci_low": rate - 0.15, "p_error": error,
            "ci_high": rate + (0.05 if k == len(rates) - 1 else 0.15), "a1": value, "tau": 9.0,
            "prob_f_exp_d1_positive": 0.5,
        }
        for k, (value, rate) in enumerate(zip(values, rates, strict=True))
    ]  # fmt: skip
    return pa.Table.from_pylist(rows)


def figure(name: str) -> Output:
    """A figure of the first study, as it declares it."""
    (found,) = (o for _, o in outputs_of(STUDY.results) if (o.kind, o.name) == (FIGURE, name))
    return found


def as_page(rst: str) -> str:
    return publish_parts(rst, writer="html")["body"]


def test_the_caption_of_panels():
    table = pa.concat_tables([numbers(), numbers("q", "a1,theta", (0.5, 1.5), (0.3, 0.3))])
    verdicts = {"p": {"verdict": "agrees"}, "q": {"verdict": "undecided"}}
    caption = panels_caption("Title", table, [P, Q], verdicts)
    text = " ".join(caption.sentences)
    assert "2 panels with 5 points of 1,000 trials each" in text
    assert "Red: exact values." in text
    assert "Of the 5 intervals, 3 (60.0 %) hold the exact value" in text
    assert "differ by 0.100 on average, and by 0.100 at most (in p)" in text
    assert "exact values: 1 agree, 1 undecided." in text
    assert "does not state it: m, τ/√log n, V the identity." in text
    first, second = caption.parts
    assert "**p** sweeps m from 1 to 4, 3 points: success rate 0.200 to 0.900" in first
    assert "exactly 0.300 to 1.000, best at 4 and worst at 1; mean 0.533, exactly 0.633" in first
    assert first.endswith(": agrees.")
    assert "sweeps a1 from 0.5 to 1.5 and τ/√log n, 2 points" in second
    assert "best at" not in second
    assert "success:" not in text


def test_the_caption_of_panels_says_whose_contest_is_not_the_papers():
    table = pa.concat_tables([numbers(), numbers("q"), numbers("r")])
    others = [Q.with_more(name=name, contest=contest("exp", "hardmax")) for name in "qr"]
    text = " ".join(panels_caption("T", table, [P, *others], {}).sentences)
    assert (
        "In q and r, success: F_exp positive on D1 and zero on D0; F_hardmax zero on both." in text
    )
    assert "In p" not in text


def test_a_caption_with_reference_values_and_no_verdicts():
    caption = panels_caption("T", numbers(error=1.3e-6), [P], {})
    text = " ".join([*caption.sentences, *caption.parts])
    assert "reference values, with an estimated error of at most 2e-6" in text
    assert "exact" not in text
    assert "Verdicts" not in text
    assert "1 panel with 3 points" in text


def test_the_caption_of_maps():
    rows = [
        {"map": "one", "parameter": "n,d", "n": 10, "d": 3, "p_exact": 0.95},
        {"map": "one", "parameter": "n,d", "n": 20, "d": 3, "p_exact": 0.05},
    ]
    caption = audit_caption("phase", pa.Table.from_pylist(rows), {"two": contest("linear")})
    assert "success:" not in " ".join(caption.sentences)
    (part,) = caption.parts
    assert part == (
        "**one**: n from 10 to 20 and d from 3 to 3; at least 0.9 at 50 % and at most 0.1 at 50 % "
        "of 2 points, at most 0.950."
    )
    caption = audit_caption("phase", pa.Table.from_pylist(rows), {"one": contest("linear")})
    assert "In one, success: F_lin positive on D1 and zero on D0." in caption.sentences


def test_the_caption_of_maps_over_the_threshold_names_what_is_reconstructed():
    def rows(panel, marked):
        row = {"panel": panel, "parameter": "m", "value": 1.0, "theta": 0.9, "p_exact": 0.5}
        best = {"kind": "best", "theta_low": 0.8, "theta_high": 1.0}
        return [row | {"kind": "paper", "reconstructed": marked}, row | best]

    def caption(*marked):
        listed = [row for name, mark in marked for row in rows(name, mark)]
        table = pa.Table.from_pylist(listed, schema=theta.SCHEMA)
        return " ".join(audit_caption("theta", table, {"q": contest("linear", "exp")}).sentences)

    text = caption(("p", True), ("q", False), ("r", True))
    assert "in 3 panels of attention" in text
    assert "Theta itself is reconstructed in p, r. In the figure, an asterisk is on" in text
    assert "In q, success: F_lin positive on D1 and zero on D0; F_exp zero on both." in text
    assert "Theta itself" not in caption(("q", False))
    assert "success: F" not in caption(("p", False))


def test_captions_as_html_and_rst_say_the_same():
    caption = Caption("A < B", ["One *.", "Two."], ["**p** three"])
    assert caption_html(caption).startswith("<p><b>A &lt; B.</b> One *. Two.</p><ul><li><b>p</b>")
    page = as_page(caption_rst(caption))
    for words in ("<strong>A &lt; B.</strong>", "One *.", "<strong>p</strong> three"):
        assert words in page
    assert "system-message" not in page


def test_success_counts_points():
    p_exact = [0.95, 0.9, 0.6, 0.1, 0.0]
    table = pa.table({"p_exact": p_exact, "prob_f_exp_d1_positive": [1.0] * 5})
    (text,) = success_findings([table])
    assert "at least 0.9 at 2 of the 5 points shown, of at least 0.5 at 3" in text
    assert "of at most 0.1 at 2" in text
    assert "median is 0.600" in text
    assert success_findings([]) == []
    # Of another contest, alone or beside the paper's in a figure.
    others = pa.table({"p_exact": p_exact, "prob_exp_d1_positive": [1.0] * 5})
    nulls = others.append_column("prob_f_exp_d1_positive", pa.nulls(5, pa.float64()))
    assert success_findings([others]) == success_findings([nulls]) == []
    assert success_findings([others, table, nulls]) == [text]


def test_tables_that_are_not_made_say_nothing():
    assert findings({}, []) == []
    whp = {"panel": "fig4a", "event": "f_exp_d1_positive", "points": 8, "points_whp": 3}
    whp["points_undecided"] = 0
    (text,) = findings({"whp": pa.Table.from_pylist([whp])}, [])
    assert "3 of 8" in text


def test_a_panel_in_two_figures_counts_once():
    tables = [numbers(), numbers(), numbers("q")]
    panels = tables_of_panels(tables)
    assert {name: len(table) for name, table in panels.items()} == {"p": 3, "q": 3}
    regression = panel("regression", {"n": [10]}, "q", m=3)
    marked = regression.with_more(reconstructed=["m", "tau"], notes=["V*", "W"])
    table = panels_overview(panels, {"p": P, "q": marked}, {})
    assert table["panel"].to_pylist() == ["p", "q"]
    assert table["model"].to_pylist() == ["cross-attention", "regression"]
    assert table["verdict"].to_pylist() == ["not judged yet"] * 2
    assert table["largest computed"].to_pylist() == [1.0, 1.0]
    assert table["reconstructed"].to_pylist() == ["", "m, tau; V"]


def test_exact_and_reference_values_are_told_apart():
    panels = {"p": numbers(), "q": numbers("q", error=1e-6)}
    table = panels_overview(panels, {"p": P, "q": Q}, {"q": {"verdict": "agrees"}})
    assert table["computed"].to_pylist() == ["exactly", "reference"]
    assert table["verdict"].to_pylist() == ["not judged yet", "agrees"]


def test_labels_of_figures(monkeypatch):
    made = {"fig4a": {"verdict": "agrees"}, "fig4b": {"verdict": "undecided"}}
    monkeypatch.setattr(labels_module, "verdicts_made", lambda config, folder: made)
    assert labels(STUDY, Output(FIGURE, "fig4", panels=("fig4a", "fig4b")), RESULTS) == {
        "figure": "fig4", "model": "self-attention", "swept": "n, d",
        "verdict": "1 agree, 1 undecided",
    }  # fmt: skip
    assert labels(STUDY, figure("fig4a"), RESULTS)["verdict"] == "agrees"
    assert labels(STUDY, figure("fig7a"), RESULTS)["verdict"] == "not judged"
    assert labels(STUDY, figure("fig7a"), RESULTS)["swept"] == "n*"
    audits = [
        output for output in STUDY.shown_outputs() if output.kind is not TABLE and not output.panels
    ]
    assert len(audits) == 4
    assert {len(labels(STUDY, output, RESULTS)) for output in audits} == {4}
    (claims,) = (output for output in STUDY.shown_outputs() if output.name == "claims")
    assert labels(STUDY, claims, RESULTS) == {"table": "claims of the paper"}


def test_verdicts_of_other_settings_are_no_labels(monkeypatch):
    def refuse(config, folder):
        raise TableError("made with other settings than these")

    monkeypatch.setattr(labels_module, "verdicts_made", refuse)
    assert labels(STUDY, figure("fig4a"), RESULTS)["verdict"] == "not judged"


@pytest.mark.parametrize("name", ["overview", "provenance", "report", "rank_fig1"])
def test_no_panel_takes_a_rules_name(name):
    assert RULE_NAME.fullmatch(name)
