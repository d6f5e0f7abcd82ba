"""The first paper's answer in a few sentences, each made of a table that there is."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from attention_separation.pages.prose import counted
from attention_separation.statistics.verdict_words import AGREES, DIFFERS

from ..claims.origins import GIVEN
from .claim_findings import AT_EVERY_N, FAILS, HOLDS, JOINT, PART, kind_of
from .panel_findings import probabilities_of_success
from .threshold_findings import EQUAL, both_networks, leads_of_exp, own_and_best


def story(tables: dict[str, pa.Table], exact: list[pa.Table]) -> list[str]:
    """What a reader with one minute should know; of tables that there are not, nothing is said."""
    return [
        *_success(exact, tables.get("theta")),
        *_own_thresholds(tables.get("threshold")),
        *_claims(tables.get("claims")),
        *_agreement(tables.get("verdicts")),
    ]


def _agreement(verdicts: pa.Table | None) -> Iterator[str]:
    if verdicts is None:
        return
    found, points = verdicts["verdict"].to_pylist(), sum(verdicts["points"].to_pylist())
    agree, differ = found.count(AGREES), found.count(DIFFERS)
    if agree == len(found):
        count = f"all {counted(agree, 'panel')}" if agree > 1 else "the one panel"
    else:
        count = f"{agree} of {counted(len(found), 'panel')}"
    text = (
        f"**Simulation agrees with values computed without simulation** in {count}, at "
        f"{counted(points, 'point')}"
    )
    if agree < len(found):
        text += f"; {differ} differ and {len(found) - agree - differ} are undecided"
    yield f"{text}."


def _success(exact: list[pa.Table], theta: pa.Table | None) -> Iterator[str]:
    p = probabilities_of_success(exact)
    if p:
        likely, unlikely = sum(x >= 0.9 for x in p), sum(x <= 0.1 for x in p)
        yield (
            "**Softmax tells the datasets apart while linear attention is silent**, at one "
            f"threshold for both, with a probability of at least 0.9 at {likely:,} of the "
            f"{counted(len(p), 'point')} and of at most 0.1 at {unlikely:,}."
        )
    pairs = own_and_best(theta) if theta is not None else []
    if pairs:
        own, best = (float(np.median([pair[k]["p_exact"] for pair in pairs])) for k in (0, 1))
        yield (
            f"**Much hangs on that threshold.** Over {counted(len(pairs), 'point')} "
            f"of attention that probability is {own:.3f} in median at the panels' threshold, and "
            f"{best:.3f} at the best threshold that both can share."
        )


def _own_thresholds(thresholds: pa.Table | None) -> Iterator[str]:
    known = both_networks(thresholds)[0] if thresholds is not None else []
    if not known:
        return
    leads = leads_of_exp(known)
    ahead, behind = (sum(sign * lead > EQUAL for lead in leads) for sign in (1, -1))
    yield (
        "**With a threshold of its own for each network softmax is ahead** at "
        f"{ahead:,} of {counted(len(known), 'point')}, linear attention at {behind:,}."
    )


def _claims(claims: pa.Table | None) -> Iterator[str]:
    if claims is None:
        return
    first: dict[str, dict] = {}
    for row in claims.to_pylist():
        first.setdefault(row["id"], row)
    given = [
        kind_of(row["verdict"])
        for name, row in first.items()
        if PART.fullmatch(name) and not row["identity"] and row["source"] == GIVEN
    ]
    if given:
        hold, fail = given.count(HOLDS), given.count(FAILS)
        text = (
            f"**Of {len(given)} parts of lemmas and theorems with a bound that the paper states,** "
            f"{hold} hold at all sizes tested, {len(given) - hold - fail} at some or from a larger "
            f"n on, and {fail} at none"
        )
        joint = [first[f"{name}.m"] for name in JOINT if f"{name}.m" in first]
        if joint and all(row["verdict"].endswith(AT_EVERY_N) for row in joint):
            text += (
                ". That all four events hold together with high probability fails at every n "
                "tested with the experiments' number of columns"
            )
        yield f"{text}."
