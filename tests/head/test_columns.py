"""Every column of a row: known numbers, its formula, temperatures, and what leaves it as it is."""

import ml_dtypes
import numpy as np
import pytest
from head_rows import RNG, ROWS, one, row_a, row_b

from attention_separation import head
from attention_separation.head.columns import to_bf16

NAMES = (
    "share", "gap", "louder", "reach", "reach_low", "reach_high", "n_rest", "drift", "held_out",
    "share_at_n", "temperature", "coldest",
)  # fmt: skip


NAN = np.nan


KNOWN = {
    "a": (0.864941, 6.137222, 0, 6552.483, 6003.533, 7151.636, 422.0910, -0.070330, 1,
          0.061487, 0.750074, 0),
    "b": (0.029125, -0.223826, 2, 41.23019, 13.96357, 130.6412, 128.9711, -0.018132, 1,
          0.162085, 0.369625, 0.174252),
    "c": (0.018500, -3, 3, 0, NAN, NAN, 128.9711, -0.018132, 1, 0.038629, 0, 0),
    "d": (0.376747, 3.677000, 0, 619.3889, 400.1498, 959.0480, 277.2049, -0.459141, 1,
          0.029994, 0.606200, 0),
}  # fmt: skip
"""Computed once by other code, to the digits shown."""


@pytest.mark.parametrize("name", ROWS)
def test_known_numbers(name):
    scores, target, fixed, n = ROWS[name]
    found = one(scores, target, fixed=fixed, n=n)
    np.testing.assert_allclose(
        found[list(NAMES)].to_numpy(float), KNOWN[name], rtol=3e-5, atol=1e-6
    )


def literal(scores, target, fixed, n, level):
    """Each column of one row as docs/head.md has it, but for temperatures; r by runs."""
    others = [j for j in range(len(scores)) if j != target]
    rest = [j for j in others if j not in fixed]
    gaps = scores[target] - scores
    w, c = np.exp(-gaps), (1 - level) / level
    p, of_rest = w / w.sum(), np.exp(-gaps)[rest]
    a, m, k, mean = w[list(fixed)].sum(), len(rest), len(fixed) + 1, of_rest.mean()

    def error(weights):
        runs = np.array([run.mean() for run in np.array_split(weights, 8)])
        return runs.std(ddof=1) / np.sqrt(8) / weights.mean()

    def off(more):
        return 2.364624 * error(of_rest) * np.sqrt(1 + m / more) if m >= 64 else np.nan

    more, first = (c - a) / mean, of_rest[: m // 8]
    found = {
        "n": len(scores), "share": p[target], "gap": gaps[others].min(),
        "louder": (gaps[others] < 0).sum(), "mu": gaps[rest].mean() / gaps[rest].std(),
        "n_entropy": np.exp(-(p * np.log(p)).sum()), "n_squares": 1 / (p**2).sum(),
        "sink": p[list(fixed)].sum(), "n_rest": of_rest.sum() ** 2 / (of_rest**2).sum(),
        "reach": k + more if a < c else 0, "reach_low": NAN, "reach_high": NAN,
        "drift": NAN, "held_out": NAN,
        "share_at_n": 1 / (1 + a + (n - k) * mean),
        "share_low": 1 / (1 + a + (n - k) * mean * np.exp(off(n - k))),
        "share_high": 1 / (1 + a + (n - k) * mean * np.exp(-off(n - k))),
    }  # fmt: skip
    if a < c:
        found["reach_low"] = k + more * np.exp(-off(more))
        found["reach_high"] = k + more * np.exp(off(more))
    if m >= 512:
        allowed = 2.364624 * error(first) * np.sqrt(1 - (m // 8) / m)
        found["drift"] = np.log(mean / first.mean())
        found["held_out"] = float(abs(found["drift"]) <= allowed)
    return found


@pytest.mark.parametrize("m", [8, 63, 64, 65, 511, 512, 517])
@pytest.mark.parametrize("fixed", [(), (0,), (3, 1)])
def test_every_column_is_its_formula(m, fixed):
    rng = RNG(m)
    for level in (0.5, 0.2, 0.8):
        scores = 2 * rng.standard_normal(m + 1 + len(fixed))
        target = int(rng.integers(4, len(scores)))
        scores[target] += 3 * rng.random()
        scores[7 if target != 7 else 6] = scores[target]  # as loud is not louder
        scores[list(fixed)] += 10 * (level == 0.8)  # the fixed tokens take too much
        found = one(scores, target, fixed=fixed, n=50.5, level=level)
        for name, value in literal(scores, target, fixed, 50.5, level).items():
            assert found[name] == pytest.approx(value, rel=1e-9, nan_ok=True), name
        t = found["temperature"]
        if t == 0:
            assert np.isnan(found[["ssmax_s", "n_rest_at_t"]].to_numpy(float)).all()
        else:
            cooler = literal(scores / t, target, fixed, 50.5, level)
            assert cooler["share_at_n"] == pytest.approx(level, rel=1e-9)
            assert found["ssmax_s"] == pytest.approx(1 / t / np.log(50.5))
            assert found["n_rest_at_t"] == pytest.approx(cooler["n_rest"], rel=1e-9)


def test_the_check_is_its_formula_near_its_bound_too():
    scores = RNG(2).standard_normal((400, 520))
    wanted = [literal(row, 7, (), 10, 0.5)["held_out"] for row in scores]
    assert head.measure(scores, 7)["held_out"].tolist() == wanted


def test_numbers_are_rounded_to_bf16_as_ml_dtypes_does():
    x = np.concatenate([RNG(1).standard_normal(1000) * 50, [1 + 2**-8, 1 + 3 * 2**-8, 0, -np.inf]])
    rounded = x.astype(ml_dtypes.bfloat16).astype(float)
    np.testing.assert_array_equal(to_bf16(x), rounded)


def test_known_numbers_of_the_weights_of_a_row():
    found = one(row_a(), 300)
    assert found["n_entropy"] == pytest.approx(3.560055, abs=1e-6)
    assert found["share_bf16"] == pytest.approx(0.863099, abs=1e-6)
    with pytest.warns(UserWarning, match="token 0 has over 0.3 of most rows"):
        found = one(row_b(9.0), 77)
    assert found["reach"] == pytest.approx(39.584, abs=1e-3)
    assert found["n_rest"] == pytest.approx(6.834, abs=1e-3)


def test_a_constant_added_changes_nothing_but_what_bf16_keeps():
    ours, other = (one(row_a() + more, 300, n=1e5) for more in (0, 1000))
    assert other["share_bf16"] == pytest.approx(0.608919, abs=1e-6)
    same = [name for name in ours.index if name != "share_bf16"]
    np.testing.assert_allclose(ours[same].to_numpy(float), other[same].to_numpy(float), rtol=1e-9)


def test_the_temperature_asked_for_is_the_one_that_does():
    for scores, target, fixed, n in ROWS.values():
        found = one(scores, target, fixed=fixed, n=n)
        for name in ("temperature", "coldest"):
            if found[name] > 0:
                again = one(scores / found[name], target, fixed=fixed, n=n)
                assert again["share_at_n"] == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_temperatures_are_the_ends_on_a_grid(seed):
    """Literally: the share among n tokens at every temperature of a grid."""
    rng = RNG(seed)
    scores = rng.standard_normal(64) * 2
    target = int(np.argsort(scores)[-1 - seed % 3])
    scores[target] += rng.uniform(0, 3)
    n = float(rng.integers(3, 60))
    found = one(scores, target, n=n, fixed=() if target == 0 or seed % 2 else (0,))
    k = 2 if seed % 2 == 0 and target else 1
    grid = np.geomspace(1e-3, 1e3, 20_001)
    with np.errstate(over="ignore"):
        w = np.exp((scores - scores[target])[:, None] / grid)
    fixed, rest = np.zeros(64, bool), np.ones(64, bool)
    fixed[0], rest[target] = k == 2, False
    rest &= ~fixed
    h = w[fixed].sum(0) + (n - k) * w[rest].mean(0)
    ok = grid[h <= 1]
    step = grid[1] / grid[0]
    if not len(ok):
        assert found["temperature"] <= step * grid[0]
        return
    assert 1 / step < found["temperature"] / ok[-1] < step
    if found["louder"]:
        assert 1 / step < found["coldest"] / ok[0] < step
    else:
        assert found["coldest"] == 0


def test_at_a_temperature_a_counting_bound_holds():
    """1/T >= log(C(g)/c)/g for every gap g, C counting each of the rest (N - k)/m times."""
    gaps = np.sort(row_a()[300] - np.delete(row_a(), 300))
    counts = head.counting(row_a(), 300, gaps)["count"].to_numpy()
    assert counts.tolist() == list(range(1, 1024))
    counts = counts * (1e5 - 1) / 1023
    bound = (np.log(counts) / gaps).max()
    assert 1 / bound == pytest.approx(0.8476, abs=1e-4)
    assert one(row_a(), 300, n=1e5)["temperature"] <= 1 / bound


def test_the_order_of_the_rest_moves_intervals_drift_and_the_check_alone():
    scores, target, _, n = ROWS["a"]
    order = RNG(9).permutation(1024)
    ours, other = one(scores, target, n=n), one(scores[order], int(np.argmax(order == 300)), n=n)
    moved = {name for name in ours.index if not np.isclose(ours[name], other[name], rtol=1e-9)}
    assert moved == {"target", "reach_low", "reach_high", "drift", "share_low", "share_high"}
