"""Where a kernel separates, and what it needs at one n: `largest_n`, `spans`, `holes`,
`separates_from`, `critical_temperature`, `least_degree` and `least_weight`.

A kernel separates at n if softmax's probability is above 1/2, and the kernel's above half of it,
each at its own best threshold; or, where a level is given, if its probability is at least that.

A *run* is a pair (first n, last n) of neighbouring multiples of K, the number of classes.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Unpack

import numpy as np

from ..any_attention import least_values, reach_search, verdicts
from ..any_attention.bends import LOOKED_AT_A_DECADE
from ..any_attention.kernel_check import all_sizes
from ..any_attention.layers import Layer
from ..attention.kernels import KERNELS
from ..datasets.dataset import FixedData
from ..messages.question import question, warn
from . import validation
from .build import Given, kernel_of, require_usable, say_how_long

N = int | float
"""A number of tokens; inf for no end up to 10^12."""

WEIGHTS_ASKED = 240
"""About at how many weights in X a kernel is tried, to find the least."""


@question
def largest_n(
    kernel: Given,
    model: validation.Model = "self_attention",
    attention_x: validation.AttentionX = "identity",
    *,
    level: float | None = None,
    **options: Unpack[validation.Options],
) -> float | None:
    """The largest multiple of K up to 10^12 at which a kernel separates: at which softmax's
    probability is above 1/2, and the kernel's above half of it, each at its own best threshold.
    inf if it does there still, None if it does at none. It need not separate at all smaller n: a
    warning names the first and the last at which it does not, and `spans` has all of them. How fine
    the search is, `spans` says.

    Parameters
    ----------
    level : instead, the probability that the kernel's is to be at least, whatever softmax's is
    kernel, model and all others : as of `separate`

    Raises
    ------
    ValueError, ArithmeticError
        As `separate` does, of any n up to 10^12; also where float64 does not tell whether the
        kernel separates at an n beyond the last at which it does: the text names it.
    """
    return reach_of(kernel, model, attention_x, level, **options).largest_n()


@question
def spans(
    kernel: Given,
    model: validation.Model = "self_attention",
    attention_x: validation.AttentionX = "identity",
    *,
    level: float | None = None,
    **options: Unpack[validation.Options],
) -> list[tuple[int, N]]:
    """Where a kernel separates: (first n, last n) of each run of multiples of K up to 10^12 at all
    of which it does; the last is inf where it does at the largest of them still.

    All multiples of K up to 3,000 are asked, beyond them 20 a decade and both sides of every change
    of m. Where two neighbours of these have different answers, the end between them is found to one
    multiple of K. What lies between two neighbours with the same answer is missed: a hole, or a
    run, of less than an eighth of its n can be. The weights of a kernel of one's own are looked at
    2,000 n a decade, and where they bend between two neighbours, that n is asked too; a warning
    says so. A warning names the n at which float64 does not
    tell; they are in no run. Parameters as of `largest_n`.

    Raises
    ------
    ValueError, ArithmeticError
        As `separate` does, of any n up to 10^12.
    """
    reach = reach_of(kernel, model, attention_x, level, **options)
    reach.say_how_sure()
    return reach.spans()


@question
def holes(
    kernel: Given,
    model: validation.Model = "self_attention",
    attention_x: validation.AttentionX = "identity",
    *,
    level: float | None = None,
    **options: Unpack[validation.Options],
) -> list[tuple[int, int]]:
    """Where a kernel does not separate below the largest n at which it does: (first n, last n) of
    each run of multiples of K, as `spans` finds them. Parameters and errors as of `spans`."""
    reach = reach_of(kernel, model, attention_x, level, **options)
    reach.say_how_sure()
    return reach.holes()


@question
def separates_from(
    kernel: Given,
    model: validation.Model = "self_attention",
    attention_x: validation.AttentionX = "identity",
    *,
    level: float | None = None,
    **options: Unpack[validation.Options],
) -> int | None:
    """The multiple of K from which on, up to 10^12, a kernel separates; None if it does not at the
    largest of them. It may separate at smaller n too: see `spans`, which says how fine the search
    is. Parameters as of `largest_n`.

    Raises
    ------
    ValueError, ArithmeticError
        As `largest_n` does; also where float64 does not tell at the largest n.
    """
    return reach_of(kernel, model, attention_x, level, **options).separates_from()


@dataclass(frozen=True)
class KernelReach:
    """Where a kernel of a name separates, as the questions answer it."""

    name: str
    reach: reach_search.Reach

    def largest_n(self) -> N | None:
        """See the function `largest_n`."""
        undecided_beyond = self.reach.undecided_beyond
        if undecided_beyond:
            raise ArithmeticError(self._untold(undecided_beyond))
        holes = self.holes()
        if holes:
            first, _ = holes[0]
            _, last = holes[-1]
            warn(
                f"{self.name}: it does not separate at some n from {first:,} to {last:,}, below "
                f"the largest at which it does; it does at n = {words_of_runs(self.spans())}"
            )
        self.say_how_sure()
        return None if math.isnan(self.reach.last) else _whole(self.reach.last)

    def separates_from(self) -> int | None:
        """See the function `separates_from`."""
        undecided = self.reach.undecided
        if undecided and math.isinf(undecided[-1].last):
            raise ArithmeticError(self._untold(undecided[-1]))
        if not math.isinf(self.reach.last):
            return None
        self.say_how_sure()
        return self.reach.separates[-1].first

    def spans(self) -> list[tuple[int, N]]:
        """See the function `spans`."""
        return [(span.first, _whole(span.last)) for span in self.reach.separates]

    def holes(self) -> list[tuple[int, int]]:
        """See the function `holes`."""
        return [(span.first, int(span.last)) for span in self.reach.holes]

    def say_how_sure(self) -> None:
        """Warn of n at which float64 does not tell, and of weights that bend between n that are
        asked, where a run of n can be too narrow to be found."""
        bends = self.reach.bends
        if bends:
            warn(
                f"{self.name}: its weights bend between the n that are asked first; {len(bends)} "
                f"of {_words_of_run(bends[0], bends[-1])} were asked too. The weights were looked "
                f"at {LOOKED_AT_A_DECADE:,} times a decade: a narrower run of n can be missed"
            )
        undecided = self.reach.undecided + self.reach.undecided_ends
        if undecided:
            first = min(span.first for span in undecided)
            last = max(span.last for span in undecided)
            warn(
                f"{self.name}: at some n of {_words_of_run(first, last)} float64 does not tell "
                "whether it separates"
            )

    def _untold(self, span: reach_search.Span) -> str:
        """The sentence that float64 does not tell whether the kernel separates from a span on, with
        the n at which it is known to."""
        known = "it does at no n at which float64 tells"
        if self.reach.separates:
            known = f"as far as float64 tells, it does at n = {words_of_runs(self.spans())}"
        return (
            f"{self.name}: from n = {span.first:,} on float64 does not tell whether it separates; "
            f"{known}"
        )


def reach_of(
    kernel: Given, model: str, attention_x: str, level: float | None, **options: Any
) -> KernelReach:
    """Where a kernel separates, by a search over n up to 10^12. It warns of n at which softmax does
    not."""
    usable = kernel_of(kernel)
    level = validation.level_of(level)
    layer, data = validation.setting_of(model, attention_x, **options)
    require_usable(usable, layer, data, all_sizes(data.classes))
    tried_sizes = reach_search.asked_sizes(data)
    say_how_long(usable, layer, data, int(tried_sizes[0]), len(tried_sizes))
    reach = reach_search.reach(usable, layer, data, level)
    if level is None:
        _say_where_softmax_fails(reach_search.reach(KERNELS["exp"], layer, data))
    return KernelReach(usable.name, reach)


def _say_where_softmax_fails(of_exp: reach_search.Reach) -> None:
    """Warn of the n at which softmax itself does not separate, from the reach of exp."""
    if math.isnan(of_exp.last):
        _say_softmax_fails("at any n that float64 tells")
    elif of_exp.fails and of_exp.fails[-1].first > of_exp.last:
        _say_softmax_fails(f"beyond n = {of_exp.last:,.0f}")
    if of_exp.holes:
        where = _words_of_run(of_exp.holes[0].first, of_exp.holes[-1].last)
        _say_softmax_fails(f"at some n of {where}")


def _say_softmax_fails(where: str) -> None:
    """Warn that softmax itself does not separate at some n, which `where` puts into words."""
    warn(
        f"softmax itself does not separate {where}, with a probability of at most 1/2: no kernel "
        "is measured against it there; level=0.9 asks for a probability of 0.9 alone"
    )


def _whole(n: float) -> N:
    """n as a whole number; infinity stays."""
    return n if math.isinf(n) else int(n)


MOST_RUNS_SHOWN = 3


def words_of_runs(runs: Sequence[tuple[int, N]]) -> str:
    """Runs of n as text; of many the first two and the last."""
    words = [_words_of_run(*run) for run in runs]
    if len(words) > MOST_RUNS_SHOWN:
        words = [*words[:2], "...", words[-1]]
    return ", ".join(words) or "none"


def _words_of_run(first: int, last: N) -> str:
    """A run of n as text: "2 to 200", or "2" if it is one n."""
    if first == last:
        return f"{first:,}"
    return f"{first:,} to {'10^12' if math.isinf(last) else format(int(last), ',')}"


@question
def critical_temperature(
    n: int = 200,
    model: validation.Model = "self_attention",
    attention_x: validation.AttentionX = "identity",
    *,
    level: float | None = None,
    **options: Unpack[validation.Options],
) -> float | None:
    """The highest T at which e^(x / T) separates at n tokens, as `largest_n` says it; 0 where none
    from 0.001 on does, inf where 10^4 does still, and None where e^x itself, softmax, does not. It
    is sought as `least_degree` is. Parameters as of `largest_n`.

    Raises
    ------
    ValueError, ArithmeticError
        As `separate` does; also where float64 does not tell at which T it separates.
    """
    layer, data = validation.setting_of(model, attention_x, **options)
    least_at = partial(least_values.least_parameter, least_values.COLDNESS, layer, data)
    least_coldness = _at_one_n(TEMPERATURE_QUANTITY, least_at, layer, data, n, level)
    if least_coldness is None:
        return None
    hottest = 1 / least_coldness
    return math.inf if hottest > least_values.HOTTEST * (1 - least_values.PRECISION) else hottest


@question
def least_degree(
    n: int = 200,
    model: validation.Model = "self_attention",
    attention_x: validation.AttentionX = "identity",
    *,
    level: float | None = None,
    **options: Unpack[validation.Options],
) -> float | None:
    """The least real p at which x^p separates at n tokens, as `largest_n` says it; 0 where 0.01
    does, inf where none up to 1000 does, and None where softmax itself does not. It is sought at 3
    p a decade, then between two of these: a smaller one that separates alone can be missed. A
    warning names the larger ones, of those tried, at which it does not separate. Parameters and
    errors as of `critical_temperature`.
    """
    layer, data = validation.setting_of(model, attention_x, **options)
    least_at = partial(least_values.least_parameter, least_values.DEGREE, layer, data)
    degree = _at_one_n(Quantity("p", "x^p"), least_at, layer, data, n, level)
    if degree is None:
        return None
    return 0.0 if degree <= least_values.DEGREE.low else degree


@question
def least_weight(
    kernel: Given,
    n: int = 200,
    model: validation.Model = "self_attention",
    *,
    level: float | None = None,
    **options: Unpack[validation.Options],
) -> float | None:
    """The least g with which X = I + g e_1 e_1^T lets a kernel separate at n tokens, as `largest_n`
    says it, softmax having X = I; 0 where X = I is enough, inf where no g up to 10^13 is, and None
    where softmax itself does not; sought as by `least_degree`. e_1 is the coordinate of the special
    token's own entry, and Q = K = diag(sqrt(1 + g), 1, ..., 1) before the `split`. Parameters as of
    `largest_n`.

    Raises
    ------
    ValueError, ArithmeticError
        As `critical_temperature` does; also where the kernel has no weights at a g that has to be
        tried.
    """
    usable = kernel_of(kernel)
    layer, data = validation.setting_of(model, "identity", **options)
    n = validation.tokens_of(layer, data, n)
    require_usable(usable, layer, data, [n])
    say_how_long(usable, layer, data, n, WEIGHTS_ASKED)

    def of_weight(n: int, level: float | None) -> least_values.Least:
        try:
            return least_values.least_weight(usable, layer, data, n, level)
        except ArithmeticError as error:
            raise ArithmeticError(
                f"{usable.name}: at n = {n:,} it has no weights at a g that has to be tried, with "
                f"X = I + g e_1 e_1^T: {str(error).removeprefix(f'{usable.name}: ')}"
            ) from error.__cause__

    return _at_one_n(Quantity("g", usable.name), of_weight, layer, data, n, level)


@dataclass(frozen=True)
class Quantity:
    """What the least is sought of: its letter, and what separates from it on."""

    letter: str
    kernel: str
    inverse: bool = False  # whether it is said as 1 / the letter, the least being the largest

    @property
    def above(self) -> str:
        """Values beyond the least, in words."""
        return f"{'lower' if self.inverse else 'larger'} {self.letter}"

    @property
    def below(self) -> str:
        """Values before the least, in words."""
        return f"{'higher' if self.inverse else 'smaller'} {self.letter}"

    def ends(self, values: np.ndarray) -> str:
        """The least and the largest of values tried, or of their inverses where these are asked
        for, as text; once where that is one text."""
        values = 1 / values if self.inverse else values
        least = f"{values.min():.6g}"
        largest = f"{values.max():.6g}"
        return least if least == largest else f"{least} to {largest}"

    def some_of(self, values: np.ndarray) -> str:
        """Some of the values tried between two ends, in words."""
        ends = self.ends(values)
        return f"some of {ends}" if " to " in ends else ends


TEMPERATURE_QUANTITY = Quantity("T", "e^(x / T)", inverse=True)

NEARLY_POSSIBLE = 1.01
"""A least value that float64 tells to a hundredth is an answer."""


def _at_one_n(
    quantity: Quantity,
    least_at: Callable[[int, float | None], least_values.Least],
    layer: Layer,
    data: FixedData,
    n: int,
    level: float | None,
) -> float | None:
    """The least value of a quantity at which a kernel separates at n tokens; None, with a warning,
    where softmax does not separate there."""
    level = validation.level_of(level)
    n = validation.tokens_of(layer, data, n)
    if level is None and verdicts.separation(KERNELS["exp"], layer, data, np.array([n]))[0] == 0:
        _say_softmax_fails("here")
        return None
    least = least_at(n, level)
    subject = f"{quantity.letter} {quantity.kernel}"
    undecided = least.undecided_below
    is_known = least.possible * NEARLY_POSSIBLE >= least.value
    if math.isinf(least.value) and len(undecided):
        is_known = False
    if not is_known:
        ends = quantity.ends(np.append(undecided, [least.possible, least.value]))
        raise ArithmeticError(
            f"at n = {n:,} float64 does not tell at which {subject} separates, of {ends}"
        )
    if least.possible < least.value:
        ends = quantity.ends(np.array([least.possible, least.value]))
        warn(f"at n = {n:,} float64 does not tell at which {subject} separates, but to {ends}")
    elif len(undecided):
        warn(
            f"at n = {n:,} float64 does not tell at every {quantity.below} whether "
            f"{quantity.kernel} separates: of those tried, not at "
            f"{quantity.some_of(undecided)}"
        )
    if len(least.fails_above):
        warn(
            f"at n = {n:,} {quantity.kernel} does not separate at every {quantity.above}: of those "
            f"tried, not at {quantity.some_of(least.fails_above)}"
        )
    return least.value
