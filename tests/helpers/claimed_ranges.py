"""The ranges that claims are held to: which they are, and that no number beyond one agrees."""

import math
from dataclasses import replace

import pytest

from attention_separation.results import claims
from attention_separation.statistics.claims import Comparison, Estimate, Verdict


def comparisons_of(claim, evidence, module=claims) -> list[Comparison]:
    """All comparisons that a claim is judged on, by the `judge` that the module calls."""
    seen = []

    def record(comparisons, *more):
        seen.extend(comparisons)
        return judge(seen, *more)

    judge = module.judge
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "judge", record)
        claim.row(evidence)
    return seen


def check_ends(comparison: Comparison) -> None:
    """That a number just inside each end of the range agrees, and one just outside differs."""
    for end, outwards in ((comparison.least, -1), (comparison.most, 1)):
        if math.isinf(end):
            continue
        by = outwards * min(max(1e-9 * abs(end), 1e-13), (comparison.most - comparison.least) / 4)
        for step, verdict in ((-by, Verdict.AGREES), (by, Verdict.DIFFERS)):
            exact = replace(comparison, measured=Estimate.exactly(end + step), far=None)
            assert exact.verdict == verdict, (comparison.name, end + step)
