"""One kernel that must fire against others that must stay silent: `success`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from attention_separation.any_attention.exact.values import score_columns
from attention_separation.attention.sign_columns import exceeds, heads, none_of
from attention_separation.attention.threshold_curves import threshold_curves

from .comparing import Given
from .given import kernel_of, require_usable, told_apart
from .problem import AttentionX, Model, Theta, data_of, layer_of, theta_of, tokens_of

PAPERS = {"fires": "exp", "silent": ["linear"]}
"""The first paper's contest."""


@dataclass(frozen=True)
class Success:
    """How a contest ends; all exact.

    Attributes
    ----------
    probability : of success: the kernel that fires is positive on D1 and zero on D0, and all others
        are zero on both, at one threshold for all
    theta : that threshold, or the ends of the widest interval of best ones, in units of
        sqrt(log n)
    events : the probability of each network's event alone, by its words; at the middle of the best
        thresholds where these are asked for
    """

    fires: str
    silent: tuple[str, ...]
    model: str
    attention_x: str
    n: int
    d: int
    m: int
    probability: float
    theta: float | tuple[float, float]
    events: dict[str, float]


def success(
    contest: "Mapping[str, Given | Sequence[Given]]" = PAPERS,
    model: Model = "self_attention",
    attention_x: AttentionX = "identity",
    n: int = 200,
    *,
    d: int | None = None,
    m: int | None = None,
    a0: float = 0.01,
    a1: float = 1.2,
    b: float | None = None,
    c: float | None = None,
    theta: Theta = "paper",
) -> Success:
    """The exact probability that a contest succeeds; the paper's if none is given. Other parameters
    as of `separate`.

    Parameters
    ----------
    contest : {"fires": kernel, "silent": [kernels]}, kernels as of `separate`
    theta : the threshold that all share: "paper", "best" or a number in units of sqrt(log n)
    """
    if not isinstance(contest, Mapping) or contest.keys() != {"fires", "silent"}:
        raise ValueError(f"contest={contest!r}; allowed: {{'fires': kernel, 'silent': [kernels]}}")
    silent = contest["silent"]
    others = list(silent) if isinstance(silent, list | tuple) else [silent]
    kernels = [kernel_of(each) for each in (contest["fires"], *others)]
    if len({*kernels}) < len(kernels):
        words = ", ".join(kernel.name for kernel in kernels)
        raise ValueError(f"contest of {words}; allowed: each kernel once")
    names = told_apart([kernel.name for kernel in kernels])
    layer = layer_of(model, attention_x)
    data = data_of(layer, d, m, a0, a1, b, c)
    n = tokens_of(layer, data, n)
    at = theta_of(theta, layer, data)
    for kernel in kernels:
        require_usable(kernel, layer, data, [n])
    scored = [score_columns(kernel, layer, data, [n]) for kernel in kernels]
    columns, s = scored[0].m, scored[0].s
    d0, d1 = (np.stack([getattr(each, name) for each in scored], axis=1) for name in ("d0", "d1"))
    curves = threshold_curves(d0, d1, columns, s, scored[0].n, "independent")
    if not curves.resolved[0]:
        raise ArithmeticError(f"at n = {n:,} float64 does not tell the networks' scores apart")
    best, low, high = (float(part[0]) for part in curves.best())
    asked = (low + high) / 2 if at is None else at
    events = {}
    for dataset, of_dataset in ((1, d1), (0, d0)):
        for k, name in enumerate(names):
            fires = dataset == 1 and k == 0
            zero = _silent(of_dataset[:, k], columns, s, asked)
            words = f"{name} {'>' if fires else '='} 0 on D{dataset}"
            events[words] = 1 - zero if fires else zero
    return Success(
        names[0], tuple(names[1:]), layer.model, layer.attention_x, n, layer.d(data.classes),
        int(columns[0]), best if at is None else float(curves.at(np.array([[at]]))[0, 0]),
        (low, high) if at is None else at, events,
    )  # fmt: skip


def _silent(states: np.ndarray, m: np.ndarray, s: np.ndarray, theta: float) -> float:
    """P(no column's largest score exceeds the threshold)."""
    flags = exceeds(states[0], theta * s[0], s[0])
    loud = flags.sum(axis=(0, 1, 2)) @ (heads(flags.shape[-1] - 1) / np.prod(flags.shape[:3]))
    return float(none_of(loud, m[0]))
