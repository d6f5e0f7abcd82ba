"""Every kernel by its formula, written out plainly: what those of the package are judged by."""

import math

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def powers(x, p):
    return sum(x**k / math.factorial(k) for k in range(p + 1))


OF_SCORES = {
    "exp": lambda x, n, d: np.exp(x),
    "exp_half": lambda x, n, d: np.exp(x / 2),
    "exp_quarter": lambda x, n, d: np.exp(x / 4),
    "exp_sqrt_d": lambda x, n, d: np.exp(x / math.sqrt(d)),
    "ssmax": lambda x, n, d: n ** (0.43 * x / math.sqrt(d)),
    "softmax_one": lambda x, n, d: np.exp(x),
    "uniform": lambda x, n, d: np.ones_like(x),
    "sigmoid": lambda x, n, d: sigmoid(x),
    "sigmoid_log_n": lambda x, n, d: sigmoid(x - math.log(n)),
    "sigmoid_2_log_n": lambda x, n, d: sigmoid(x - 2 * math.log(n)),
    "sigmoid_unnormalised": lambda x, n, d: sigmoid(x - math.log(n)),
    "softplus": lambda x, n, d: np.log(1 + np.exp(x)),
    "cosh": lambda x, n, d: np.cosh(x),
    "linear_unnormalised": lambda x, n, d: x,
    "relu_over_n": lambda x, n, d: np.where(x > 0, x, 0) / n,
    "relu2_over_n": lambda x, n, d: np.where(x > 0, x, 0) ** 2 / n,
}
"""Weights before division, of any scores."""

OF_SCORES_ABOVE_ZERO = {
    "linear": lambda x, n, d: x,
    "exp_root": lambda x, n, d: np.exp(np.sqrt(x)),
    "power_log_n": lambda x, n, d: x ** math.log(n),
    "taylor_2_sqrt_d": lambda x, n, d: 1 + x / math.sqrt(d) + x**2 / (2 * d),
    **{f"power_{p}": lambda x, n, d, p=p: x**p for p in (2, 3, 4, 6, 8, 10, 12)},
    **{f"taylor_{p}": lambda x, n, d, p=p: powers(x, p) for p in (1, 2, 3, 4, 6, 8)},
}


def softmax(z, axis=-1):
    return np.exp(z) / np.exp(z).sum(axis=axis, keepdims=True)


def length(z):
    return np.sqrt((z**2).sum(axis=-1, keepdims=True))


def positive(z):
    return np.where(z > 0, z, 0)


def both(z):
    return np.concatenate([z, -z], axis=-1)


def of_features(phi):
    return lambda q, k: phi(q) @ phi(k).mT


OF_VECTORS = {
    "elu_plus_one": of_features(lambda z: np.where(z > 0, z + 1, np.exp(z))),
    "relu_features": of_features(positive),
    "relu2_features": of_features(lambda z: positive(z) ** 2),
    "exp_features": of_features(lambda z: np.exp(both(z))),
    "hedgehog": of_features(lambda z: np.concatenate([softmax(z), softmax(-z)], axis=-1)),
    "hedgehog_fla": of_features(lambda z: softmax(both(2 * z))),
    "softmax_features": of_features(softmax),
    "focused_3": of_features(
        lambda z: positive(z) ** 3 * length(positive(z)) / length(positive(z) ** 3)
    ),
    "rbf": lambda q, k: np.exp(-((q[..., :, None, :] - k[..., None, :, :]) ** 2).sum(-1) / 2),
    "cosine_softmax_10": lambda q, k: np.exp(10 * (q / length(q)) @ (k / length(k)).mT),
    "one_plus_cosine": lambda q, k: 1 + (q / length(q)) @ (k / length(k)).mT,
    "efficient": lambda q, k: softmax(q) @ softmax(k, axis=-2).mT,
}

OF_ROWS = {"sparsemax": 2.0, "entmax_15": 1.5, "entmax_125": 1.25, "entmax_15_sqrt_d": 1.5}
"""Entmax of which alpha."""

BY_HAND = {
    *OF_SCORES, *OF_SCORES_ABOVE_ZERO, *OF_VECTORS, *OF_ROWS, "hardmax", "adaptive_sqrt_d",
}  # fmt: skip

UNDIVIDED = {"linear_unnormalised", "sigmoid_unnormalised", "relu_over_n", "relu2_over_n"}


def divided(name, weights, counts=1):
    """Weights as parts of what a row is divided by, the keys having multiplicities."""
    total = (weights * counts).sum(axis=-1, keepdims=True)
    return weights / (1 if name in UNDIVIDED else total + (name == "softmax_one"))


def hardmax(x):
    return (x > x.max(axis=-1, keepdims=True) - 1e-9).astype(float)


def entmax(alpha, x):
    """[(alpha - 1) x - tau]_+^(1 / (alpha - 1)) with sum 1, tau by Newton's method from below: the
    sum is convex in tau, so every step stays below."""
    z, power = (alpha - 1) * x, 1 / (alpha - 1)
    tau = z.max(axis=-1, keepdims=True) - 1
    for _ in range(30):
        left = positive(z - tau)
        slope = power * np.where(left > 0, left ** (power - 1), 0).sum(axis=-1, keepdims=True)
        tau = tau + ((left**power).sum(axis=-1, keepdims=True) - 1) / slope
    return positive(z - tau) ** power


def adaptive(x):
    """Row by row; scores (..., n, n), already over sqrt d."""
    p = softmax(x)
    weights = np.empty_like(x)
    for row in np.ndindex(x.shape[:-1]):
        h, factor = -sum(p[row] * np.log(p[row] + 1e-9)), 1.0
        if h > 0.5:
            factor = max(-0.037 * h**4 + 0.481 * h**3 - 2.3 * h**2 + 4.917 * h - 1.791, 1.0)
        weights[row] = softmax(factor * x[row])
    return weights


def literal_weights(name, queries, keys):
    """f: the weights of every query (..., n, d) over all n keys, (..., n, n)."""
    n, d = keys.shape[-2:]
    x = queries @ keys.mT
    if name in OF_VECTORS:
        weights = OF_VECTORS[name](queries, keys)
    elif name in OF_ROWS:
        weights = entmax(OF_ROWS[name], x / math.sqrt(d) if "sqrt_d" in name else x)
    elif name == "hardmax":
        weights = hardmax(x)
    elif name == "adaptive_sqrt_d":
        weights = adaptive(x / math.sqrt(d))
    else:
        weights = (OF_SCORES | OF_SCORES_ABOVE_ZERO)[name](x, n, d)
    return divided(name, weights)
