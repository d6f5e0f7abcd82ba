"""What people ask: the limit of a kernel at given mu and n, and the n up to which it goes."""

import difflib
import math
from numbers import Integral, Real

from .crossing import MOST_N
from .lines import LINES, Line

LEAST_MU, MOST_MU = 0.1, 10.0
"""Signal-to-noise ratios at which the lines' numerics have been tried."""


def limit(kernel: str, mu: float, n: int) -> float:
    """The best accuracy with which one query of a kernel tells a needle among n noisy tokens.

    n tokens have independent noise of standard deviation 1 along the needle's direction; on D1 one
    of them has mu added. D0 and D1 are equally likely.

    Parameters
    ----------
    kernel : "none", "linear", "power_2", "power_3", "power_4", "exp" or "bayes". For none and
        linear it is a bound for one layer, any number of heads whose queries do not see the tokens,
        with scores and values linear in them, and anything behind; for powers the best threshold on
        one ratio, for exp that on the largest token; bayes is the best possible detector.
    mu : signal-to-noise ratio of the needle, 0.1 to 10
    n : number of tokens, 1 to 10^15

    Returns
    -------
    float
        The accuracy, 0.5 to 1.

    Raises
    ------
    ValueError
        If the kernel is unknown, or mu or n out of range.
    TypeError
        If mu is no number, or n no whole number.
    """
    return _line(kernel).accuracy(_checked_mu(mu), _checked_n(n)).value


def critical_n(kernel: str, mu: float) -> float:
    """The number of tokens at which the limit of a kernel is .75, halfway to a guess.

    Interpolated in log n between two whole numbers. 0 where one token alone is told apart less
    often (mu below 1.35), inf where the limit is above .75 at n = 10^15 still.

    Parameters
    ----------
    kernel, mu : as of `limit`

    Raises
    ------
    ValueError, TypeError
        As `limit` does.
    """
    return _line(kernel).critical(_checked_mu(mu)).n


def _line(kernel: str) -> Line:
    if isinstance(kernel, str) and kernel in LINES:
        return LINES[kernel]
    near = difflib.get_close_matches(str(kernel), LINES, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ValueError(f"kernel={kernel!r} has no line; {hint}allowed: {', '.join(LINES)}")


def _checked_mu(mu: float) -> float:
    if not isinstance(mu, Real) or isinstance(mu, bool):
        raise TypeError(f"mu={mu!r} is no number; allowed: {LEAST_MU:g} to {MOST_MU:g}")
    if not LEAST_MU <= mu <= MOST_MU:  # NaN too
        raise ValueError(f"mu={mu!r} is out of range; allowed: {LEAST_MU:g} to {MOST_MU:g}")
    return float(mu)


def _checked_n(n: int) -> int:
    allowed = "allowed: whole numbers from 1 to 10^15"
    if isinstance(n, bool) or not isinstance(n, Real):
        raise TypeError(f"n={n!r} is no whole number; {allowed}")
    # 1e6 is a whole number to a person.
    if not isinstance(n, Integral) and not (math.isfinite(n) and float(n).is_integer()):
        raise TypeError(f"n={n!r} is no whole number; {allowed}")
    if not 1 <= n <= MOST_N:
        raise ValueError(f"n={n!r} is out of range; {allowed}")
    return int(n)
