"""Laws of kernels that hear the special token boundedly."""

from attention_separation.any_attention.laws.bounded import BOUNDED_LAWS
from attention_separation.any_attention.settings.jobs import Data

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)


def test_some_weights_are_in_vain_and_some_are_not():
    (law,) = (law for law in BOUNDED_LAWS if law.name == "weight in vain")
    claims = list(law.claims(DATA))
    assert {claim.predicted for claim in claims} == {0.0, 1.0}
    some = {(claim.kernel, claim.at) for claim in claims if claim.measured}
    assert ("cosine_softmax_10", 200_000) in some
    assert ("cosine_softmax_10", 10**7) not in some


def test_of_few_classes_levels_that_move_by_order_1_may_separate():
    (law,) = (law for law in BOUNDED_LAWS if law.name == "bounded feature maps")
    few = DATA.model_copy(update={"a1": 1.76, "b": 0.39, "c": 1.2, "classes": 6})
    claims = [claim for claim in law.claims(few) if claim.kernel == "hedgehog"]
    separates = [claim.verdict for claim in claims if claim.measured == 1.0]
    assert separates
    assert set(separates) == {"not applicable"}
    # Of a function of scores they do not move.
    relu = [claim for claim in law.claims(few) if claim.kernel == "relu_features"]
    assert {claim.verdict for claim in relu} == {"agrees"}
