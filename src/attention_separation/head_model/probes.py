"""Probes: tokens for a model, of whose last queries the right key is known."""

from dataclasses import dataclass

import numpy as np

from ..head.making import induction_targets
from ..head.token_targets import duplicate_targets, needle_targets, previous_targets
from ..statistics.seeding import stream
from .settings.section import NEEDLE, ProbeJob
from .words import Words

INDUCTION = "induction"
DUPLICATE = "duplicate"
PREVIOUS = "previous"
KINDS = (INDUCTION, DUPLICATE, PREVIOUS, NEEDLE)
"""Of targets."""


@dataclass(frozen=True)
class Probe:
    """A sequence with its queries.

    Attributes
    ----------
    tokens : (n,)
    queries : positions of queries, (Q,)
    targets : the right key of each query, (Q,), by kind of target
    """

    tokens: np.ndarray
    queries: np.ndarray
    targets: dict[str, np.ndarray]


def probe_of(job: ProbeJob, words: Words) -> Probe:
    """Returns the probe of a job; ValueError if its text is too short."""
    if job.depth is None:
        return _repeat_probe(job, words)
    return _needle_probe(job, words, job.depth)


def _repeat_probe(job: ProbeJob, words: Words) -> Probe:
    """Random tokens, text, and the same tokens again, which are the queries: filler is in front.

    A longer context has more filler in front, so every query, its target and all between keep
    their places from the end.
    """
    repeat = job.repeat
    in_text = job.longest - 1 - 2 * repeat.tokens
    filler = _part(job, words, in_text)
    between = filler[in_text - (repeat.distance - repeat.tokens) :]
    in_front = job.n - 1 - repeat.tokens - repeat.distance
    front = filler[: len(filler) - len(between)]
    front = front[len(front) - in_front :]
    drawn = _random_tokens(job, words, not_among=between)
    tokens = np.concatenate([[words.first_token], front, drawn, between, drawn])
    queries = np.arange(job.n - repeat.tokens, job.n)
    targets = {
        INDUCTION: np.asarray(induction_targets(tokens))[queries],
        DUPLICATE: np.asarray(duplicate_targets(tokens))[queries],
        PREVIOUS: np.asarray(previous_targets(tokens))[queries],
    }
    return Probe(tokens, queries, targets)


def _needle_probe(job: ProbeJob, words: Words, depth: float) -> Probe:
    """A sentence at a depth of a text, and again at its end, where all its tokens but the last are
    queries."""
    needle = words.texts[NEEDLE]
    in_text = job.n - 1 - 2 * len(needle)
    text = _part(job, words, in_text)
    place = round(depth * in_text)
    tokens = np.concatenate([[words.first_token], text[:place], needle, text[place:], needle])
    queries = np.arange(job.n - len(needle), job.n - 1)
    targets = {NEEDLE: np.asarray(needle_targets(tokens, needle))[queries]}
    return Probe(tokens, queries, targets)


def _part(job: ProbeJob, words: Words, length: int) -> np.ndarray:
    """Returns the part of a text that is a segment's: parts are spread over it, and overlap where
    it is short. ValueError if it is shorter than one part."""
    text = words.texts[job.text]
    spare = len(text) - length
    if spare < 0:
        raise ValueError(
            f"text {job.text} has {len(text)} tokens; allowed: contexts of which {length} tokens "
            "are text, or fewer"
        )
    start = spare * (job.segment - 1) // max(job.segments - 1, 1)
    return text[start : start + length]


def _random_tokens(job: ProbeJob, words: Words, not_among: np.ndarray) -> np.ndarray:
    """Returns random tokens, each once, none of those between them and their repetition: so the
    last earlier token that equals a query's is the one repeated."""
    allowed = np.setdiff1d(np.arange(words.random_from, words.random_to), not_among)
    if len(allowed) < job.repeat.tokens:
        raise ValueError(
            f"there are {len(allowed)} tokens to draw; allowed: at most as many in a probe"
        )
    generator = stream(job.seed, "head_model", job.text, f"segment={job.segment}")
    return generator.choice(allowed, job.repeat.tokens, replace=False)
