"""How far a head finds its token: known numbers, what is proved, and intervals by simulation."""

import ml_dtypes
import numpy as np
import pytest
from scipy.stats import binom

from attention_separation import head
from attention_separation.head.columns import to_bf16

RNG = np.random.default_rng


def row_a():
    s = RNG(0).standard_normal(1024)
    s[300] += 8
    return s


def row_b(sink=5.0):
    s = 2 * RNG(5).standard_normal(2048)
    s[0], s[77] = sink, 6
    return s


def row_d():
    s = np.repeat(RNG(3).standard_normal(128), 8)
    s[512] = 7
    return s


ROWS = {
    "a": (row_a(), 300, (), 100_000),
    "b": (row_b(), 77, (0,), 300),
    "c": (row_b(9.0), 77, (0,), 300),
    "d": (row_d(), 512, (), 20_000),
}
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


def one(scores, target, **given):
    return head.measure(scores, target, **given).iloc[0]


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


@pytest.mark.parametrize(
    ("kernel", "share", "reach"),
    [
        ("exp_half", 0.081599, 91.892), ("softmax_one", 0.864866, 6551.823),
        ("power_4", 0.702696, 2418.918), ("x**4", 0.702696, 2418.918),
        ("sigmoid_log_n", 0.375330, 8.600), ("sparsemax", 1, np.inf), ("none", 1 / 1024, 2),
        ("sigmoid_unnormalised", 0.375330, 8.600),
    ],
)  # fmt: skip
def test_other_kernels_on_the_same_scores(kernel, share, reach):
    found = one(row_a(), 300, kernel=kernel, n=50)
    assert found["share"] == pytest.approx(share, abs=1e-6)
    assert found["reach"] == pytest.approx(reach, abs=1e-3)
    assert found["reach_low"] == pytest.approx(1023 / 3 if reach == np.inf else NAN, nan_ok=True)
    assert (found["share_at_n"] >= 0.5) == (reach >= 50)


def test_fixed_tokens_are_there_once_for_other_kernels_too():
    scores, target, fixed, n = ROWS["b"]
    w = np.maximum(scores, 0.0) ** 2
    rest = np.delete(w, [0, target])
    found = one(scores, target, fixed=fixed, n=n, kernel="maximum(x, 0)**2")
    shares = [w[target] / (w[target] + w[0] + (x - 2) * rest.mean()) for x in (2048, n)]
    assert found[["share", "share_at_n"]].tolist() == pytest.approx(shares)
    assert found["reach"] == pytest.approx(2 + (w[target] - w[0]) / rest.mean())
    assert one(scores, 5, fixed=fixed, kernel="maximum(x, 0)**2")["reach"] == 0
    quiet = int(np.argmin(np.abs(scores)))  # one more token has most of the weight
    assert one(scores, quiet, kernel="maximum(x, 0)**2")["reach"] == 0
    [share] = head.share(scores, target, [n], fixed=fixed, kernel="maximum(x, 0)**2")["share"]
    assert share == found["share_at_n"]
    with pytest.raises(ArithmeticError, match="negative or no numbers"):
        one(scores, target, kernel="x + 3")


def test_exp_is_the_same_by_the_other_way():
    for scores, target, fixed, n in ROWS.values():
        ours = one(scores, target, fixed=fixed, n=n)
        other = one(scores, target, fixed=fixed, n=n, kernel="exp(x)")
        for name in ("share", "reach", "share_at_n"):
            assert other[name] == pytest.approx(ours[name], rel=1e-9)


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


def test_weights_give_what_their_scores_give():
    scores, target, fixed, n = ROWS["b"]
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    ours, other = one(scores, target, fixed=fixed, n=n), one(
        weights, target, fixed=fixed, n=n, weights=True
    )  # fmt: skip
    for name in ("share", "reach", "reach_low", "drift", "temperature", "n_entropy"):
        assert other[name] == pytest.approx(ours[name], rel=1e-9), name
    # A sink that is no token: what is missing of the sum.
    scores = row_b(5.9)
    weights = np.exp(scores) / np.exp(scores).sum()
    ours = one(scores, target, fixed=fixed, n=n)
    other = one(weights[1:] * 1.0, target - 1, weights=True, n=n)
    assert other["reach"] == pytest.approx(ours["reach"] - 1, rel=1e-9)
    assert other["temperature"] == pytest.approx(ours["temperature"], rel=5e-3)


def test_weights_above_the_diagonal_are_a_mask_and_elsewhere_weights():
    scores = np.where(np.tri(40, dtype=bool), RNG(1).standard_normal((40, 40)), -np.inf)
    weights = np.exp(scores)
    weights /= weights.sum(1, keepdims=True)
    target = np.where(np.arange(40) >= 20, 3, -1)
    ours, other = head.measure(scores, target), head.measure(weights, target, weights=True)
    np.testing.assert_allclose(ours["reach"], other["reach"], rtol=1e-12)
    weights[30, 5] = 0
    assert head.measure(weights, target, weights=True)["n"].tolist() == list(range(21, 41))
    whole = np.ones((40, 40), bool)
    assert set(head.measure(weights, target, weights=True, mask=whole)["n"]) == {40}
    assert set(head.measure(weights[20:], 3, weights=True)["n"]) == {40}


def test_a_weight_that_was_rounded_to_zero_finds_nothing():
    found = one(np.r_[0, np.full(64, 1 / 64)], 0, weights=True, n=100)
    assert found[["share", "reach", "louder", "share_at_n", "temperature"]].tolist() == [
        0,
        1,
        64,
        0,
        0,
    ]


def test_weights_that_sum_to_nearly_one_have_no_sink():
    for total, sink in ((0.99, 0), (1.01, 0), (0.9, 0.1)):
        found = one(np.full(64, total / 64), 0, weights=True)
        assert found["sink"] == pytest.approx(sink)
        assert found["n_squares"] == pytest.approx(64 / (1 - sink) ** 2)


def test_the_first_token_of_few_rows_is_no_sink_of_all():
    scores = RNG(1).standard_normal((4, 40))
    scores[:2, 0] = 9
    assert len(head.measure(scores, 1)) == 4  # a warning would be an error
    scores[2, 0] = 9
    with pytest.warns(UserWarning, match="token 0"):
        head.measure(scores, 1)
    assert len(head.measure(scores, 0)) == 4


def test_the_order_of_the_rest_moves_intervals_drift_and_the_check_alone():
    scores, target, _, n = ROWS["a"]
    order = RNG(9).permutation(1024)
    ours, other = one(scores, target, n=n), one(scores[order], int(np.argmax(order == 300)), n=n)
    moved = {name for name in ours.index if not np.isclose(ours[name], other[name], rtol=1e-9)}
    assert moved == {"target", "reach_low", "reach_high", "drift", "share_low", "share_high"}


def test_heads_layers_masks_and_blocks_are_rows_one_by_one(monkeypatch):
    rng = RNG(4)
    layers = [rng.standard_normal((2, 3, 30, 90)).astype(np.float32) for _ in range(2)]
    target = rng.integers(-1, 90, (2, 2, 3, 30))
    mask = rng.random((30, 90)) < 0.8
    mask[:, 5] = True
    target = np.where(np.take_along_axis(mask[None, None, None], np.maximum(target, 0)[..., None], 4)[..., 0], target, -1)  # fmt: skip # noqa: E501
    target[target == 5] = -1
    given = {"fixed": [5], "n": 1000, "level": 0.3}
    whole = head.measure(layers, target, mask=mask, **given)
    assert len(whole) == (target >= 0).sum()
    monkeypatch.setattr("attention_separation.head.scores.BLOCK", 200)
    again = head.measure(np.stack(layers), target, mask=mask, **given)
    np.testing.assert_allclose(whole, again, rtol=1e-12)
    for _, row in whole.sample(12, random_state=0).iterrows():
        at = [int(row[name]) for name in ("sequence", "head", "query")]
        scores = np.where(mask[at[2]], layers[int(row["layer"])][tuple(at)], -np.inf)
        alone = one(scores, int(row["target"]), **given)
        names = [name for name in alone.index if name != "query"]
        np.testing.assert_allclose(row[names].to_numpy(float), alone[names].to_numpy(float))


def test_a_row_at_n_is_a_share_and_a_summary_counts_heads():
    scores = RNG(2).standard_normal((3, 4, 20, 600))
    scores[:, :, :, 7] += 6
    rows = head.measure(scores, 7, n=2000)
    shares = head.share(scores, 7, n=[100, 2000])
    np.testing.assert_array_equal(shares["share"][len(rows) :], rows["share_at_n"])
    of_heads = head.summary(rows)
    assert list(of_heads)[:2] == ["head", "held_out"]
    own = rows[rows["head"] == 2]
    of = of_heads.iloc[2]
    assert of["rows"] == len(own) == 60
    assert of["reach"] == own["reach"].median()
    assert of["found_at_n"] == (own["reach"] >= 2000).mean()
    assert [of["reach_q25"], of["reach_q75"]] == own["reach"].quantile([0.25, 0.75]).tolist()
    layers = head.summary(head.measure([scores[0], -scores[1]], 7))
    assert layers[["layer", "head"]].to_numpy().tolist() == [
        [x, y] for x in (0, 1) for y in range(4)
    ]
    assert 0 < of["held_out"] == own["held_out"].mean() <= 1


def test_few_others_have_no_columns_and_short_rows_no_interval():
    scores = RNG(6).standard_normal((2, 40))
    mask = np.ones((2, 40), bool)
    mask[0, 8:] = False
    found = head.measure(scores, 0, mask=mask)
    assert found["n"].tolist() == [8, 40]
    assert np.isnan(found.loc[0, "reach"])
    assert found.loc[1, "reach"] > 0
    assert found[["reach_low", "held_out"]].isna().to_numpy().all()
    # A kernel that cannot weigh a row that is too short says nothing of it.
    found = head.measure(np.abs(scores) * [[-1], [1]], 0, mask=mask, kernel="x")
    assert np.isnan(found["share"]).tolist() == [True, False]


ALARM = 1e-4
"""Chance that the tests of intervals below fail though intervals cover as said, each."""


def covered(draw, m, rows, seed):
    """How many intervals of rows of m tokens cover the share of fresh rows that are as long as the
    reach, at most eight times as long, and how many checks pass."""
    rng = RNG(seed)
    scores = draw(rng, (rows, m + 1))
    # A reach of about 8 m: the target's weight is that of 8 m mean ones.
    scores[:, 0] = np.log(8 * m * np.exp(draw(rng, 10**6)).mean())
    own = head.measure(scores, 0)
    fresh = np.exp(draw(rng, (rows, 8 * m))).mean(1)
    true = 1 + np.exp(scores[:, 0]) / fresh
    inside = (own["reach_low"] <= true) & (true <= own["reach_high"])
    return int(inside.sum()), int(own["held_out"].sum())


@pytest.mark.parametrize(
    ("draw", "least"),
    [
        (lambda rng, shape: rng.standard_normal(shape), 0.90),
        (lambda rng, shape: rng.uniform(0, 10, shape), 0.90),
        (lambda rng, shape: 0.3 * rng.logistic(size=shape), 0.90),
        (lambda rng, shape: 2 * rng.standard_normal(shape), 0.84),
    ],
    ids=["normal", "uniform", "logistic", "normal, sd 2"],
)
def test_intervals_cover_as_said(draw, least):
    """Of 400 rows of 1,024 independent tokens: no fewer than a proportion `least`."""
    inside, passed = covered(draw, 1024, 400, 8)
    assert inside >= binom.ppf(ALARM, 400, least)
    assert inside <= binom.ppf(1 - ALARM, 400, 0.985)
    assert passed >= binom.ppf(ALARM, 400, 0.85)


def test_the_check_notices_neighbours_that_are_alike_and_heavy_tails():
    def neighbours(rng, shape):
        steps = rng.standard_normal(shape) * np.sqrt(1 - 0.98**2)
        found = np.empty(shape)
        found[..., 0] = rng.standard_normal(shape[:-1] if np.ndim(shape) else ())
        for k in range(1, found.shape[-1]):
            found[..., k] = 0.98 * found[..., k - 1] + steps[..., k]
        return found

    rng = RNG(12)
    for scores in (neighbours(rng, (300, 1025)), 3 * rng.standard_normal((300, 1025))):
        scores[:, 0] = 20
        assert head.measure(scores, 0)["held_out"].sum() < binom.ppf(1 - ALARM, 300, 0.80)


def test_the_reach_is_a_lower_bound_in_expectation():
    """Wald and Lorden: c/w < E K <= c/w + 1 + v^2, K the first number of rest tokens whose sum is
    over c; standard normal scores, 20,000 draws, five standard errors."""
    rng = RNG(3)
    c = np.exp(6.0)
    sums = np.cumsum(np.exp(rng.standard_normal((20_000, 400))), axis=1)
    first = (sums <= c).sum(1) + 1
    low, high = c / np.exp(0.5), c / np.exp(0.5) + 1 + (np.e - 1)
    error = first.std() / np.sqrt(20_000)
    assert low - 5 * error < first.mean() < high + 5 * error
    assert first.mean() > low


def test_rows_without_a_reach_are_neither_found_nor_lost():
    """Under a causal mask the first rows are too short to be measured."""
    rng = np.random.default_rng(4)
    scores = np.where(np.tri(40, dtype=bool), rng.standard_normal((40, 40)), -np.inf)
    scores[3:, 2] = 9
    rows = head.measure(scores, np.where(np.arange(40) < 3, -1, 2), n=100)
    [found] = head.summary(rows).itertuples()
    assert rows["reach"].isna().sum() == 5
    assert (found.rows, found.found_at_n) == (32, 1.0)


def test_scores_of_whole_numbers_and_of_a_scale_of_zero():
    q, k = np.full((1, 2, 4), 3), np.ones((1, 3, 4), int)
    np.testing.assert_array_equal(head.scores_of(q, k), np.full((1, 2, 3), 6.0))
    assert (head.scores_of(q, k, scale=0) == 0).all()


def test_a_picture_of_another_kernel_has_no_check():
    row = np.abs(np.random.default_rng(0).standard_normal(100))
    row[30] += 8
    assert head.plot(row, 30).get_title().startswith("held out")
    assert head.plot(row, 30, kernel="x**4").get_title() == "dotted: tokens measured"
