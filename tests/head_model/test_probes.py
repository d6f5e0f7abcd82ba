"""Probes: the right keys by their definition, and the same surroundings in longer contexts."""

from dataclasses import replace

import numpy as np
import pytest
from making import CONFIG

from attention_separation.head_model.library_texts import library_text
from attention_separation.head_model.probes import DUPLICATE, INDUCTION, PREVIOUS, probe_of
from attention_separation.head_model.settings.section import NEEDLE, HeadModelScale
from attention_separation.head_model.words import Words, read_words, words_table
from attention_separation.results.tables import write_parquet

TOKENS, DISTANCE = 16, 64
SETTINGS = CONFIG.head_model.scales["smoke"].model_dump(mode="json") | {
    "contexts": [100, 200, 400],
    "segments": 3,
    "needle": {"context": 120, "depths": [0, 0.5, 0.95]},
}
CELLS = {cell.name: cell for cell in HeadModelScale.model_validate(SETTINGS).cells(seed=3)}
DRAWN = np.random.default_rng(0)
WORDS = Words(
    texts={
        "topics": DRAWN.integers(1, 100, 900),
        "random": DRAWN.integers(256, 1024, 1200),
        NEEDLE: np.arange(100, 110),
    },
    first_token=0,
    random_from=256,
    random_to=1024,
)
REPEATED = [name for name, cell in CELLS.items() if cell.depth is None]
NEEDLES = [name for name, cell in CELLS.items() if cell.depth is not None]


@pytest.mark.parametrize("name", REPEATED)
def test_random_tokens_come_again_and_are_the_queries(name):
    job = CELLS[name]
    probe = probe_of(job, WORDS)
    assert probe.tokens.shape == (job.n,)
    assert probe.tokens[0] == WORDS.first_token
    queries = np.arange(job.n - TOKENS, job.n)
    assert probe.queries.tolist() == queries.tolist()
    drawn = probe.tokens[queries]
    assert len({*drawn.tolist()}) == TOKENS
    assert drawn.min() >= WORDS.random_from
    assert (probe.tokens[queries - DISTANCE] == drawn).all()
    assert probe.targets[DUPLICATE].tolist() == (queries - DISTANCE).tolist()
    assert probe.targets[INDUCTION].tolist() == (queries - DISTANCE + 1).tolist()
    assert probe.targets[PREVIOUS].tolist() == (queries - 1).tolist()


@pytest.mark.parametrize("text", ["topics", "random"])
@pytest.mark.parametrize("segment", [1, 2, 3])
def test_a_longer_context_has_more_filler_in_front_and_all_else_as_it_was(text, segment):
    longest = probe_of(CELLS[f"{text}_{segment}_400"], WORDS).tokens
    for n in (100, 200):
        tokens = probe_of(CELLS[f"{text}_{segment}_{n}"], WORDS).tokens
        assert tokens[1:].tolist() == longest[-(n - 1) :].tolist()


def test_segments_have_other_text_and_other_tokens():
    first, second, third = (
        probe_of(CELLS[f"topics_{segment}_400"], WORDS).tokens.tolist() for segment in (1, 2, 3)
    )
    assert first[-TOKENS:] != second[-TOKENS:] != third[-TOKENS:]
    assert first[1] == WORDS.texts["topics"][0]
    assert third[-TOKENS - 1] == WORDS.texts["topics"][-1]


@pytest.mark.parametrize("name", NEEDLES)
def test_a_needle_stands_at_its_depth_and_is_said_again(name):
    job = CELLS[name]
    probe = probe_of(job, WORDS)
    needle = WORDS.texts[NEEDLE]
    assert len(probe.tokens) == job.n
    assert probe.tokens[-len(needle) :].tolist() == needle.tolist()
    targets = probe.targets[NEEDLE]
    assert (probe.tokens[targets] == needle[1:]).all()
    in_text = job.n - 1 - 2 * len(needle)
    assert targets[0] == 1 + round(job.depth * in_text) + 1
    assert probe.queries.tolist() == [*range(job.n - len(needle), job.n - 1)]


def test_a_text_that_is_too_short_is_said():
    short = Words({"topics": np.arange(1, 50)}, 0, 256, 1024)
    with pytest.raises(ValueError, match="text topics has 49 tokens; allowed: contexts"):
        probe_of(CELLS["topics_1_400"], short)


def test_each_random_token_is_drawn_once_even_where_there_are_no_others():
    job = CELLS["topics_1_100"]
    few = replace(WORDS, random_to=WORDS.random_from + TOKENS)
    drawn = probe_of(job, few).tokens[-TOKENS:]
    assert sorted(drawn.tolist()) == [*range(few.random_from, few.random_to)]
    with pytest.raises(ValueError, match=f"there are {TOKENS - 1} tokens to draw; allowed: "):
        probe_of(job, replace(few, random_to=few.random_to - 1))


def test_words_that_are_written_are_read(tmp_path):
    path = tmp_path / "words.parquet"
    write_parquet(words_table(WORDS, {"topics": {"python": "3"}}), path, {})
    words = read_words(path)
    assert words.random_to == WORDS.random_to
    assert {name: list(tokens) for name, tokens in words.texts.items()} == {
        name: list(tokens) for name, tokens in WORDS.texts.items()
    }


def test_the_library_has_texts_that_are_long_enough():
    for name in ("topics", "docstrings", "source"):
        assert len(library_text(name)) > 50_000
    assert '"""' not in library_text("docstrings")[:100]
