"""Which keys each query sees: one rule, for scores and for weights.

**An explicit mask decides alone**: a key is seen where it is True, whatever its score or weight
is, and only where it is False may there be no number. `causal=True` masks later keys as well.

Without a mask these keys are masked:

1. a score of -inf;
2. *later* keys, those after the query itself, whose queries are the last of the keys: with
   `causal=True`, or, unless `causal=False`, where the input says that the model is causal: the
   target is of `induction_targets`, a file has tokens, or all later weights are 0, in this row and
   in most of its head;
3. all scores that lie 50 or more below every other score of the row, equal or not, wherever they
   stand: models mask by adding -100, -10^4 or the least number of a type. Where the scores of a
   row are one number below -9,000, that row sees nothing;
4. weights of exactly 0 in whole runs, of two keys or more, or at an end of what the row sees:
   windows, blocks, padding.

Other weights of 0 are seen: they were rounded, as half precision does below 3e-8. A row has such
weights where some of its own come near the least number of their type. There a run is whole only
if it is longer than zeros that fall where they will make one, and does not stand where weights
fall towards it step by step, as they do far from a query with a linear bias. Where neighbours are
much alike, rounding makes long runs as well, and they are read as masked.

A mask of padding, (sequences, keys) as tokenizers give it, is explicit on padding alone: queries
and keys of padding are left out, and the rule without a mask says the others.

What a real head does may look like a mask: one score 50 above all others leaves a row that sees
one key. Such a row has no numbers. 2 (but for `causal=True`), 3 and 4 are guesses, and `Guesses`
puts them in a sentence.
"""

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from ..settings.words import counted, joined

FAR_BELOW = 50.0
"""How far below every other score of its row a masked one lies at least."""

ALL_MASKED = -9000.0
"""A row whose scores are one number below this sees nothing."""

LEAST_HALF = 2.0**-24
"""The least positive number of float16."""

LEAST_SINGLE = 2.0**-126
"""The least of float32 and bfloat16, denormal numbers apart, which much hardware takes for 0."""

NEAR = 2.0**6
"""Up to how many times the least number of a type a weight is near it."""

CHANCE = 1e-6
"""A run of zeros is whole if one as long is rarer than this among zeros that fall anywhere."""

NEIGHBOURS = 16
"""Weights next to a run that say whether weights fall towards it."""

FALL = 4.0
"""How many standard errors of their mean logarithm they are below the row's median, if so."""


class Reason(IntEnum):
    """Why a query does not see a key; SEEN where it does."""

    SEEN = 0
    NO_SCORE = 1
    MASK = 2
    PADDING = 3
    NOT_THERE = 4
    LATER = 5
    FAR_BELOW = 6
    ALL_MASKED = 7
    ZERO_RUN = 8

    @property
    def words(self) -> str:
        """Why, in a sentence on a key."""
        return REASONS[self]


REASONS = {
    Reason.NO_SCORE: "its score is -inf",
    Reason.MASK: "mask is False",
    Reason.PADDING: "mask has it as padding",
    Reason.NOT_THERE: "it came after that query",
    Reason.LATER: "it is later than the query, and the model was read as causal",
    Reason.FAR_BELOW: "its score lies 50 or more below every other that is seen",
    Reason.ALL_MASKED: "all scores of the row are one number below -9,000",
    Reason.ZERO_RUN: "its weight is 0 in a run of zeros, read as masked",
}


@dataclass
class Guesses:
    """What was read as masked, or as something else, though nobody said so: counts of rows, but
    for `lone_zeros`, weights of 0 that are seen."""

    rows: int = 0
    later: int = 0
    far_below: int = 0
    all_masked: int = 0
    zero_runs: int = 0
    lone_zeros: int = 0
    missing_weight: int = 0
    unseen_targets: int = 0
    halves: int = 0
    windows: int = 0
    causal_signs: set[str] = field(default_factory=set)

    def sentence(self) -> str:
        """All of them in a line, with how to overrule each; empty if there are none."""
        parts = [
            self._masked(),
            self._lone_zeros(),
            self._missing_weight(),
            self._unseen_targets(),
            self._windows(),
        ]
        return "; ".join(part for part in parts if part)

    def _masked(self) -> str:
        kinds = []
        if self.later:
            signs = joined(sorted(self.causal_signs))
            kinds.append(f"later keys in {self._of(self.later)} ({signs})")
        if self.far_below:
            kinds.append(f"scores 50 or more below every other in {self._of(self.far_below)}")
        if self.all_masked:
            kinds.append(f"all of {self._of(self.all_masked)} of one score below -9,000")
        if self.zero_runs:
            kinds.append(f"weights of 0 in whole runs in {self._of(self.zero_runs)}")
        if not kinds:
            return ""
        overrule = "mask= says what each query sees"
        if self.later:
            overrule += ", causal= whether it sees later keys (--causal, --no-causal)"
        if self.halves:
            overrule += (
                "; in a causal model the nearer half of the tokens beside the target counts once, "
                "unless near= says how many"
            )
        return f"read as masked without a mask: {joined(kinds)}. If not so, {overrule}"

    def _lone_zeros(self) -> str:
        if not self.lone_zeros:
            return ""
        return (
            f"{counted(self.lone_zeros, 'weight')} of 0 between others read as seen, rounded to 0; "
            "if not so, mask= says what each query sees"
        )

    def _missing_weight(self) -> str:
        if not self.missing_weight:
            return ""
        return (
            f"weights sum to less than 0.98 in {self._of(self.missing_weight)}: the rest was read "
            "as the weight of a sink that is no token; if there is none, divide rows by their sums"
        )

    def _unseen_targets(self) -> str:
        if not self.unseen_targets:
            return ""
        return (
            f"{self._of(self.unseen_targets)} left out, for their query does not see the target of "
            "induction"
        )

    def _windows(self) -> str:
        if not self.windows:
            return ""
        return (
            f"a window hides far keys in {self._of(self.windows)}: nothing comes in as the context "
            "grows, and the share stays what it is; if not so, say near=0"
        )

    def _of(self, rows: int) -> str:
        return f"{rows:,} of {counted(self.rows, 'row')}"


def later_keys(positions: np.ndarray, keys: int) -> np.ndarray:
    """Returns whether a key is later than the query, (R, keys) for (R,) queries."""
    return np.arange(keys) > positions[:, None]


def sees_window(reasons: np.ndarray, positions: np.ndarray, is_fixed: np.ndarray) -> np.ndarray:
    """Returns whether a window hides what is far, (R,) for reasons (R, K): two keys or more, next
    to the first key that is a token, are masked, and rows that have some see equally far. Fixed
    keys, (K,), are left out."""
    is_token = (reasons != Reason.PADDING) & ~is_fixed
    is_seen = (reasons == Reason.SEEN) & ~is_fixed
    first_seen = is_seen.argmax(axis=1)
    keys = np.arange(reasons.shape[1])
    is_hidden = is_token & (keys < first_seen[:, None])
    is_cut = (is_hidden.sum(axis=1) >= 2) & is_seen.any(axis=1)
    sights = (positions - first_seen)[is_cut]
    is_one_sight = len(sights) > 0 and bool((sights == sights[0]).all())
    return is_cut & is_one_sight


def far_below(scores: np.ndarray, is_seen: np.ndarray) -> np.ndarray:
    """Returns whether a seen score (R, K) is of those that lie 50 or more below every other seen
    one of its row: of all such sets of scores the largest."""
    highest = np.max(scores, axis=1, initial=-np.inf, where=is_seen)
    lowest = np.min(scores, axis=1, initial=np.inf, where=is_seen)
    is_masked = np.zeros(scores.shape, bool)
    with np.errstate(over="ignore"):
        wide = np.flatnonzero(highest - lowest >= FAR_BELOW)
    if len(wide) == 0:
        return is_masked
    # Where a key is not seen, its row's highest score makes no gap.
    filled = np.where(is_seen[wide], scores[wide], highest[wide, None])
    descending = -np.sort(-filled, axis=1)
    with np.errstate(over="ignore"):
        gaps = descending[:, :-1] - descending[:, 1:]
    is_gap = gaps >= FAR_BELOW
    has_gap = is_gap.any(axis=1)
    first_gap = is_gap.argmax(axis=1)
    lowest_seen = descending[np.arange(len(wide)), first_gap]
    below = scores[wide] < lowest_seen[:, None]
    is_masked[wide] = is_seen[wide] & has_gap[:, None] & below
    return is_masked


def masked_whole(scores: np.ndarray, is_seen: np.ndarray) -> np.ndarray:
    """Returns whether the seen scores (R, K) of a row are one number below -9,000, (R,)."""
    highest = np.max(scores, axis=1, initial=-np.inf, where=is_seen)
    lowest = np.min(scores, axis=1, initial=np.inf, where=is_seen)
    return (highest == lowest) & (highest < ALL_MASKED)


def zero_runs(weights: np.ndarray, is_seen: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Returns whether a seen weight (R, K) is of a whole run of zeros. A single zero at an end of
    its row is one, but where it is the target's, (R,)."""
    is_zero = is_seen & (weights == 0)
    is_zero_before, is_zero_after = _before_and_after(is_zero)
    is_among_zeros = is_zero_before | is_zero_after
    is_seen_before, is_seen_after = _before_and_after(is_seen)
    is_at_end = ~(is_seen_before & is_seen_after)
    is_target = np.arange(weights.shape[1]) == targets[:, None]
    is_masked = is_zero & (is_among_zeros | (is_at_end & ~is_target))
    for row in np.flatnonzero(may_be_rounded(weights, is_seen) & is_masked.any(axis=1)):
        is_masked[row] = _whole_runs(np.where(is_seen[row], weights[row], np.nan))
    return is_masked


def _before_and_after(is_true: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns whether this is true of the key before each key, and of the key after it, (R, K)
    each; False where there is none."""
    padded = np.pad(is_true, ((0, 0), (1, 1)))
    return padded[:, :-2], padded[:, 2:]


def may_be_rounded(weights: np.ndarray, is_seen: np.ndarray) -> np.ndarray:
    """Returns whether a row's least positive weight is near the least number of its type, (R,), so
    that weights of 0 may be such as were rounded. A row whose weights float16 holds exactly is of
    that type."""
    is_positive = is_seen & (weights > 0)
    least = np.min(weights, axis=1, initial=np.inf, where=is_positive)
    is_half = (weights.astype(np.float16) == weights).all(axis=1, where=is_positive)
    return least < NEAR * np.where(is_half, LEAST_HALF, LEAST_SINGLE)


def _whole_runs(weights: np.ndarray) -> np.ndarray:
    """Returns whether a key of a row (K,) is in a whole run, where zeros may have been rounded.
    Weights that are not seen are NaN."""
    is_zero = weights == 0
    edges = np.flatnonzero(np.diff(is_zero.astype(int), prepend=0, append=0))
    runs = edges.reshape(-1, 2)
    lengths = runs[:, 1] - runs[:, 0]
    # Of the seen keys that are in no whole run.
    keys = int((~np.isnan(weights)).sum())
    zeros = int(is_zero.sum())
    is_whole = np.zeros(len(weights), bool)
    for run in np.argsort(-lengths, kind="stable"):
        start, stop = runs[run]
        length = int(lengths[run])
        # Among the other keys; one zero more and one other, so that no chance is 0 or 1.
        chance_of_zero = (zeros - length + 1) / (keys - length + 2)
        if length < 2 or keys * chance_of_zero**length > CHANCE:
            break  # Shorter runs are likelier still.
        if _is_fallen_to(weights, start, stop):
            continue
        is_whole[start:stop] = True
        keys -= length
        zeros -= length
    return is_whole


def _is_fallen_to(weights: np.ndarray, start: int, stop: int) -> bool:
    """Whether the weights (K,) on a side of a run fall to the least number of their type, well
    below what most of the row has."""
    is_positive = weights > 0
    positive = weights[is_positive]
    is_half = bool((positive.astype(np.float16) == positive).all())
    near = np.log(NEAR * (LEAST_HALF if is_half else LEAST_SINGLE))
    logarithms = np.log(positive)
    error = logarithms.std() / np.sqrt(NEIGHBOURS)
    fallen = min(near, np.median(logarithms) - FALL * error)
    before = weights[:start][is_positive[:start]][-NEIGHBOURS:]
    after = weights[stop:][is_positive[stop:]][:NEIGHBOURS]
    sides = [side for side in (before, after) if len(side) == NEIGHBOURS]
    return any(np.log(side).mean() <= fallen for side in sides)
