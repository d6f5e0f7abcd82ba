"""What is said of the constructions: every number is one of a table's."""

import pytest
from attention_separation.head_rank.pages.construction_findings import (
    features_findings,
    temperature_findings,
    vote_findings,
)
from rank_cells import table_of

from attention_separation.head_rank.claims.construction_claims import published_curve
from attention_separation.head_rank.constructions import features, temperature, vote

FACT_1 = {
    "construction": "fact_1", "distribution": "uniform", "d": 8, "n": 2, "temperature": 100.0,
    "draws": 2000, "error": 0.5, "ci_low": 0.4, "ci_high": 0.6,
}  # fmt: skip


FACT_3 = {"construction": "fact_3", "d": 8, "b_1": 0.5, "b_2": 0.0, "error": 0.0}


def test_the_sentence_on_fact_1_has_exact_values_and_sampled_ones_with_their_interval():
    (said,) = temperature_findings(
        table_of(
            temperature.SCHEMA,
            FACT_1 | {"error_exact": 0.01, "error_law": 0.0102},
            FACT_1 | {"d": 64, "error_exact": 0.03, "error_law": 0.03},
            FACT_1 | {"temperature": 10.0, "error_exact": 0.9, "error_law": 0.99},
            FACT_1 | {"n": 16, "distribution": "orthogonal", "error_law": 0.7},
            FACT_1 | {"n": 16, "error_law": 0.55},
        )
    )
    assert "At c = 100 in K Qᵀ = cI it is 0.01 to 0.03 for N = 2 at d = 8 and 64, by quad" in said
    assert "and 0.5 (95 % interval 0.4 to 0.6, 2,000 draws) for N = 16 independent points" in said
    assert "differs by up to 2 % for N = 2 and gives 0.55 for N = 16" in said
    (said,) = temperature_findings(
        table_of(temperature.SCHEMA, FACT_1 | {"error_exact": 0.01, "error_law": 0.01})
    )
    assert "it is 0.01 for N = 2 at d = 8, by quadrature. The law" in said
    assert "interval" not in said


def test_the_sentence_on_fact_3_has_the_range_of_the_texts_error_with_its_d_and_b():
    rows = [
        FACT_3 | {"added": "-b/2", "error_exact": 0.0},
        FACT_3 | {"added": "-b/2", "error_exact": 0.0, "d": 64},
        FACT_3 | {"added": "+b", "error_exact": 0.987},
        FACT_3 | {"added": "+b", "error_exact": 1.84, "d": 64},
        FACT_3 | {"added": "+b", "error_exact": 0.215, "b_1": 0.1},
        # Not of the hardmax head.
        FACT_3 | {"added": "+b", "error_exact": 0.1, "temperature": 1.0},
        FACT_3 | {"added": "-b/2", "error_exact": 0.1, "temperature": 1.0},
    ]
    (said,) = temperature_findings(table_of(temperature.SCHEMA, *rows))
    assert "adds −b/2 to the scores is Equation 8 itself (checked in 2 cases of d and b)." in said
    assert "0.215 (d = 8, b = (0.1, 0)) to 1.84 (d = 64, b = (0.5, 0)), by quadrature" in said
    assert "read here in translation" in said
    worse = FACT_3 | {"added": "-b/2", "error_exact": 0.0, "error": 0.25}
    (said,) = temperature_findings(table_of(temperature.SCHEMA, *rows, worse))
    assert "has error 0 to 0.25 (checked in 3 cases of d and b)" in said
    (said,) = temperature_findings(table_of(temperature.SCHEMA, rows[0], rows[2]))
    assert "(checked in 1 case of d and b)" in said
    assert "d and b: 0.987 (d = 8, b = (0.5, 0)), by quadrature" in said
    assert temperature_findings(table_of(temperature.SCHEMA)) == []


def test_the_sentence_on_the_vote_is_on_the_largest_dimension():
    row = {"series": "heads_needed", "d": 64}
    (text,) = vote_findings(
        table_of(
            vote.SCHEMA,
            row | {"epsilon": 0.1, "heads": 6147},
            row | {"epsilon": 0.3, "heads": 601},
            row | {"epsilon": 0.3, "heads": 5, "d": 4},
        )
    )
    assert "At d = 64" in text
    assert "601 for 0.3 (0.85 times d/ε²) and 6,147 for 0.1 (0.96 times d/ε²)" in text
    assert "the second layer takes d heads" in text
    assert "the proof is not in the text that was read" in text


def test_the_sentences_on_random_heads():
    best = {"law": "compromise", "quantity": "best", "d": 8, "heads": 4}
    as_published = {"law": "published", "d": 8, "draw": 0, "heads": 4}
    wide = as_published | {"d": 16, "heads": 2}
    first, second = features_findings(
        table_of(
            features.SCHEMA,
            best | {"draw": 0, "error": 0.3}, best | {"draw": 1, "error": 0.5},
            # As many heads for each d as all have.
            best | {"draw": 0, "heads": 8, "error": 0.9}, best | {"d": 16, "draw": 0, "error": 0.7},
            best | {"law": "independent", "draw": 0, "error": 0.8},
            as_published | {"quantity": "reported", "error": 0.12},
            as_published | {"quantity": "attained", "error": 0.34},
            wide | {"quantity": "reported", "error": 0.2},
            wide | {"quantity": "attained", "error": 0.204},
        )
    )  # fmt: skip
    # Of two draws Student's interval reaches 12.706 standard errors of 0.1.
    assert "4 heads have these errors: where the cosine of q and k is uniform, the law of" in first
    assert "0.400 (-0.871 to 1.671, 2 draws) at d = 8, 0.700 (1 draw) at d = 16; where q" in first
    assert "and k are independent, 0.800 (1 draw) at d = 8." in first
    assert "The largest gap of 2 points is one draw's: at d = 8 and 4 heads" in second
    assert "reports 0.120, its weights have 0.340, the best weights of unit heads 0.400" in second
    assert "at d = 16 it reports 0.004 to 0.004 less than its weights have." in second


def test_the_published_curve_reports_less_than_its_weights_have():
    row = {"law": "published", "d": 8, "draw": 0}
    shown = [
        row | {"heads": heads, "quantity": quantity, "error": error}
        for heads, quantity, error in (
            (2, "reported", 0.5), (2, "attained", 0.505), (4, "reported", 0.1),
            (4, "attained", 0.3), (8, "reported", 0.5), (8, "attained", 0.1),
        )
    ]  # fmt: skip
    found = published_curve(shown)
    assert (found["verdict"], found["comparisons"]) == ("agrees", 3)
    assert found["decided_at"] == "d=8, H=4, 0.100 reported for 0.300, the largest of 3"
    assert found["measured"] == pytest.approx(0.2)
    # More than the weights have is no smaller error.
    assert published_curve(shown[:2] + shown[4:])["verdict"] == "differs"
    assert published_curve([])["verdict"] == "not run"
