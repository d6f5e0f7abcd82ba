"""Near and far tokens of one row, literally: one token after the other, as docs/head.md has it.

Near are the `near` tokens of the rest that stand nearest to the query; they count once. The others
are far: of these there will be more.
"""

import math

import numpy as np

NAN = math.nan


def in_order_of_distance(keys, position):
    """Keys from the nearest to the farthest; of two as near the earlier one first."""
    return sorted(keys, key=lambda key: (abs(key - position), key))


def runs_error(weights):
    """The relative standard error of the mean of weights, by eight runs of neighbours."""
    means = np.array([run.mean() for run in np.array_split(np.asarray(weights), 8)])
    return means.std(ddof=1) / math.sqrt(8) / np.mean(weights)


def literal_row(scores, target, *, fixed=(), position=None, near=0, n, level=0.5, in_order=True):
    """The columns of one row (K,), of which -inf is masked, that near and far change."""
    seen = [key for key in range(len(scores)) if scores[key] > -math.inf]
    rest = [key for key in seen if key != target and key not in fixed]
    position = len(scores) - 1 if position is None else position
    by_distance = in_order_of_distance(rest, position)
    near = len(rest) // 2 if near == "half" else near
    weight = {key: math.exp(scores[key] - scores[target]) for key in seen}
    is_near = set(by_distance[:near])
    far = [key for key in (by_distance if near else rest) if key not in is_near]
    a = sum(weight[key] for key in seen if key in fixed)
    s = sum(weight[key] for key in is_near)
    m, m_far = len(rest), len(far)
    k = len(seen) - m
    c = (1 - level) / level
    columns = {"n": len(seen), "near": near}
    if m_far < 8:
        names = ("reach", "reach_low", "reach_high", "n_rest", "share_at_n", "share_low")
        return columns | dict.fromkeys(names, NAN)
    far_weights = [weight[key] for key in far]
    mean = sum(far_weights) / m_far
    error = runs_error(far_weights) if m_far >= 64 and mean > 0 else NAN

    def log_error(count):
        if count <= 0:
            return NAN
        stays = abs(1 - m_far / count) if near else 1 + m_far / count
        return 2.364624 * error * math.sqrt(stays)

    count_at_n = n - k - near
    columns |= {"share_at_n": NAN, "share_low": NAN, "share_high": NAN}
    if count_at_n >= 0:
        off = log_error(count_at_n)
        columns["share_at_n"] = 1 / (1 + a + s + count_at_n * mean)
        columns["share_low"] = 1 / (1 + a + s + count_at_n * mean * math.exp(off))
        columns["share_high"] = 1 / (1 + a + s + count_at_n * mean * math.exp(-off))
    columns |= {"reach": 0.0, "reach_low": NAN, "reach_high": NAN}
    if a + s < c:
        count = (c - a - s) / mean
        off = log_error(count)
        reach = k + near + count
        low, high = k + near + count * math.exp(-off), k + near + count * math.exp(off)
        if near and reach >= len(seen):
            low = max(low, len(seen))
        if near and reach < len(seen):
            high = min(high, len(seen))
        columns |= {"reach": reach, "reach_low": low, "reach_high": high}
    columns["n_rest"] = sum(far_weights) ** 2 / sum(w * w for w in far_weights)
    columns |= {"drift": NAN, "held_out": NAN}
    if m >= 512 and in_order:
        foretelling = [weight[key] for key in by_distance[m // 4 : m // 2]]
        foretold = [weight[key] for key in by_distance[m // 2 :]]
        drift = math.log(np.mean(foretold)) - math.log(np.mean(foretelling))
        allowed = 2.167 * math.hypot(runs_error(foretelling), runs_error(foretold))
        columns |= {"drift": drift, "held_out": float(abs(drift) <= allowed)}
    return columns


def literal_share_at_temperature(
    scores, target, temperature, *, fixed=(), position=None, near=0, n
):
    """The target's share among n tokens where softmax has a temperature."""
    scaled = (np.asarray(scores) - scores[target]) / temperature
    row = literal_row(scaled, target, fixed=fixed, position=position, near=near, n=n)
    return row["share_at_n"]


def literal_kernel_share(weight, scores, target, *, fixed=(), position=None, near=0, n):
    """The target's share of summed weights f(s) among n tokens, far ones as often as there are."""
    keys = range(len(scores))
    rest = [key for key in keys if key != target and key not in fixed]
    position = len(scores) - 1 if position is None else position
    by_distance = in_order_of_distance(rest, position)
    near = len(rest) // 2 if near == "half" else near
    far = set(by_distance[near:])
    copies = (n - 1 - len(fixed) - near) / len(far)
    total = sum(weight(scores[key]) * (copies if key in far else 1) for key in keys)
    return weight(scores[target]) / total
