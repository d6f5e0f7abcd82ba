"""Kernels of the score, exactly: one Fourier integral, for any decay, window and rewrites.

The output is o = sum_j w_j v_j, where w_j = g h(x_j), x_j the score, h the kernel, g the factor of
the write. Given the query the weights are independent and values are fair signs: so E cos(omega g
h) of the other keys is multiplied, and the mean sign of v_J o is one inversion. P = 1/2 + half of
it.

A product of many cosines close to 1 is kept as what it lacks to 1, its *shortfall*: 1 - cos needs
no digits that 1 takes up.

omega is a frequency of that integral, a *rule* the nodes and shares by which means over weights are
taken, and phi the characteristic function of what a key adds to v_J o. The query's *own* key is J.
A write is *seen* if its factor is not negligible.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.interpolate import CubicSpline

from ...attention.kernel import Kernel
from ...statistics.fourier import SPREADS_OF_PERIOD, Frequencies, MeanSign
from .answer import Recall
from .roughness import Roughness, roughness
from .sphere import cosines
from .weights import WeightLaw, has_either_sign, weight_law
from .writes import VANISHED, Writes

NODES_A_RADIAN = 0.55
"""Nodes that are added for each radian that the highest frequency turns over the weights."""

MOST_NODES = 2000

COARSER = 0.7
"""Share of the nodes by which the rule's error is measured."""

KNOTS_A_RADIAN = 40
"""Knots of the spline that stands for a function of many arguments, for each radian that the
highest frequency turns a typical weight."""

FEWEST_KNOTS = 300
MOST_KNOTS = 4000

TAIL = 1e-12
"""Probability that any weight lies where the rule need not resolve its turns."""

CLASS_WIDTH = 4.0
"""Weights of ages are taken together where they are apart by at most this factor."""

PROBING_SHARE = 0.25
"""Of the knots, by which it is looked up to where the integrand reaches."""

MOST_AGES = 1_000_000
"""Ages that a decay may leave seen."""

NEVER = 1e-12
"""Probability that any key has a weight which is left out, as it is too large to come."""

NEAR = 0.2
"""Of the spread: own weights from this size on are resolved by the frequencies that it needs."""

BULK = 0.3
"""What the characteristic function of the others lacks to 1, at least, at one over NEAR times their
spread, where the spread is that of what usually comes, and not of a tail that hardly does."""

MOST_MISMATCH = 0.05
"""How far means of weights may be apart, by two rules."""

USUAL_TAIL = 0.1
"""Share of the weights, of those that are not 0, below the size beside which others vanish."""

LEAST_LOG = -690.0
"""Of the logarithm of a factor: below it are no numbers."""

NOT_DIVIDED_FAULT = "rows not divided by their sum, which may have either sign"

GUESS = 0.5
"""The accuracy where the query's own key has no weight."""


@dataclass(frozen=True)
class Question:
    """What is asked: a kernel's accuracy on n keys of dimension d.

    cosine : of the query and its own key
    """

    kernel: Kernel
    d: int
    writes: Writes
    cosine: float = 1.0

    @property
    def tokens(self) -> int:
        """The n that a kernel which depends on n is given: the writes that may be seen."""
        writes = self.writes
        return int(min(writes.window, writes.n * (writes.rewrites + 1)))

    def law(self, nodes: int) -> WeightLaw:
        """The law of the kernel's weights, by a rule of so many nodes."""
        rule = cosines(self.d, nodes, self.roughness.jumps)
        failure_probability = NEVER / self.tokens
        return weight_law(self.kernel, self.d, self.tokens, self.cosine, rule, failure_probability)

    @cached_property
    def roughness(self) -> Roughness:
        """How rough the kernel's weights are over the cosine of query and key."""
        return roughness(self.kernel, self.d, self.tokens)

    @cached_property
    def coarse(self) -> WeightLaw:
        """The law of the weights by the fewest nodes that resolve the kernel."""
        return self.law(self.roughness.nodes)

    def with_vanishing(self) -> "Question":
        """The question where writes count as unseen if the decay makes their weights negligible
        beside others."""
        if self.writes.decay == 1:
            return self
        vanishing = math.exp(max(self._log_vanishing(), LEAST_LOG))
        return replace(self, writes=replace(self.writes, vanishing=vanishing))

    def _log_vanishing(self) -> float:
        """The logarithm of the factor of a decay at which even the largest weight is negligible,
        VANISHED, beside a usual weight of the latest keys."""
        law = self.coarse
        usual_size = law.usual_size(USUAL_TAIL)
        if usual_size == 0:
            return -math.inf
        largest_size = max(law.largest, abs(law.own))
        # Of so many keys one is as large as usual, but for one time in 1 / VANISHED.
        share_smaller = law.share_below(usual_size)
        keys_for_usual_size = (
            math.log(VANISHED) / math.log(share_smaller) if share_smaller > 0 else 1.0
        )
        return math.log(VANISHED * usual_size / largest_size) + keys_for_usual_size * math.log(
            self.writes.decay
        )


class UnresolvedError(ArithmeticError):
    """The integral does not tell: weights are of too many sizes, or too rough."""


def accuracy(question: Question, age: int | None) -> Recall:
    """The accuracy at an age, or its mean over the ages of all keys. ValueError where the kernel
    has no weight of a score, or a decay leaves too many ages; UnresolvedError where the integral
    does not tell it."""
    question = question.with_vanishing()
    mismatch = question.roughness.mismatch
    if mismatch > MOST_MISMATCH:
        raise UnresolvedError(f"{question.kernel.name}: its weights are too rough")
    words = "exact: one Fourier integral"
    if has_either_sign(question.coarse):
        words += f", {NOT_DIVIDED_FAULT}"
    if question.writes.decay < 1:
        value, error = _of_decay(question, age)
    else:
        value, error = _of_equal_factors(question, age)
    # What a rule misses of the weights' sizes moves the answer by half of that at most.
    return Recall(min(max(value, 0.0), 1.0), error + mismatch / 2, words)


def _of_decay(question: Question, age: int | None) -> tuple[float, float]:
    """The accuracy of the key of an age, or the mean over all n keys, with its error, for a decay.
    The value of a key that is not seen any more is guessed."""
    writes = question.writes
    ages_seen = writes.keys_seen
    is_unseen = age is not None and age >= ages_seen
    if is_unseen or question.coarse.own == 0:
        return GUESS, 0.0
    if ages_seen > MOST_AGES:
        raise ValueError(
            f"decay={writes.decay!r} leaves {ages_seen:,} ages seen; allowed: at most {MOST_AGES:,}"
        )
    sequence = DecayedKeys.of(question)
    if age is not None:
        values, errors = sequence.accuracies(np.array([age]))
        return float(values[0]), float(errors[0])
    values, errors = sequence.accuracies(np.arange(ages_seen))
    above_guess = float((values - GUESS).sum())
    return GUESS + above_guess / writes.n, float(errors.sum()) / writes.n


@dataclass(frozen=True)
class DecayedKeys:
    """The keys that a decay leaves seen.

    Attributes
    ----------
    question : what is asked
    factors : (A,) of the latest write of each key, by age
    counts : (A,) how many of its writes are seen
    size, spread : of the own key's writes at age 0, and of all keys' together
    rare_sum : of weights so large that few come, as of `WeightLaw.rare_sum`
    """

    question: Question
    factors: np.ndarray
    counts: np.ndarray
    size: float
    spread: float
    rare_sum: float

    @classmethod
    def of(cls, question: Question) -> "DecayedKeys":
        """The keys that the decay of a question leaves seen."""
        writes = question.writes
        ages = np.arange(writes.keys_seen)
        factors = writes.decay ** ages.astype(float)
        counts = writes.counts(ages)
        squares = 0.0
        for count in np.unique(counts):
            squares_of_key = float(np.square(writes.factors(0, int(count))).sum())
            squares += squares_of_key * float(np.square(factors[counts == count]).sum())
        law = question.coarse
        size = abs(law.own) * float(writes.factors(0, int(counts[0])).sum())
        spread = float(np.sqrt(squares * law.mean_square))
        return cls(question, factors, counts, size, spread, law.rare_sum(float(factors.sum())))

    def accuracies(self, ages: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The accuracies of keys of these ages, (A',), and their errors, (A',)."""
        values = np.empty(len(ages))
        errors = np.empty(len(ages))
        # One grid for weights far apart would have to be fine for one and long for the other.
        over_spread = np.maximum(self.size * self.factors[ages] / (self.spread or 1.0), 1.0)
        classes = np.floor(np.log(over_spread) / np.log(CLASS_WIDTH))
        for one_class in np.unique(classes):
            is_in = classes == one_class
            values[is_in], errors[is_in] = self._accuracies_of_class(ages[is_in])
        return values, errors

    def _accuracies_of_class(self, ages: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The accuracies of keys of these ages, (A',), and their errors. The keys' weights are of
        about one size, or all smaller than the others' noise."""
        factors = self.factors[ages]
        frequencies = _frequencies(
            size=self.size * float(factors.max()),
            least_size=self.size * float(factors.min()),
            spread=self.spread,
            rare_sum=self.rare_sum,
        )

        def all_at(omega: np.ndarray) -> np.ndarray:
            logs, _ = self._logs_and_signs(self.question.coarse, omega, PROBING_SHARE)
            return np.exp(logs.sum(axis=0))

        _check_bulk(frequencies, all_at)

        def size_at(omega: np.ndarray) -> np.ndarray:
            """How large the integrand is at each omega: the product of all factors but the least,
            whose logarithms lie along the first axis."""
            law = self.question.law(_nodes(self.question, omega))
            logs, _ = self._logs_and_signs(law, omega, PROBING_SHARE)
            return np.exp(logs.sum(axis=0) - logs.min(axis=0))

        omega = frequencies.needed_off_lattice(size_at)

        def mean_sign(rule: WeightLaw, share: float) -> MeanSign:
            return frequencies.mean_sign(self._transforms(rule, share, omega, ages))

        return _by_two_rules(self.question, omega, mean_sign)

    def _transforms(
        self, law: WeightLaw, share: float, omega: np.ndarray, ages: np.ndarray
    ) -> np.ndarray:
        """The imaginary part of E exp(i omega v_J o), (A', K), for an own key J of each of the
        ages."""
        logs, signs = self._logs_and_signs(law, omega, share)
        factor_of_others = np.exp(logs.sum(axis=0) - logs[ages])
        factor_of_others *= signs.prod(axis=0) * signs[ages]
        phases = np.multiply.outer(self.factors[ages] * law.own, omega)
        factor_of_own = np.sin(phases)
        writes = self.question.writes
        earlier_factors = writes.factors(0, int(self.counts.max()))[1:]
        for number, factor in enumerate(earlier_factors, start=1):
            is_seen = self.counts[ages] > number
            factor_of_own *= np.where(is_seen[:, None], np.cos(factor * phases), 1.0)
        return factor_of_own * factor_of_others

    def _logs_and_signs(
        self, law: WeightLaw, omega: np.ndarray, share: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """log |phi| and the sign of phi for each key, (A, K) each, from splines with a share of the
        knots."""
        arguments = np.multiply.outer(self.factors, omega)
        shortfalls = np.empty_like(arguments)
        typical = float(law.shares @ law.values**4) ** 0.25
        wanted = KNOTS_A_RADIAN * omega[-1] * typical
        number_of_knots = int(share * min(max(wanted, FEWEST_KNOTS), MOST_KNOTS))
        knots = np.linspace(0.0, omega[-1], number_of_knots)
        for count in np.unique(self.counts):
            shortfall_over_square = self._shortfall_spline(law, knots, int(count))
            has_count = self.counts == count
            u = arguments[has_count]
            shortfalls[has_count] = shortfall_over_square(u) * np.square(u)
        return _log_size_and_sign(shortfalls)

    def _shortfall_spline(self, law: WeightLaw, knots: np.ndarray, count: int) -> CubicSpline:
        """The spline of (1 - phi(u)) / u^2 as a function of u, between knots (K,), of which the
        first is 0.

        phi(u) = E prod_i cos(u g_i h) is of a key of age 0 of which `count` writes are seen, with
        factors g_i, and weight h. At u = 0 the quotient is E h^2 sum_i g_i^2 / 2.
        """
        factors = self.question.writes.factors(0, count)
        quotient_at_0 = law.mean_square * float(np.square(factors).sum()) / 2
        u = knots[1:]
        # 1 - prod_i cos(u g_i h) for each u and each value of h, (K - 1, M).
        shortfall_of_product = np.zeros((len(u), len(law.values)))
        for factor in factors[factors > self.question.writes.vanishing]:
            # 1 - A B = (1 - A) + A (1 - B), A the product so far and B the next cosine.
            product = 1 - shortfall_of_product
            shortfall_of_product += product * _one_minus_cosines(u * factor, law)
        quotients = (shortfall_of_product @ law.shares) / np.square(u)
        return CubicSpline(knots, np.concatenate([[quotient_at_0], quotients]))


def _of_equal_factors(question: Question, age: int | None) -> tuple[float, float]:
    """The accuracy of the key of an age, or the mean over all n keys, with its error, without a
    decay: then it depends only on how many writes of the key are seen."""
    writes = question.writes
    keys_by_count = writes.keys_by_count()
    if age is not None:
        count = int(writes.counts(np.array([age]))[0])
        return _at_count(question, count) if count else (GUESS, 0.0)
    value = GUESS
    error = 0.0
    for count, keys in keys_by_count.items():
        at_count, its_error = _at_count(question, count)
        value += (at_count - GUESS) * keys / writes.n
        error += its_error * keys / writes.n
    return value, error


def _at_count(question: Question, count: int) -> tuple[float, float]:
    """The accuracy of a key, with its error, of which `count` writes are seen, all with the factor
    1."""
    law = question.coarse
    if law.own == 0:
        return GUESS, 0.0
    other_keys_by_count = dict(question.writes.keys_by_count())
    other_keys_by_count[count] -= 1
    writes_of_others = _writes_in(other_keys_by_count)
    outweighs_others = abs(law.own) > law.largest * writes_of_others
    if count == 1 and outweighs_others:
        return float(law.own > 0), 0.0
    spread = np.sqrt(writes_of_others * law.mean_square)
    size = abs(law.own) * count
    rare_sum = law.rare_sum(writes_of_others)
    frequencies = _frequencies(size=size, least_size=size, spread=float(spread), rare_sum=rare_sum)
    _check_bulk(frequencies, lambda omega: np.abs(_product(other_keys_by_count, law, omega)))

    def size_at(omega: np.ndarray) -> np.ndarray:
        return np.abs(_product(other_keys_by_count, question.law(_nodes(question, omega)), omega))

    omega = frequencies.needed(size_at)

    def mean_sign(rule: WeightLaw, share: float) -> MeanSign:
        phase = omega * rule.own
        own = np.sin(phase) * np.cos(phase) ** (count - 1)
        return frequencies.mean_sign(own * _product(other_keys_by_count, rule, omega))

    value, error = _by_two_rules(question, omega, mean_sign)
    return float(value), float(error)


def _frequencies(size: float, least_size: float, spread: float, rare_sum: float) -> Frequencies:
    """The frequencies of the integral for own weights of these sizes among others. Rare weights
    larger than the spread covers are added to the size."""
    uncovered = max(rare_sum - SPREADS_OF_PERIOD * spread, 0.0)
    return Frequencies(size=size + uncovered, spread=spread, least_size=least_size)


def _check_bulk(frequencies: Frequencies, size_at: Callable[[np.ndarray], np.ndarray]) -> None:
    """Raise UnresolvedError where the frequencies that the spread asks for are too low: where
    neither the own weight nor the others' usual sum is near the spread."""
    if frequencies.least_size >= NEAR * frequencies.spread:
        return
    highest = 1 / (NEAR * frequencies.spread)
    # From 0 on: splines have a knot there.
    size = float(size_at(np.linspace(0.0, highest, FEWEST_KNOTS)[1:])[-1])
    if 1 - size < BULK:
        raise UnresolvedError("weights are of too many sizes for one integral")


def _writes_in(keys_by_count: dict[int, int]) -> int:
    """The number of writes of all keys, from the number of keys with each count of writes."""
    return sum(keys * count for count, keys in keys_by_count.items())


def _product(keys_by_count: dict[int, int], law: WeightLaw, omega: np.ndarray) -> np.ndarray:
    """The characteristic function, (K,), of what all keys add, from the number of keys with each
    count of seen writes."""
    one_minus_cosines = _one_minus_cosines(omega, law)
    logs = np.zeros_like(omega)
    signs = np.ones_like(omega)
    for count, keys in keys_by_count.items():
        shortfall = _one_minus_power(one_minus_cosines, count) @ law.shares
        log_size, sign = _log_size_and_sign(shortfall)
        logs += keys * log_size
        if keys % 2:
            signs *= sign
    return signs * np.exp(logs)


def _nodes(question: Question, omega: np.ndarray) -> int:
    """The number of nodes that resolve the turns of the highest frequency over all likely
    weights."""
    law = question.coarse
    # From the middle to both sides: beyond are those with a smaller share.
    tails = np.minimum(law.shares.cumsum(), law.shares[::-1].cumsum()[::-1])
    likely = law.values[tails * question.tokens > TAIL]
    turn = omega[-1] * float(np.ptp(likely)) if len(likely) else 0.0
    return min(question.roughness.nodes + int(NODES_A_RADIAN * turn), MOST_NODES)


def _by_two_rules(
    question: Question, omega: np.ndarray, mean_sign: Callable[[WeightLaw, float], MeanSign]
) -> tuple[np.ndarray, np.ndarray]:
    """The accuracies (...) by the finer of two rules, and their errors from the difference of both
    and from the inversion."""
    nodes = _nodes(question, omega)
    fine = mean_sign(question.law(nodes), 1.0)
    coarse = mean_sign(question.law(int(COARSER * nodes)), COARSER)
    error = np.abs(fine.value - coarse.value) / 2 + fine.error / 2
    return 0.5 + fine.value / 2, error


def _one_minus_cosines(omega: np.ndarray, law: WeightLaw) -> np.ndarray:
    """1 - cos(omega h), (K, M), for each frequency and weight h, without cancellation."""
    return 2 * np.square(np.sin(np.multiply.outer(omega, law.values / 2)))


def _one_minus_power(one_minus_cosines: np.ndarray, exponent: int) -> np.ndarray:
    """The numbers 1 - cos^exponent, from 1 - cos, without cancellation."""
    if exponent == 1:
        return one_minus_cosines
    is_negative = one_minus_cosines > 1
    # 1 - |cos|.
    distance = np.where(is_negative, 2 - one_minus_cosines, one_minus_cosines)
    with np.errstate(divide="ignore"):
        less = -np.expm1(exponent * np.log1p(-distance))
    if exponent % 2 == 0:
        return less
    return np.where(is_negative, 2 - less, less)


def _log_size_and_sign(shortfall: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The logarithm of |phi| and the sign of phi, where phi = 1 - shortfall."""
    sign = np.where(shortfall > 1, -1.0, 1.0)
    distance = np.where(shortfall > 1, 2 - shortfall, shortfall)
    return np.log1p(-np.minimum(distance, 1 - 1e-16)), sign
