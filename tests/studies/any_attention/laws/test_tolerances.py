"""What must not agree: numbers just outside a law's tolerance; and tolerances that are too wide."""

from dataclasses import replace
from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from attention_separation.studies.any_attention.laws.law import LARGEST_ERROR, ClaimKind
from attention_separation.studies.any_attention.laws.law_table import LAWS
from attention_separation.studies.any_attention.laws.probability import SAME_P
from attention_separation.studies.any_attention.settings import Data

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
MOST_OF_A_LAW = 3


def numbers_of(law):
    """Some of a law's claims that are numbers and whose conditions are met."""
    claims = (claim for claim in law.claims(DATA) if claim.kind != ClaimKind.STATEMENT)
    return list(islice((claim for claim in claims if claim.holds), MOST_OF_A_LAW))


@given(law=st.sampled_from([*LAWS]))
def test_a_number_just_outside_differs_and_one_just_inside_agrees(law):
    for claim in numbers_of(law):
        assert 0 <= claim.tolerance <= LARGEST_ERROR
        if claim.predicted in (0, float("inf")):
            continue
        if law.error_term == SAME_P:
            other = replace(claim, measured=claim.predicted * (1 + 1e-9))
            assert other.verdict == "differs"
        for sign in (-1, 1):
            inside = claim.predicted * (1 + sign * 0.5 * claim.tolerance)
            outside = claim.predicted * (1 + sign * (3 * claim.tolerance + 1e-12))
            assert replace(claim, measured=inside).verdict == "agrees"
            assert replace(claim, measured=outside).verdict == "differs"
