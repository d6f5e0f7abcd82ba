"""What people ask: how well a layer recalls, up to which n, and a black box by simulation."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, cast

import numpy as np

from ..attention.kernel_names import is_built_in
from ..attention.steps import beside_steps, weights_by_n
from ..messages.number_check import number, whole_number
from ..messages.question import question, warn
from ..statistics.counts import clopper_pearson
from ..statistics.seeding import stream
from .exact import large_d_limits, scores
from .exact.answer import Recall
from .exact.reach import LARGEST_N, Reach, reach, simulated_reach, sizes
from .exact.writes import VANISHED, Writes
from .kernel_check import require_weights_of_pairs
from .layers import Delta, GivenLayer, Layer, LeastSquares, Scores, layer_of
from .simulation.black_box import DrawLaw, Pairs, simulated
from .simulation.conventions import other_conventions, words_of_norm
from .simulation.given_layer import given_layer
from .simulation.layer_check import STATE_WORDS, first_answer
from .simulation.literal_layers import (
    BlackBox,
    has_unit_keys,
    has_weights_of_either_sign,
    literal_layer,
)
from .simulation.reduced_delta import DeltaTrials

LARGEST_D = 10_000
LARGEST_REWRITES = 100
LARGEST_TRIALS = 10**8

DEFAULT_TRIALS = 100_000
"""Of the reduced law."""

LITERAL_NUMBERS = 100_000_000
"""Numbers of keys that a literal layer draws, if nothing is said: of draws there are as many as
these allow, at least FEWEST_DRAWS and at most MOST_DRAWS."""

FEWEST_DRAWS, MOST_DRAWS = 50, 4000

MOST_LITERAL = 50_000_000
"""Numbers of the keys of one draw."""

LARGEST_EXACT_ERROR = 0.02
"""Of an answer that is called exact. The integral of a few keys that are written again and fade has
a larger one: the literal layer answers there."""

FEWEST_TRIALS_OF_REACH = 100
"""Of each n that is simulated in the search for the largest one."""

MOST_STEPS = 20_000
"""Keys up to which the reduced law is simulated."""

SEEN_OF_LIMIT = 0.6
"""How far the limit of an age is from the reduced law at most, times d. The most was 0.40 (at most
0.46 with noise), at d = 64, beta = 1 and the age 6, over decays of 1 and 0.9995, d = 16 and 64, and
cosines from -0.8 to 1."""

Norm = Literal["sqrt_d"] | float


@dataclass(frozen=True)
class Question:
    """What is asked of a layer, checked.

    trials : of what is simulated; None for as many as each method takes by itself
    """

    layer: Layer
    n: int
    d: int
    age: int | None
    cosine: float
    rewrites: int
    trials: int | None
    seed: int

    def answer(self) -> Recall:
        """The accuracy by the best method that there is for the layer: exactly, by a limit, or by
        simulation."""
        layer = self.layer
        if isinstance(layer, Scores) and layer.kernel.kind == "score":
            try:
                exact = scores.accuracy(self.of_scores(layer), self.age)
            except scores.UnresolvedError:
                return self._literal()
            return exact if exact.error <= LARGEST_EXACT_ERROR else self._literal()
        if isinstance(layer, Delta) and self.rewrites == 0:
            return self._of_delta(layer)
        if isinstance(layer, LeastSquares) and self.n <= self.d and self.cosine == 1:
            return Recall(
                large_d_limits.of_equal_values(self.rewrites), 0.0, "exact: a closed form"
            )
        return self._literal()

    def of_scores(self, layer: Scores) -> scores.Question:
        """The question on a kernel of the score, which one integral answers."""
        writes = Writes(self.n, self.rewrites, layer.decay, layer.window)
        return scores.Question(layer.kernel, self.d, writes, self.cosine)

    def _of_delta(self, layer: Delta) -> Recall:
        """The accuracy of a delta rule: simulated by its reduced law, or, where it has too many
        steps for that, the limit of large d and n."""
        # Keys that a decay leaves unseen change nothing, and are guessed.
        keys_seen = Writes(self.n, rewrites=0, decay=layer.decay).keys_seen
        if self.age is not None and self.age >= keys_seen:
            method = "limit: of a decay that leaves the key unseen"
            return Recall(scores.GUESS, VANISHED * math.sqrt(self.d), method)
        if keys_seen > MOST_STEPS:
            value = large_d_limits.delta_limit(layer, self.n, self.d, self.age, self.cosine)
            method = "limit: of large d and n; the error is what was seen at d = 16 to 256, as 1/d"
            return Recall(value, min(SEEN_OF_LIMIT / self.d, 0.5), method)
        trials = self.trials or DEFAULT_TRIALS
        law = DeltaTrials(layer.beta, layer.decay, self.d, keys_seen, self.age, self.cosine)
        right = _right(law, trials, self.seed)
        low, high = clopper_pearson(math.floor(right), trials)
        share = right / trials
        error = float(max(high - share, share - low))
        method = f"simulated: the reduced law, {trials:,} trials; the error is half of 95 %"
        if self.age is not None:
            return Recall(share, error, method)
        share_seen = keys_seen / self.n
        value = scores.GUESS + (share - scores.GUESS) * share_seen
        return Recall(value, error * share_seen, method)

    def _literal(self) -> Recall:
        """The accuracy by simulating the layer itself, with random keys; ValueError if n times d is
        too large."""
        numbers = self.n * self.d
        if numbers > MOST_LITERAL:
            raise ValueError(
                f"n={self.n} with d={self.d}: {self.layer.name} is simulated by its keys; allowed: "
                f"n times d up to {MOST_LITERAL:,}"
            )
        draws = self.trials or min(max(LITERAL_NUMBERS // numbers, FEWEST_DRAWS), MOST_DRAWS)
        norm = 1.0 if has_unit_keys(self.layer) else math.sqrt(self.d)
        ages = None if self.age is None else (self.age,)
        pairs = Pairs(self.n, self.d, ages, self.cosine, self.rewrites, norm)
        simulated_layer = "the literal layer"
        if has_weights_of_either_sign(self.layer, self.d):
            simulated_layer += f", {scores.NOT_DIVIDED_FAULT}"
        law = draw_law(self.layer)
        function = literal_layer(self.layer)
        return simulated(function, pairs, draws, self.seed, simulated_layer, law)


@lru_cache(maxsize=256)
def _right(law: DeltaTrials, trials: int, seed: int) -> float:
    """The number of trials in which the value is recalled. It is remembered: it is the same for all
    n of which a decay leaves as many keys seen."""
    return law.right(trials, seed)


@question
def accuracy(
    layer: GivenLayer,
    n: int,
    d: int,
    *,
    age: int | None = None,
    cosine: float = 1.0,
    rewrites: int = 0,
    trials: int | None = None,
    seed: int = 0,
) -> Recall:
    """The accuracy with which a layer gives back the value of one of n random keys.

    Keys are independent and uniform on a sphere, values fair signs: of one coordinate of a value,
    the probability that the output has its sign, a tie counted half. Scores are those of keys and
    queries of norm sqrt d.

    Parameters
    ----------
    layer : a kernel by name, by formula in x such as "x**4", or as a function of scores; `decay` or
        `window` of one; `delta`, or `least_squares`
    n : keys, 1 to 10^12
    d : dimension of the head, 2 to 10,000
    age : of the key whose value is asked for, 0 for the latest; the mean over all if not given
    cosine : of the query and that key, -1 to 1; below 1 the query is noisy
    rewrites : how many times all keys were written before, in the same order with other values; the
        latest value counts
    trials : of what is simulated: of delta rules trials, of other layers draws of all keys. What is
        exact or a limit has none; a delta rule that sees more than 20,000 keys is a limit
    seed : of what is simulated

    Returns the value, its error and the method in words, which begins with exact, limit or
    simulated: so is a kernel whose weights are of too many sizes for one integral. Raises
    UnknownKernelError or TypeError for what is no layer, and ValueError for a number out of range,
    or a kernel without weights of negative scores.
    """
    return _question(layer, n, d, age, cosine, rewrites, trials, seed).answer()


@question
def largest_n(
    layer: GivenLayer,
    d: int,
    level: float = 0.9,
    *,
    age: int | None = None,
    cosine: float = 1.0,
    rewrites: int = 0,
    trials: int | None = None,
    seed: int = 0,
) -> float | None:
    """The largest n up to 10^12 at which a layer's accuracy is at least a level; inf if it is at
    10^12 still, None if at none.

    It need not be at all smaller n: a warning names the first and the last at which it is not, of
    those tried, all up to 24 and then 10 a decade, and both sides of steps of the kernel's weights.
    Of what is simulated n rises until the accuracy is below the level. Then 10 n a decade and some
    about d are looked at, up to three times that; of an island that surely reaches the level, by
    its interval of 95 %, the answer is the end. Between those n a narrow one may hide. Warnings say
    how many were looked at, what noise leaves open (outside of it every n that was asked is surely
    on its side), and on which sides n are where the accuracy does not only fall.

    Parameters
    ----------
    level : accuracy, above 0.5 and below 1
    trials : of each n that is simulated, at least 100
    layer, d and all others : as of `accuracy`; at an age, n is larger than it

    Errors are as of `accuracy`.
    """
    allowed = "numbers above 0.5 and below 1"
    checked_level = number("level", level, allowed, lambda x: 0.5 < x < 1)
    least_n = 1
    if age is not None:
        least_n += whole_number("age", age, least=0, most=LARGEST_N - 1)
    first = _question(layer, least_n, d, age, cosine, rewrites, trials, seed)
    if trials is not None:
        whole_number("trials", trials, least=FEWEST_TRIALS_OF_REACH, most=LARGEST_TRIALS)

    def recall_at(n: int) -> Recall:
        return _question(first.layer, n, d, age, cosine, rewrites, trials, seed).answer()

    reach_of_layer = reach_of(first, recall_at, checked_level)
    for sentence in reach_of_layer.warnings:
        warn(f"{first.layer.name}: {sentence}")
    return reach_of_layer.last


def reach_of(first: Question, recall_at: Callable[[int], Recall], level: float) -> Reach:
    """The n at which the accuracy is at least a level: computed exactly where the layer allows it,
    else by simulation. `first` is the question at the least n."""
    layer = first.layer

    def exactly_at(n: int) -> Recall:
        answer = recall_at(n)
        if answer.kind == "simulated":
            raise scores.UnresolvedError
        return answer

    least = first.n
    if isinstance(layer, Scores) and layer.kernel.kind == "score":
        try:
            end = _end_of_change(first, layer)
            return reach(exactly_at, level, least, end, also=_beside_steps(first, layer, end))
        except scores.UnresolvedError:
            pass
    most = MOST_LITERAL // first.d
    return simulated_reach(recall_at, level, least, most, about_dimension(first.d))


SHARES_OF_DIMENSION = (0.5, 0.75, 0.875, 1.0, 1.125, 1.25, 1.5, 2.0)


def about_dimension(d: int) -> list[int]:
    """The n about d, where layers with a matrix turn: what least squares recall is least there."""
    about = {round(share * d) for share in SHARES_OF_DIMENSION}
    return sorted(about | {d - 1, d + 1})


def _beside_steps(first: Question, layer: Scores, end: int) -> list[int]:
    """The n on both sides of each n at which the weights of a user's kernel jump; none for built-in
    kernels."""
    if is_built_in(layer.kernel):
        return []
    weights_of = weights_by_n(layer.kernel, first.d)

    def weights_at(n: np.ndarray) -> np.ndarray:
        return weights_of(np.minimum(n * (first.rewrites + 1), layer.window).astype(int))

    return beside_steps(weights_at, np.array(sizes(first.n, end)), step=1)


def _end_of_change(first: Question, layer: Scores) -> int:
    """The n from which on more keys change the share of those that a decay leaves seen, and nothing
    else; without one the largest that is asked for."""
    if layer.decay == 1:
        return LARGEST_N
    question = replace(first, n=LARGEST_N, rewrites=0).of_scores(layer)
    return min(max(4 * question.with_vanishing().writes.end, 16), LARGEST_N)


@question
def simulate(
    layer: GivenLayer | BlackBox | Any,
    n: int,
    d: int,
    trials: int = 1000,
    seed: int = 0,
    *,
    age: int | None = None,
    cosine: float = 1.0,
    rewrites: int = 0,
    norm: Norm | None = None,
) -> Recall:
    """The accuracy of any layer, literally: it is called with random pairs.

    Parameters
    ----------
    layer : a function (q, k, v) -> o of arrays (m, d), (n, d), (n, e) to (m, e), NumPy's or
        PyTorch's in float64: all n pairs are written in their order, then the queries read and
        write nothing. Or a layer as of `accuracy`, by its definition
    trials : draws of all keys, at least 2; each has up to 64 queries and 8 coordinates of a value
    norm : of keys and queries: "sqrt_d", for layers with a scale 1/sqrt d, or 1, for delta rules;
        if not given, sqrt d, and for layers of `accuracy` their own
    n, d, seed and all others : as of `accuracy`

    Returns the value, the longer half of its interval of 95 %, and the method, with the norm. The
    draws of keys are the sample, for what shares keys is not independent. Of a function and of a
    kernel of one's own the interval is one for shares of any law, which may fail in whole draws
    (Gaffke 2005): of few draws it is long, about 3 over their number. Of layers that are known here
    it is Clopper and Pearson's of an effective number of answers (Korn and Graubard 1998).
    Warnings say, with what to do, where a function seems to keep other conventions: where it gives
    other outputs when it is called again, its outputs grow beyond 10^6 times the values, a query
    does not see its own key, an answer depends on the query's row or on other queries, or, if no
    norm is given, on the norm. Raises ValueError as `accuracy` does, if a function does not take
    three arrays, if it fits because two sizes are equal alone, such as n = d, or if the layer gives
    anything but finite numbers (m, e).
    """
    draws = whole_number("trials", trials, least=2, most=LARGEST_TRIALS)
    is_given = callable(layer) and not isinstance(layer, Scores | Delta | LeastSquares)
    known: Layer = LeastSquares()
    if is_given:
        function = given_layer(cast(BlackBox, layer))
        own_norm = math.nan
        law: DrawLaw = "any"
    else:
        known = layer_of(layer)
        function = literal_layer(known)
        law = draw_law(known)
        own_norm = 1.0 if has_unit_keys(known) else math.nan
    checked = _question(known, n, d, age, cosine, rewrites, draws, seed)
    if checked.n * checked.d > MOST_LITERAL:
        raise ValueError(f"n={n} with d={d}; allowed: n times d up to {MOST_LITERAL:,}")
    if norm is None:
        length = math.sqrt(checked.d) if math.isnan(own_norm) else own_norm
    else:
        length = _norm(norm, checked.d)
    ages = None if checked.age is None else (checked.age,)
    pairs = Pairs(checked.n, checked.d, ages, checked.cosine, checked.rewrites, length)
    first = None
    if is_given:
        generator = stream(checked.seed, "recall", "conventions")
        first = first_answer(function, pairs, generator)
        is_norm_given = norm is not None
        for sentence in other_conventions(
            function, pairs, draws, checked.seed, is_norm_given, first
        ):
            warn(f"layer: {sentence}")
    simulated_layer = f"the {'given' if is_given else 'literal'} layer"
    simulated_layer += f", keys and queries of norm {words_of_norm(pairs)}"
    answer = simulated(function, pairs, draws, checked.seed, simulated_layer, law)
    if first is not None and not first.is_given_again(function, pairs):
        # What changes slowly is seen after many calls.
        warn(f"layer: {STATE_WORDS}")
    return answer


def draw_law(layer: Layer) -> DrawLaw:
    """Whether draws are alike: a kernel of one's own may do anything in some of them."""
    if isinstance(layer, Scores) and not is_built_in(layer.kernel):
        return "any"
    return "alike"


def _norm(norm: Norm, d: int) -> float:
    """The length of keys and queries that a norm names; ValueError if it is none."""
    if isinstance(norm, str) and norm == "sqrt_d":
        return math.sqrt(d)

    def is_length(x: float) -> bool:
        return math.isclose(x, 1.0) or math.isclose(x, math.sqrt(d))

    length = number("norm", norm, "'sqrt_d', 1", is_length)
    return 1.0 if math.isclose(length, 1.0) else math.sqrt(d)


def _question(
    layer: GivenLayer,
    n: int,
    d: int,
    age: int | None,
    cosine: float,
    rewrites: int,
    trials: int | None,
    seed: int,
) -> Question:
    """The question with its numbers checked; ValueError names the one that is wrong."""
    keys = whole_number("n", n, 1, LARGEST_N)
    dimension = whole_number("d", d, 2, LARGEST_D)
    checked_age = None if age is None else whole_number("age", age, 0, keys - 1)
    checked_layer = layer_of(layer)
    if isinstance(checked_layer, Scores):
        tokens = int(min(checked_layer.window, keys))
        require_weights_of_pairs(checked_layer.kernel, dimension, tokens)
    return Question(
        layer=checked_layer,
        n=keys,
        d=dimension,
        age=checked_age,
        cosine=number("cosine", cosine, "numbers from -1 to 1", lambda x: -1 <= x <= 1),
        rewrites=whole_number("rewrites", rewrites, 0, LARGEST_REWRITES),
        trials=None if trials is None else whole_number("trials", trials, 2, LARGEST_TRIALS),
        seed=whole_number("seed", seed, 0, 2**63 - 1),
    )
