"""What is said of the tables of kernels beyond the story, and what is left unsaid without rows."""

import pytest
from attention_separation.any_attention.pages.findings import findings, law_findings, split_findings
from making import CONFIG

from attention_separation.any_attention.exact import splits
from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.laws.law_table import SCHEMA
from attention_separation.results.tables import table_from_rows

DATA = CONFIG.any_attention.data


def said(sentences, start):
    (found,) = (sentence for sentence in sentences if sentence.startswith(start))
    return found


def test_what_the_table_lacks_is_not_said():
    assert split_findings(table_from_rows([], splits.SCHEMA)) == []
    assert findings({}) == []


def split(kernel, layer, p_best):
    return {
        "kernel": kernel, "model": layer.model, "attention_x": layer.attention_x, "n": 2000,
        "p_best": p_best,
    }  # fmt: skip


def test_maps_that_move_with_the_split_and_maps_that_do_not():
    rows = [
        split(kernel, layer, p)
        for kernel, of in (("exp_features", (0.2, 0.7, None)), ("hedgehog", (0.300, 0.305)))
        for layer in LAYERS
        for p in of
    ]
    (found,) = split_findings(table_from_rows(rows, splits.SCHEMA))
    assert "from and to: exp_features 0.200 to 0.700 and 0.200 to 0.700. By at most" in found
    assert found.endswith("moves that of hedgehog.")


def law_row(**of):
    return {
        "law": "polynomials", "kernel": "power_2", "model": "self_attention", "quantity": "last n",
        "kind": "number", "predicted": 240.0, "measured": 220.0, "relative_difference": 20 / 220,
        "tolerance_kind": "absolute", "verdict": "agrees",
    } | of  # fmt: skip


def said_of_laws(*rows):
    return law_findings(table_from_rows(rows, SCHEMA))


@pytest.mark.parametrize("verdict", ["agrees", "differs", "undecided", "not applicable"])
@pytest.mark.parametrize("kind", ["number", "statement", "identity"])
def test_laws_that_do_not_agree_are_named(kind, verdict):
    (found,) = said_of_laws(law_row(kind=kind, verdict=verdict))
    judged = kind == "number" and verdict != "not applicable"
    assert found.startswith(f"**Laws.** Of {'1 number' if judged else '0 numbers'} predicted by")
    named = "last n 240 predicted, 220 by exact values" in found
    assert named == (verdict in ("differs", "undecided"))


def test_numbers_are_counted_apart_from_statements_and_identities():
    (found,) = said_of_laws(
        law_row(),
        law_row(verdict="not applicable"),
        law_row(law="exponents", verdict="differs", measured=None, relative_difference=None),
        law_row(law="hardmax", kind="statement", predicted=1.0, measured=1.0),
        law_row(law="cross floor", kind="identity", verdict="not applicable"),
    )
    assert "Of 2 numbers predicted by 2 laws" in found
    assert "1 agree, 1 differ. Of 1 more a law's conditions are not met." in found
    assert "that a kernel separates or does not, 1 agree; that it has" in found
    assert "probability of no attention, 1 not applicable. Not: exponents" in found
    assert "240 predicted, nothing by exact values." in found


@pytest.mark.parametrize(
    ("row", "is_said"),
    [
        ({"predicted": 2000.0}, True),
        ({"predicted": 1999.0}, False),
        ({"predicted": 2.0, "at": 2000.0}, True),
        ({"predicted": 3000.0, "at": 200.0}, False),
        ({"predicted": 3000.0, "tolerance_kind": "absolute"}, False),
        ({"predicted": 3000.0, "kind": "statement"}, False),
    ],
)
def test_how_far_off_large_n_are(row, is_said):
    given = law_row(tolerance_kind="relative", relative_difference=0.5) | row
    small = law_row(tolerance_kind="relative", predicted=3000.0, relative_difference=0.125)
    (found,) = said_of_laws(given, small)
    largest = "50.00" if is_said else "12.50"
    assert f"the largest relative difference from n = 2,000 on being {largest} %" in found


def test_what_no_law_is_known_of_counts_as_neither():
    alone = law_row(kind="measured", predicted=None, tolerance_kind=None, verdict="undecided")
    found = said_of_laws(law_row(), alone | {"kernel": "mine"}, alone | {"kernel": "other"})
    assert "Of 1 number predicted by 1 law" in found[0]
    assert "Not:" not in found[0]
    assert found[1].startswith("**No law is known** of 2 values of mine and other")
