"""Every part of every lemma is in the table, at every size, in words, and with where it comes from;
formulas and settings."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from claim_cases import JOB, SETTINGS
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from attention_separation.studies.lemmas import tensor_trick
from attention_separation.studies.lemmas.claim import formula, setting_of
from attention_separation.studies.lemmas.claims_table import ABOUT, SCHEMA, all_claims, page
from attention_separation.studies.lemmas.origins import ORIGINS_BY_PATTERN, Source, origin
from attention_separation.studies.lemmas.settings import ClaimsJob
from attention_separation.studies.softmax_vs_linear.models import MODELS

SLOW = ("d_tenth", "d_log")
PATHS = ("d_fixed", "d_sqrt", "d_quarter", *SLOW)


def _ids() -> list[str]:
    """Every part of the paper's lemmas, written down independently of the code."""
    text = """
    A.1 A.1.columns C.3 C.5 3.1 4.1.P1 4.1.P2 4.2.P1 4.2.P1.sqrt 4.2.P2 4.2.P3 5.1 5.2 5.3 5.4
    5.1.m 5.2.m 5.3.m 5.4.m
    4.1.P1.entries 4.1.P2.entries 4.2.P1.entries 4.2.P2.special 4.2.P2.others 4.2.P2.sum
    D.3.P1 D.3.P2.one D.3.P2.rest D.3.P3 D.3.P4 D.3.P5 D.3.P6
    D.7.P1 D.7.P2.one D.7.P2.rest D.7.P3 D.7.P4 D.7.P5.one D.7.P5.rest D.7.P6
    D.4.P1 D.4.P2 D.8.P1 D.8.P2 D.12.P1 D.12.P2 D.16.P1 D.16.P2
    D.5 D.9 D.13 D.17 1.1 1.2 6.2 6.2.printed
    D.2.P3a.from-0.7 E.1.P3a.from-0.7 E.1.P3a.from-1 F.2.P3a.from-0.7 F.2.P3a.from-1
    E.1.P1a E.1.P1b.own E.1.P1b.rest E.1.P2.own E.1.P2.rest E.1.P3a E.1.P3b E.1.P4.own E.1.P4.rest
    E.2.P1 E.2.P2.one E.2.P2.rest E.2.P3 E.2.P4 E.2.P5 E.2.P6 E.3.P1 E.3.P2 E.4
    F.3.P1 F.3.P2.one F.3.P2.rest F.3.P3 F.3.P4 F.7.P1 F.7.P2 F.7.P4 F.7.P5
    F.4.P1 F.4.P2 F.8.P1 F.8.P2 F.12.P1 F.12.P2 F.16.P1 F.16.P2 F.5 F.9 F.13 F.17
    """
    ids = text.split()
    for lemma in ("D.2", "D.6", "D.10", "D.14"):
        ids += [f"{lemma}.P{part}" for part in ("1a", "1b", "2a", "2b", "3a", "3b", "4a", "4b")]
        ids += [f"{lemma}.P{part}.value" for part in ("3a", "3b", "4a", "4b")]
    for lemma in ("D.11", "D.15"):
        ids += [f"{lemma}.P{part}" for part in range(1, 7)]
    for lemma in ("F.2", "F.6"):
        ids += [f"{lemma}.P{part}" for part in ("1a", "1b", "2a", "2b", "3a", "3b", "4a", "4b")]
    for lemma in ("F.10", "F.14"):
        ids += [f"{lemma}.P{part}" for part in range(1, 6)]
    for lemma in ("F.11", "F.15"):
        ids += [f"{lemma}.P{part}" for part in range(1, 5)]
    for lemma in ("D.4", "D.8", "D.12", "D.16", "E.3", "F.4", "F.8", "F.12", "F.16"):
        ids += [f"{lemma}.assumption", f"{lemma}.hoeffding"]
    for network in ("D0-exp", "D1-lin", "D0-lin"):
        ids += [f"E.{network}.{part}" for part in ("sign.P1", "sign.P2", "zero")]
        weights = "1a 1b.own 1b.rest 2.own 2.rest 3a 3b.own 3b.rest 4.own 4.rest"
        values = "1 2.one 2.rest 3 4.own 4.rest 5.own 5.rest 6"
        ids += [f"E.{network}.weights.P{part}" for part in weights.split()]
        ids += [f"E.{network}.values.P{part}" for part in values.split()]
    return ids


def test_every_part_of_the_paper_is_there_once():
    ids = [one.id for one in all_claims()]
    assert set(_ids()) <= set(ids)
    assert len(set(ids)) == len(ids)


def test_table_has_every_claim_at_every_size_and_no_empty_cell(table, by_id):
    assert table.schema.equals(SCHEMA)
    assert list(by_id) == [one.id for one in all_claims()]
    for one in all_claims():
        sizes = [(row["n"], row["d"]) for row in by_id[one.id]]
        general = one.model == "attention"
        assert sizes == ([(4, 3)] if general else JOB.sizes.of(one.model))
    of_paths = {name for name in SCHEMA.names if name.endswith(PATHS)}
    optional = {"d", "range_margin", "range_at"} | of_paths
    for row in table.to_pylist():
        judged = {"margin", "holds"} if row["relation"] == "ratio" else set()
        for name, cell in row.items():
            assert cell is not None or name in optional | judged, (row["id"], name)
            assert cell != "", (row["id"], name)
            assert not isinstance(cell, float) or math.isfinite(cell), (row["id"], name)
        assert (row["d"] is None) == (row["model"] == "regression")
        assert row["holds"] == (row["margin"] > 0 if row["relation"] != "ratio" else None)


def test_paths_say_where_a_claim_ends(by_id):
    """At the largest n: of every claim on a model, its value and bound along its model's paths, the
    slow ones if it is on scores or networks."""
    of_entries = {one.id for one in all_claims() if re.match(r"[ucf](_\w)?$|least a₁", one.left)}
    for name, rows in by_id.items():
        row = rows[0]
        general, has_d = row["model"] == "attention", row["model"] != "regression"
        for path in PATHS:
            tested = not general and (has_d or path == "d_fixed")
            tested &= path not in SLOW or name not in of_entries
            assert (row[f"value_{path}"] is not None) == tested, name
            assert (row[f"bound_{path}"] is not None) == tested, name
            start, last = row[f"from_n_{path}"], row[f"last_n_{path}"]
            assert start is None or last == pytest.approx(1e9, rel=1e-3), name
            if row["relation"] in ("equal", "ratio"):
                assert (row[f"power_{path}"] is None) == (row["relation"] == "equal" or not tested)
    assert by_id["D.3.P1"][0]["power_d_sqrt"] == pytest.approx(0, abs=1e-3)


N, A, B, C, S, T, DELTA = 200, 1.2, 0.2, 0.8, 2.3, 10.0, 0.01
LETTERS = {"n": N, "a1": A, "b": B, "c": C, "s": S, "t": T, "δ": DELTA, "d": 22}


def test_what_is_printed_is_computed(subtests):
    for text, value in [
        ("1/2", 0.5),
        ("n^((1+a₁)²)", N ** ((1 + A) ** 2)),
        ("n^(a₁²+b²+c²)", N ** (A**2 + B**2 + C**2)),
        ("n^(−(1−2a₁))", N ** -(1 - 2 * A)),
        ("n^(a₁(1+a₁)) / (n^(a₁(1+a₁)) + n − 1)", N ** (A * 2.2) / (N ** (A * 2.2) + N - 1)),
        ("b s (n^(−(1−2a₁)) + t/n)", B * S * (N ** (2 * A - 1) + T / N)),
        ("a₁(1+a₁) s / n", A * (1 + A) * S / N),
        ("(1+a₁)² log n", (1 + A) ** 2 * math.log(N)),
        ("(a₁/2) s", A / 2 * S),
        ("t √d", T * math.sqrt(22)),
        ("√(8 (1 + log 2 / log(n/δ)))", math.sqrt(8 * (1 + math.log(2) / math.log(N / DELTA)))),
        ("−1 / log 0.9", -1 / math.log(0.9)),
        ("10^(−12)", 1e-12),
        ("n⁴ / (n^1.4 (n−1) + n⁴)", N**4 / (N**1.4 * (N - 1) + N**4)),
    ]:
        with subtests.test(text=text, value=value):
            assert formula(text)(LETTERS) == pytest.approx(value, rel=1e-14)


@given(text=st.sampled_from(["", "n^", "(n", "n)", "n ! 2", "/n", "2 −"]))
def test_what_is_no_formula_is_refused(text):
    with pytest.raises(SyntaxError):
        formula(text)


def test_every_bound_that_a_table_shows_is_its_formulas():
    """The end of the printed formula, from its last sign of relation on, is what cells are held
    against."""
    for one in all_claims():
        if one.model not in MODELS:
            continue
        size = JOB.sizes.of(one.model)[0]
        setting = setting_of(JOB, *size)
        shown = one.columns()["formula"].removesuffix(one.note)
        bound = shown[max(shown.rfind(sign) for sign in "≤≥=") + 2 :].removeprefix("o")
        letters = setting.letters(MODELS[one.model])
        assert one.bound(setting) == formula(bound)(letters), one.id
        assert one.evaluate(setting).bound == one.bound(setting), one.id


def test_sizes_that_are_none_are_refused(subtests):
    for model, size, text in [
        ("self_attention", {"n": 200, "d": 21}, "nearest valid n"),
        ("cross_attention", {"n": 200, "d": 22}, "nearest valid n"),
        ("self_attention", {"n": 200, "d": 3}, "one class"),
        ("cross_attention", {"n": 200, "d": 2}, "one class"),
        ("self_attention", {"n": 20, "d": 22}, "one token in a class"),
        ("cross_attention", {"n": 20, "d": 21}, "one token in a class"),
        ("self_attention", {"n": 200, "d": 22, "m": 3}, "unknown key; allowed: n, d"),
    ]:
        sizes = SETTINGS["sizes"] | {model: [size]}
        with subtests.test(model=model, size=size), pytest.raises(ValidationError, match=text):
            ClaimsJob.model_validate(SETTINGS | {"sizes": sizes})


@pytest.mark.parametrize(("model", "d"), [("self_attention", 22), ("cross_attention", 21)])
def test_two_tokens_in_each_of_20_classes_are_allowed(model, d):
    sizes = SETTINGS["sizes"] | {model: [{"n": 40, "d": d}]}
    assert ClaimsJob.model_validate(SETTINGS | {"sizes": sizes}).sizes.of(model) == [(40, d)]


# The formulas of sections 1 to 8 and A to C survive; of D and E what Theorem 6.2 repeats.
READ_FROM_6_2 = {"1.1", "1.1.m", "D.5", "D.5.m", "D.9", "D.13", "D.17"} | {
    f"D.{k}.assumption" for k in (4, 8, 12, 16)
}


def expected_source(one):
    section = one.id.partition(".")[0]
    if one.identity and not one.id.startswith("E.D"):
        return {"A": Source.GIVEN, "C": Source.GIVEN, "F": Source.RECONSTRUCTED}.get(
            section, Source.FORCED
        )
    if section == "F" or one.id.startswith("1.2"):
        return Source.RECONSTRUCTED
    if one.id in READ_FROM_6_2:
        return Source.READ
    if one.id.startswith(("E.D", "1.1.identity")):
        return Source.OMITTED
    return Source.GUESSED if section in "DE" else Source.GIVEN


def test_sources_are_what_the_surviving_texts_allow():
    for one in all_claims():
        assert one.columns()["source"] == expected_source(one), one.id
        assert len(one.columns()["bound_from"]) > 5, one.id


def test_every_pattern_of_origins_is_of_some_claim_and_no_other_id_is_known():
    ids = [one.id for one in all_claims() if not one.identity] + ["A.1"]
    first = {next(p for p, *_ in ORIGINS_BY_PATTERN if re.fullmatch(p, name)) for name in ids}
    assert first == {pattern for pattern, *_ in ORIGINS_BY_PATTERN}
    assert {source for _, source, _ in ORIGINS_BY_PATTERN} == {*Source} - {Source.FORCED}
    with pytest.raises(LookupError, match="no origin is known"):
        origin("D.99.P1")


def test_a_bound_that_fails_at_all_sizes_is_given_only_where_the_text_gives_it(by_id):
    failing = {name for name, rows in by_id.items() if not any(row["holds"] for row in rows)}
    for name in ("D.2.P4a", "D.3.P4", "D.3.P5", "D.4.P2", "E.1.P4.own", "E.2.P4", "E.2.P5"):
        assert name in failing
        assert by_id[name][0]["verdict"] == "the guessed bound fails at every n tested"
        assert by_id[name][0]["source"] == Source.GUESSED


def test_identities_are_all_equalities_but_one():
    for one in all_claims():
        if one.relation == "equal":
            assert one.identity == (one.id != "4.2.P3"), one.id
        else:
            assert not one.identity or one.id in ("A.1", "C.3", "C.5"), one.id


def test_identities_hold_whatever_the_parameters():
    rng = np.random.default_rng(7)
    sizes = {"self_attention": [(6, 4), (12, 6), (14, 9)], "cross_attention": [(6, 3), (12, 5)]}
    for one in (one for one in all_claims() if one.identity and not one.sizes):
        for n, d in sizes[one.model]:
            a0, a1, b, c = rng.uniform(0.01, 2, 4)
            setting = replace(setting_of(JOB, n, d), a0=a0, a1=a1)
            # Several values are written for b + c = 1, as the dataset has it.
            setting = replace(setting, b=b / (b + c), c=c / (b + c))
            assert one.evaluate(setting).holds, (one.id, n, d)


def test_the_tensor_trick_needs_rows(by_id):
    for name in ("A.1", "C.3", "C.5"):
        (row,) = by_id[name]
        assert (row["n"], row["d"], row["identity"]) == (4, 3, True)
        assert row["holds"]
        assert row["value"] < 1e-13
    (row,) = by_id["A.1.columns"]
    assert not row["holds"]
    assert row["value"] > 0.1
    assert row["verdict"] == "fails at every n tested"


def test_the_tensor_trick_is_that_of_definition_a_1():
    """One entry of each side, from the definition of the Kronecker product."""
    rng = np.random.default_rng(3)
    a1, a2 = rng.standard_normal((2, 3, 2))
    x = rng.standard_normal((2, 2))
    sides = tensor_trick._vectors(tensor_trick.Draw(a1, a2, x), order="C")
    i1, i2 = 2, 1
    score = sum(a1[i1, j1] * a2[i2, j2] * x[j1, j2] for j1 in range(2) for j2 in range(2))
    assert sides.direct[i1 * 3 + i2] == pytest.approx(math.exp(score))
    assert sides.tensor[i1 * 3 + i2] == pytest.approx(math.exp(score))


def test_the_page_says_where_bounds_are_from_and_what_fails_in_the_range(table):
    rows = {row["id"]: row for row in page(table).to_pylist()}
    assert (
        rows["D.4.P2"]["source"] == f"{Source.GUESSED}\nby analogy with Lemmas D.8, D.12 and D.16"
    )
    assert rows["D.2.P1a"]["verdict"].startswith("identity: holds")
    sizes = rows["E.1.P3a"]["at the sizes tested"]
    assert "n = 200, d = 22: 0.927, at least 0.5: holds, and fails at a₁ = 0.7, b = 0.1," in sizes
    assert "and fails at" not in rows["D.2.P3a"]["at the sizes tested"]
    assert "fails, and" not in rows["D.2.P4a"]["at the sizes tested"]
    assert "n = 200, d = 22: 46.9 against 190\n" in rows["D.4.assumption"]["at the sizes tested"]
    assert "conditions on the parameters are lost" in rows["E.4"]["claim"]
    assert all(f"{source}: " in ABOUT for source in Source)
