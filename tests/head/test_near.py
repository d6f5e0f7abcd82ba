"""Near tokens count once and far ones are multiplied: every column against its literal definition,
who says that the keys are in order, and windows."""

import json

import numpy as np
import pytest
from head_rows import RNG, one, quietly
from literal_near import literal_kernel_share, literal_row, literal_share_at_temperature

from attention_separation import head
from attention_separation.__main__ import main


def row_of(m, rng, fixed=(0,)):
    """Scores of a row, the target among them, whose loudness falls with the distance."""
    keys = m + 1 + len(fixed)
    scores = 1.5 * rng.standard_normal(keys) - 2.0 * np.arange(keys)[::-1] / keys
    target = int(rng.integers(2, keys))
    scores[target] = np.log(m) + rng.uniform(-2, 3)
    scores[list(fixed)] += 1
    return scores, target


@pytest.mark.parametrize("m", [8, 16, 17, 64, 127, 128, 129, 200, 511, 512, 517, 1030])
@pytest.mark.parametrize("near", ["half", 0, 1, 5, 100])
@pytest.mark.parametrize("fixed", [(), (0,)])
def test_every_column_is_its_literal_definition(m, near, fixed):
    rng = RNG(m)
    for place in ("last", "middle", "first"):
        scores, target = row_of(m, rng, fixed)
        position = {"last": len(scores) - 1, "middle": len(scores) // 2, "first": 1}[place]
        for n in (20.0, float(len(scores)), 3e4):
            for level in (0.5, 0.2):
                named = {"fixed": fixed, "near": near, "n": n, "level": level}
                right = literal_row(scores, target, position=position, **named)
                if np.isnan(right["share_at_n"]):
                    continue
                # In the middle of the keys it sees later ones, and nearness is said.
                row = one(scores, target, query_at=position, **named)
                for name, value in right.items():
                    if name in ("drift", "held_out") and near == 0:
                        continue
                    assert row[name] == pytest.approx(value, rel=1e-9, nan_ok=True), name


def causal_map(tokens, rng, first=0, target=5):
    """Scores of the last queries of a causal model, and who sees the target and 40 keys."""
    query = np.arange(first, tokens)
    scores = rng.standard_normal((tokens - first, tokens))
    scores[:, target] += 4
    is_visible = np.arange(tokens) <= query[:, None]
    return scores, is_visible, np.where(query >= 40, target, -1)


def ways_of_saying_causal(scores, is_visible, target):
    """Arguments that say so, each in its way, and whether nobody but the values does."""
    masked = np.where(is_visible, scores, -np.inf)
    weights = np.exp(masked)
    weights /= weights.sum(axis=1, keepdims=True)
    tagged = head.induction_targets(np.zeros(scores.shape[1], int))[: len(target)].copy()
    tagged[:] = target
    return {
        "-inf": ((masked, target), {}),
        "-100 added": ((scores - 100 * ~is_visible, target), {}),
        "mask": ((scores, target), {"mask": is_visible}),
        "weights": ((weights, target), {"weights": True}),
        "causal": ((scores, target), {"causal": True}),
        "induction": ((scores, tagged), {}),
    }


@pytest.mark.parametrize("way", ["-inf", "-100 added", "mask", "weights", "causal", "induction"])
@pytest.mark.parametrize("first", [0, 600])
def test_whoever_says_that_the_model_is_causal_has_half_near(way, first):
    scores, is_visible, target = causal_map(640, RNG(first), first)
    arguments, named = ways_of_saying_causal(scores, is_visible, target)[way]
    table, _ = quietly(head.measure, *arguments, n=5000, **named)
    assert len(table) == (target >= 0).sum()
    rest = table["n"] - 1
    assert table["near"].tolist() == (rest // 2).tolist()
    for row in table.sample(8, random_state=1).itertuples():
        seen = scores[row.query, : row.n]
        right = literal_row(seen, 5, near="half", n=5000)
        for name, value in right.items():
            ours = getattr(row, name)
            assert ours == pytest.approx(value, rel=1e-6, nan_ok=True), name
    plain, _ = quietly(head.measure, *arguments, n=5000, near=0, **named)
    assert set(plain["near"]) == {0}
    assert plain["reach"].notna().all()


def test_what_says_nothing_of_an_order_has_no_near_tokens():
    rng = RNG(5)
    scores, is_visible, target = causal_map(100, rng)
    masks = {
        "both sides": abs(np.subtract.outer(np.arange(100), np.arange(100))) < 60,
        "anywhere": rng.random((100, 100)) < 0.7,
        "padding at the right": np.broadcast_to(np.arange(100) < 80, (100, 100)),
        "blocks": np.subtract.outer(np.arange(100) // 50, np.arange(100) // 50) == 0,
    }
    for mask in masks.values():
        for last in (100, 4):
            seen = mask[-last:].copy()
            seen[:, 5] = True
            table = head.measure(scores[-last:], 5, mask=seen)
            assert set(table["near"]) == {0}
    assert one(scores[99], 5)["near"] == 0
    assert set(head.measure(scores, 5)["near"]) == {0}
    assert set(head.measure(scores, 5, causal=False)["near"]) == {0}
    cut = np.where(is_visible, scores, -np.inf)
    assert set(head.measure(cut, target, causal=False)["near"]) == {0}


def test_query_at_says_which_keys_the_queries_are():
    scores, is_visible, _ = causal_map(300, RNG(2))
    queries = [250, 120, 299]
    every = np.where(np.arange(300) < 5, -1, 5)
    whole = head.measure(scores, every, causal=True, n=4000, mask=is_visible)
    table = head.measure(
        scores[queries], 5, causal=True, n=4000, query_at=queries, mask=is_visible[queries]
    )
    again = head.measure(scores[queries], 5, causal=True, n=4000, query_at=queries)
    right = whole.set_index("query", drop=False).loc[queries].drop(columns="query").to_numpy(float)
    for rows in (table, again):
        np.testing.assert_allclose(rows.drop(columns="query").to_numpy(float), right)


@pytest.mark.parametrize("seed", range(12))
def test_temperatures_are_the_ends_on_a_grid(seed):
    rng = RNG(seed)
    scores, target = row_of(80, rng)
    near = int(rng.integers(1, 60))
    n = float(rng.integers(near + 2, 400))
    row = one(scores, target, fixed=(0,), near=near, n=n)
    grid = np.geomspace(0.02, 1e3, 1500)
    named = {"fixed": (0,), "near": near, "n": n}
    shares = [literal_share_at_temperature(scores, target, t, **named) for t in grid]
    kept = grid[np.array(shares) >= 0.5]
    step = grid[1] / grid[0]
    if len(kept) == 0:
        assert row["temperature"] <= step * grid[0]
        return
    assert 1 / step < row["temperature"] / kept[-1] < step
    again = literal_row(scores / row["temperature"], target, **named)
    assert again["share_at_n"] == pytest.approx(0.5, rel=1e-6)
    assert row["n_rest_at_t"] == pytest.approx(again["n_rest"], rel=1e-6)


def test_at_a_temperature_a_counting_bound_holds_with_near_tokens():
    scores, target = row_of(200, RNG(3), fixed=())
    n, near = 3000.0, 50
    counts = head.counting(scores, target, np.linspace(0.1, 9, 40), near=near)
    m_far = 200 - near
    times = counts["far"] * (n - 1 - near) / m_far + counts["count"] - counts["far"]
    inverse = (np.log(times.clip(lower=1e-9)) / counts["gap"]).max()
    temperature = one(scores, target, near=near, n=n)["temperature"]
    assert 0 < temperature <= 1 / inverse


@pytest.mark.parametrize("near", ["half", 0, 20])
def test_other_kernels_multiply_far_tokens_alone(near):
    rng = RNG(8)
    scores = np.abs(rng.standard_normal(101)) + 0.1
    scores[7] = 9.0
    for n in (60.0, 5e3):
        row = one(scores, 7, near=near, n=n, kernel="x**4")
        share = literal_kernel_share(lambda s: s**4, scores, 7, near=near, n=n)
        assert row["share_at_n"] == pytest.approx(share, rel=1e-9)
    reach = row["reach"]
    assert literal_kernel_share(lambda s: s**4, scores, 7, near=near, n=reach) == pytest.approx(0.5)
    sparse = one(scores, 7, near=near, n=1e3, kernel="sparsemax")
    m_far = 100 - {"half": 50}.get(near, near)
    assert sparse["reach"] == np.inf
    least = 101 + m_far / 3 if near else m_far / 3
    assert sparse["reach_low"] == pytest.approx(least)


def test_a_share_needs_room_for_what_counts_once():
    scores, _, target = causal_map(200, RNG(4))
    table = head.share(scores, target, n=[60, 400], causal=True)
    at_60 = table[table["n"] == 60].reset_index()
    room = head.measure(scores, target, causal=True)["near"] + 1
    assert at_60["share"].isna().tolist() == (room > 60).tolist()
    assert table[table["n"] == 400]["share"].notna().all()
    with pytest.raises(ValueError, match=r"n=15; allowed: numbers from 21, .*near ones"):
        head.share(scores, target, n=[15], causal=True)
    with pytest.raises(ValueError, match=r"n=50; allowed: numbers from 101, .*near ones"):
        head.measure(scores[-1], 5, near=100, n=50)


@pytest.mark.parametrize("near", [-1, 1.5, "all", np.nan, np.inf, True, "0.5", [3]])
def test_what_is_no_number_of_near_tokens_is_refused(near):
    with pytest.raises(ValueError, match=r"near=.*; allowed: whole numbers from 0, half"):
        head.measure(RNG(1).standard_normal((3, 50)), 5, near=near)


@pytest.mark.parametrize("near", [42, 49, 50, 10**9, 10**30])
def test_near_tokens_that_leave_no_far_ones_are_refused(near):
    with pytest.raises(ValueError, match=r"near=.* fewer than 8 far tokens; allowed: up to 41"):
        head.measure(RNG(1).standard_normal((3, 50)), 5, near=near)


@pytest.mark.parametrize("query_at", [[1, 2], [1, 2, 50], [-1, 0, 1], 50, [1.5, 2, 3], "x"])
def test_positions_that_are_none_are_refused(query_at):
    with pytest.raises(ValueError, match=r"query_at ha.*; allowed: "):
        head.measure(RNG(1).standard_normal((3, 50)), 5, query_at=query_at)


def test_the_command_takes_near_and_query_at(tmp_path, capsys):
    scores, _, _ = causal_map(300, RNG(2))
    queries = [250, 120, 299]
    scores[queries, [151, 21, 200]] = 9
    tokens = np.arange(300) % 100
    path = tmp_path / "scores.npz"
    np.savez(path, scores=scores[queries], tokens=tokens)
    said = [str(query) for query in queries]
    main(["head", str(path), "--query-at", *said, "--near", "half", "--n", "5000", "--json"])
    [answer] = json.loads(capsys.readouterr().out)
    targets = head.induction_targets(tokens)[queries]
    named = {"near": "half", "query_at": queries, "n": 5000}
    rows, _ = quietly(head.measure, scores[queries], targets, **named)
    assert rows["target"].tolist() == [151, 21, 200]
    assert answer["reach"] == pytest.approx(head.summary(rows)["reach"][0])
    main(["head", str(path), "--query-at", *said, "--near", "20", "--n", "5000", "--json"])
    assert json.loads(capsys.readouterr().out)[0]["reach"] != answer["reach"]
    for wrong in (["--near", "-2"], ["--near", "1.5"], ["--query-at", "300", "1", "2"]):
        assert main(["head", str(path), *wrong]) == 1
        assert wrong[0].strip("-").replace("-", "_") in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["head", str(path), "--near", "most"])
    assert "--near: 'most'; allowed: a whole number, or half" in capsys.readouterr().err


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("is_weights", [False, True])
def test_rows_of_a_padded_batch_are_literally_those_without_padding(side, is_weights):
    rng = RNG(11)
    tokens, lengths = 160, [160, 130, 90]
    is_token = np.arange(tokens) < np.array(lengths)[:, None]
    if side == "left":
        is_token = is_token[:, ::-1]
    scores = rng.standard_normal((3, 2, tokens, tokens))
    target = 75
    scores[..., target] += 5
    sees = np.tri(tokens, dtype=bool) & is_token[:, None, None, :]
    values = np.where(sees, scores, -np.inf)
    if is_weights:
        values = np.exp(values) / np.maximum(np.exp(values).sum(-1, keepdims=True), 1e-300)
    has_target = (np.arange(tokens) >= 88) & is_token
    targets = np.where(has_target, target, -1)[:, None]
    named = {"mask": is_token.astype(int), "weights": is_weights, "n": 900, "fixed": [72]}
    table, _ = quietly(head.measure, values, targets, **named)
    assert len(table) == 2 * has_target.sum()
    for row in table.sample(40, random_state=2).itertuples():
        seen = sees[row.sequence, 0, row.query]
        own = np.where(seen, scores[row.sequence, row.head, row.query], -np.inf)
        literal = {"fixed": (72,), "position": row.query, "near": "half", "n": 900}
        for name, value in literal_row(own, target, **literal).items():
            ours = getattr(row, name)
            assert ours == pytest.approx(value, rel=1e-6, nan_ok=True), name


def test_a_sink_that_is_no_token_counts_once():
    scores, _, target = causal_map(200, RNG(12))
    sinks = RNG(13).uniform(0, 3, 200)
    table = head.measure(scores, target, causal=True, sinks=sinks, n=700)
    for row in table.sample(20, random_state=3).itertuples():
        seen = np.append(sinks[row.query], scores[row.query, : row.query + 1])
        # As a token at the front, of which there is one.
        right = literal_row(seen, 6, fixed=(0,), near="half", n=701)
        assert row.share_at_n == pytest.approx(right["share_at_n"], rel=1e-9)
        if right["reach"]:
            assert row.reach == pytest.approx(right["reach"] - 1, rel=1e-9)


def test_the_answer_does_not_depend_on_blocks(monkeypatch):
    scores, is_visible, _ = causal_map(300, RNG(14))
    windowed = is_visible & ~np.tri(300, k=-120, dtype=bool)
    late = np.where(np.arange(300) >= 40, np.arange(300) - 20, -1)
    for named in ({"mask": is_visible}, {"mask": windowed}, {"causal": True}):
        whole, said = quietly(head.measure, scores, late, n=1e4, **named)
        for block in (1, 1500, 2**30):
            monkeypatch.setattr("attention_separation.head.scores.BLOCK", block)
            table, same = quietly(head.measure, scores, late, n=1e4, **named)
            np.testing.assert_allclose(table.to_numpy(float), whole.to_numpy(float), rtol=1e-9)
            assert same == said


def test_a_map_too_small_for_half_is_measured_with_none_near():
    scores = RNG(15).standard_normal((14, 14))
    target = np.where(np.arange(14) > 10, 2, -1)
    table = head.measure(scores, target, causal=True, n=100)
    assert table["share"].notna().all()
    assert table[["reach", "share_at_n", "temperature"]].isna().to_numpy().all()
    assert head.measure(scores, target, causal=True, near=0)["reach"].notna().all()
    with pytest.raises(ValueError, match=r"no row has a reach to draw; .* near=0"):
        head.plot(scores, target, causal=True)


# Windows.


@pytest.mark.parametrize("kernel", ["exp", "x**4"])
@pytest.mark.parametrize("way", ["mask", "-inf"])
def test_nothing_comes_in_where_a_window_hides_what_is_far(kernel, way):
    rng = RNG(6)
    query, key = np.ogrid[:400, :400]
    is_visible = (key <= query) & (key > query - 100)
    scores = np.abs(rng.standard_normal((400, 400)))
    scores[:, 300] = rng.uniform(0, 8, 400)
    target = np.where(is_visible[:, 300] & (np.arange(400) > 310), 300, -1)
    named = {"mask": is_visible} if way == "mask" else {}
    values = scores if way == "mask" else np.where(is_visible, scores, -np.inf)
    for n in (50, 1e6):
        table, [said] = quietly(head.measure, values, target, n=n, kernel=kernel, **named)
        assert said.count("a window hides") == 1
        np.testing.assert_allclose(table["share_at_n"], table["share"], rtol=1e-9)
        is_kept = (table["share"] >= 0.5).to_numpy()
        assert 0 < is_kept.sum() < len(table)
        assert (table["reach"].to_numpy() == np.where(is_kept, np.inf, 0)).all()
    again, said = quietly(head.measure, values, target, n=1e6, kernel=kernel, near=0, **named)
    assert said == []
    assert np.isfinite(again["reach"]).all()


def test_padding_and_documents_are_no_windows():
    """What hides keys up to one place, for all queries, lets more come in."""
    scores, is_visible, target = causal_map(200, RNG(7), target=60)
    target = np.where(np.arange(200) > 120, 60, -1)
    padded = is_visible & (np.arange(200) >= 30)
    table, said = quietly(head.measure, scores, target, mask=padded, n=1e4)
    assert said == []
    assert np.isfinite(table["reach"]).all()
    table, said = quietly(head.measure, scores, target, mask=np.arange(200) >= 30, causal=True)
    assert np.isfinite(table["reach"]).all()
