"""All laws at the default data: each agrees, and each would differ if its prediction were wrong, or
its number just outside its tolerance; and their table."""

import math
from collections import Counter
from dataclasses import replace
from html import escape
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import CONFIG

from attention_separation.__main__ import run_job
from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.verdicts import separates
from attention_separation.attention.kernels import exponential
from attention_separation.results.tables import read_parquet
from attention_separation.studies.any_attention.laws import law_table
from attention_separation.studies.any_attention.laws.law import (
    EITHER,
    LARGEST_ERROR,
    LAW_COLUMNS,
    ClaimKind,
)
from attention_separation.studies.any_attention.laws.law_table import (
    CHANGES,
    COUNTS,
    LAWS,
    SCHEMA,
    about,
    judge_laws,
)
from attention_separation.studies.any_attention.laws.mixture import Mixture
from attention_separation.studies.any_attention.laws.probability import SAME_P
from attention_separation.studies.any_attention.laws.temperature import N_OF_TEMPERATURES
from attention_separation.studies.any_attention.laws.temperature import SCHEMA as TEMPERATURES
from attention_separation.studies.any_attention.settings import Data, KernelsJob

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
(POLYNOMIALS,) = (law for law in LAWS if law.name == "polynomials")


MOST_OF_A_LAW = {"Taylor sums": 12, "weight budget": 24}
"""Claims of a law, where others take as long: of the first kernels, in all layers."""


@pytest.fixture(scope="module")
def claims():
    return {law.name: list(islice(law.claims(DATA), MOST_OF_A_LAW.get(law.name))) for law in LAWS}


def wrong(claim):
    """Its prediction ten times its tolerance off, or what it says is so or not flipped."""
    if claim.tolerance == EITHER:
        return replace(claim, predicted=1 - claim.predicted)
    off = 10 * (claim.tolerance or 1e-9) * (abs(claim.measured) or 1.0)
    return replace(claim, predicted=claim.predicted + off)


@given(law=st.sampled_from([*LAWS]))
def test_a_law_agrees_and_can_fail(law, claims):
    applicable = [claim for claim in claims[law.name] if claim.verdict != "not applicable"]
    assert applicable
    for claim in applicable:
        assert claim.verdict == "agrees", claim
        assert wrong(claim).verdict == "differs", claim
        if claim.kind == "number":
            # No number is none against none.
            assert claim.predicted, claim
            assert math.isfinite(claim.predicted), claim
            assert claim.measured, claim


@given(law=st.sampled_from([*LAWS]))
def test_a_number_just_outside_differs_and_one_just_inside_agrees(law, claims):
    for claim in claims[law.name]:
        is_number = claim.kind != ClaimKind.STATEMENT and claim.holds
        if not is_number or claim.predicted in (0, math.inf):
            continue
        assert 0 <= claim.tolerance <= LARGEST_ERROR
        if law.error_term == SAME_P:
            other = replace(claim, measured=claim.predicted * (1 + 1e-9))
            assert other.verdict == "differs"
        for sign in (-1, 1):
            # Relative to what is measured.
            inside = claim.predicted / (1 + sign * 0.999 * claim.tolerance)
            outside = claim.predicted / (1 + sign * (1.001 * claim.tolerance + 1e-12))
            assert replace(claim, measured=inside).verdict == "agrees"
            assert replace(claim, measured=outside).verdict == "differs"


def test_of_most_claims_the_conditions_are_met(claims):
    verdicts = [claim.verdict for each in claims.values() for claim in each]
    assert verdicts.count("not applicable") < 0.1 * len(verdicts)


def test_every_law_is_judged_in_every_row(claims, monkeypatch):
    laws = (replace(law, predictions=lambda _, law=law: iter(claims[law.name])) for law in LAWS)
    monkeypatch.setattr(law_table, "LAWS", tuple(laws))
    rows = judge_laws(DATA)
    assert len(rows) == sum(map(len, claims.values()))
    assert {row["law"] for row in rows} == {law.name for law in LAWS} == set(claims)
    keys = ("law", "kernel", "model", "attention_x", "at", "quantity")
    assert len({tuple(row[name] for name in keys) for row in rows}) == len(rows)


def test_other_data_are_judged_only_where_the_laws_were_derived():
    few = DATA.model_copy(update={"classes": 3})
    for law in LAWS:
        if law.name not in ("all weight on one token", "another X"):
            assert next(law.claims(few)).verdict == "not applicable", law.name


TAKING_SHARES = {
    "polynomials", "Taylor sums", "exponentials", "critical temperature", "least degree",
    "critical bias", "weight budget", "gap of scores", "minus the mean",
}  # fmt: skip


def test_another_law_would_be_found_out(monkeypatch):
    """Shares a tenth smaller: every law that takes them differs somewhere."""
    found = Mixture.probabilities
    monkeypatch.setattr(
        Mixture, "probabilities", lambda self, share, *of: found(self, share / 1.1, *of)
    )
    for law in LAWS:
        if law.name in TAKING_SHARES:
            assert any(claim.verdict == "differs" for claim in law.claims(DATA)), law.name


@pytest.fixture(scope="module")
def table(claims, tmp_path_factory):
    """That of one law, and its file."""
    judged = replace(POLYNOMIALS, predictions=lambda _: iter(claims[POLYNOMIALS.name]))
    job = KernelsJob(data=DATA).canonical()
    output = tmp_path_factory.mktemp("laws") / "kernel_laws.parquet"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(law_table, "LAWS", (judged,))
        run_job("studies.any_attention.laws.law_table", "--settings", job, "--output", str(output))
    return read_parquet(output, SCHEMA), output


def test_each_row_has_what_the_law_says_and_the_page_has_it_once(table):
    found, output = table
    rows = found.to_pylist()
    assert {row["statement"] for row in rows} == {POLYNOMIALS.statement}
    page = output.with_suffix(".html").read_text()
    assert page.count("separates up to n = C r^p.") == 1
    assert escape(POLYNOMIALS.error_term) in page
    assert all(f"<th>{name}</th>" not in page for name in LAW_COLUMNS)
    assert POLYNOMIALS.condition in output.with_suffix(".csv").read_text()
    _, law = about(found).splitlines()
    assert law == (
        f"polynomials (13 agree, 8 not applicable): {POLYNOMIALS.statement} Needs: "
        f"{POLYNOMIALS.condition} Error term: {POLYNOMIALS.error_term}"
    )


# The tables of other data, and of critical temperatures.


def test_claims_are_counted_by_law_kind_and_verdict(monkeypatch):
    """Of made-up claims at each of the other data."""
    judged = []

    def judge(data):
        judged.append(data)
        kinds = [("last", "number", COUNTS[len(judged) % 4]), ("first", "statement", "agrees")]
        kinds += [("last", "number", "agrees")] * len(judged)
        return [dict(zip(("law", "kind", "verdict"), kind, strict=True)) for kind in kinds]

    monkeypatch.setattr(law_table, "judge_laws", judge)
    rows = law_table.elsewhere_table(DATA).to_pylist()
    assert judged == [DATA.model_copy(update=change) for change in CHANGES]
    for k, (last, first) in enumerate(zip(rows[::2], rows[1::2], strict=True), start=1):
        assert (last["law"], first["law"], first["data"]) == ("last", "first", last["data"])
        counts = Counter([COUNTS[k % 4], *["agrees"] * k])
        assert {verdict: last[verdict] for verdict in COUNTS} == {v: counts[v] for v in COUNTS}
        assert [first[verdict] for verdict in COUNTS] == [verdict == "agrees" for verdict in COUNTS]


JOB = CONFIG.studies()["any_attention"].results["kernels_sharpness"].settings
GAMMA = (1.48, 2.64, 1.2)


def ssmax(s, fixed):
    """Of scores x / log n, those of tokens of a fixed size, or of scores as they are."""
    return exponential("", "", lambda seen: np.sqrt(seen.d) / (s if fixed else s * seen.log_n), "")


def test_the_table_of_critical_temperatures(tmp_path):
    output = tmp_path / "temperature.parquet"
    words = ["--settings", JOB.canonical(), "--output", str(output)]
    run_job("studies.any_attention.laws.temperature", *words)
    rows = read_parquet(output, TEMPERATURES).to_pylist()
    assert [row["n"] for row in rows] == [*N_OF_TEMPERATURES] * 3
    layers = [layer for layer in LAYERS for _ in N_OF_TEMPERATURES]
    for row, layer in zip(rows, layers, strict=True):
        at = layer, JOB.data, np.array([row["n"]])
        for scale, fixed in (("s_fixed_tokens", True), ("s_paper_tokens", False)):
            for factor in (1 - 1e-6, 1 + 1e-6):
                assert separates(ssmax(factor * row[scale], fixed), *at)[0] == (factor > 1)
        assert math.isclose(row["limit"], 1 / GAMMA[LAYERS.index(layer)])
        assert row["beta"] < row["limit"]
