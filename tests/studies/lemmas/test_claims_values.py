"""Values of claims against the literal definitions."""

from dataclasses import replace

import numpy as np
import pytest
from claim_cases import CASES, JOB, SIZES, claim, literal_attention, matches
from hypothesis import given
from hypothesis import strategies as st

from attention_separation.studies.lemmas.claim import setting_of
from attention_separation.studies.lemmas.claims_table import all_claims
from attention_separation.studies.lemmas.lemma import Case
from attention_separation.studies.softmax_vs_linear.models.attention import SELF_ATTENTION_MODEL
from attention_separation.studies.softmax_vs_linear.models.contest import IN_THE_PAPER


@given(case=st.sampled_from([*CASES]))
def test_u_f_and_c_are_those_of_literal_attention(case):
    for n, d in SIZES[case.model]:
        setting = setting_of(JOB, n, d)
        found = case.attended(setting)
        scores, c, special_row, j3, marked = literal_attention(case, n, d, setting)
        u = np.exp(scores) if case.kernel == "exp" else scores
        f = u / u.sum(axis=1, keepdims=True)
        count = case.model.classes(d)
        for name, literal in (("u", u), ("f", f)):
            wanted = [_kinds(literal[row], row, j3, count, special_row) for row in range(n)]
            cells = getattr(found, name)
            assert _same(cells[0], wanted[special_row])
            for row in range(n):
                if row != special_row:
                    assert any(_same(one, wanted[row]) for one in cells[1:])
        of = found.rows
        for row in range(n):
            index = [0] if row == special_row else range(1, len(of.first))
            assert any(matches(of, k, c[row], marked, row % count) for k in index)


def _kinds(cells, row, j3, count, special_row):
    """Cells towards the special token, others of its class, of the row's own, of the rest."""
    own = row % count if row != special_row and row % count != j3 % count else None
    kinds = [[], [], [], []]
    for column, cell in enumerate(cells):
        if column == j3:
            kinds[0].append(cell)
        elif column % count == j3 % count:
            kinds[1].append(cell)
        else:
            kinds[2 if own is None or column % count == own else 3].append(cell)
    return kinds


def _same(found, wanted):
    # A row without a class of its own is alike to all others: further classes are as "own" is.
    if not wanted[3] and not np.isnan(found[3]):
        wanted = [*wanted[:3], wanted[2]]
    return all(
        np.allclose(cells, found[k], rtol=1e-12, atol=0) if cells else np.isnan(found[k])
        for k, cells in enumerate(wanted)
    )


def test_claims_compare_what_they_say():
    """Some cells of claims, against the entries of literal attention that the lemmas name."""
    n, d = 12, 6
    setting = setting_of(JOB, n, d)
    ones = Case(SELF_ATTENTION_MODEL, "exp", 1, "ones")
    scores, c, special, j3, marked = literal_attention(ones, n, d, setting)
    u = np.exp(scores)
    f = u / u.sum(axis=1, keepdims=True)
    others = [j for j in range(n) if j != j3]
    for name, cells in (
        ("D.2.P1a", u[special, [j3]]),
        ("D.2.P1b", u[special, others]),
        ("D.2.P2a", u[others, j3]),
        ("D.2.P2b", u[others][:, others]),
        ("D.2.P3a", f[special, [j3]]),
        ("D.2.P3b", f[special, others]),
        ("D.2.P4a", f[others, j3]),
        ("D.2.P4b", f[others][:, others]),
        ("D.3.P1", c[special, [0]]),
        ("D.3.P2.one", c[special, [1 + marked]]),
        ("D.3.P2.rest", np.delete(c[special, 1 : d - 1], marked)),
        ("D.3.P3", c[special, [d - 1]]),
        ("D.3.P4", c[others, 0]),
        ("D.3.P5", c[others, 1 : d - 1]),
        ("D.3.P6", c[others, d - 1]),
    ):
        _same_values(name, setting, cells)
    identity = replace(ones, attention_x="identity")
    scores, c, special, j3, marked = literal_attention(identity, n, d, setting)
    u = np.exp(scores)
    f = u / u.sum(axis=1, keepdims=True)
    classes = np.arange(n) % (d - 2)
    own = classes[:, None] == classes
    for name, of, mask in (
        ("E.1.P1b.own", u[special], own[special] & (np.arange(n) != j3)),
        ("E.1.P1b.rest", u[special], ~own[special]),
        ("E.1.P2.own", u[others], own[others]),
        ("E.1.P2.rest", u[others], ~own[others]),
        ("E.1.P3b", f[special], np.arange(n) != j3),
        ("E.1.P4.own", f[others], own[others]),
        ("E.1.P4.rest", f[others], ~own[others]),
    ):
        _same_values(name, setting, of[mask])
    _same_values("E.2.P5", setting, c[others, 1 : d - 1])


@pytest.mark.parametrize(("kernel", "dataset"), [("exp", 0), ("linear", 1), ("linear", 0)])
def test_what_section_e_leaves_out_is_that_of_literal_attention(kernel, dataset):
    """Each closed form is all entries of u, f and c that its part names."""
    rng = np.random.default_rng(5)
    case = Case(SELF_ATTENTION_MODEL, kernel, dataset, "identity")
    for n, d in [(4, 4), (6, 4), (12, 6), (14, 9)]:
        a, b, c = rng.uniform(0.1, 1.5, 3)
        setting = replace(setting_of(JOB, n, d), a0=a, a1=a, b=b, c=c)
        scores, values, special, j3, marked = literal_attention(case, n, d, setting)
        u = np.exp(scores) if kernel == "exp" else scores
        classes = np.arange(n) % (d - 2)
        own, others = classes[:, None] == classes, np.arange(n) != j3
        kin, further = others & (classes == marked), classes != marked
        own_class = classes[:, None] == np.arange(d - 2)
        of_classes = values[:, 1:-1]
        wanted = {
            "values.P1": values[special, 0],
            "values.P2.one": of_classes[special, marked],
            "values.P2.rest": np.delete(of_classes[special], marked),
            "values.P3": values[special, -1],
            "values.P4.own": values[kin, 0],
            "values.P4.rest": values[further, 0],
            "values.P5.own": of_classes[others][own_class[others]],
            "values.P5.rest": of_classes[others][~own_class[others]],
            "values.P6": values[others, -1],
        }
        for parts, of in ((("1a", "1b", "2"), u), (("3a", "3b", "4"), u / u.sum(1)[:, None])):
            itself, row, further_rows = (f"weights.P{part}" for part in parts)
            wanted |= {
                itself: of[special, j3],
                f"{row}.own": of[special, own[special] & others],
                f"{row}.rest": of[special, ~own[special]],
                f"{further_rows}.own": of[others][own[others]],
                f"{further_rows}.rest": of[others][~own[others]],
            }
        network = f"E.D{dataset}-{IN_THE_PAPER[kernel]}."
        ids = {one.id for one in all_claims() if one.identity and one.id.startswith(network)}
        assert ids == {network + part for part in wanted}
        for part, cells in wanted.items():
            one = claim(network + part)
            assert np.allclose(cells, one.bound(setting), rtol=1e-11, atol=0), (one.id, n, d)
            assert one.evaluate(setting).holds, (one.id, n, d)


def _same_values(name, setting, wanted):
    cells = claim(name).cells(setting)
    found, wanted = np.unique(np.round(cells, 11)), np.unique(np.round(wanted, 11))
    assert found.shape == wanted.shape, name
    assert np.allclose(found, wanted, rtol=1e-9), name
