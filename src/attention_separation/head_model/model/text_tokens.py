"""The tokens of all texts: Python's own, random ones, and the needle's."""

import hashlib
import platform
from pathlib import Path

import numpy as np

from ...results.provenance import record
from ...results.tables import Row, write_parquet
from ...statistics.seeding import stream
from ..library_texts import NEEDLE_SENTENCE, library_text
from ..settings.section import NEEDLE, RANDOM, RandomModel, TextsJob
from ..words import Words, words_table
from .loading import BYTES, encoder


def run(job: TextsJob, output: Path) -> None:
    encoded, vocabulary = encoder(job.model)
    if isinstance(job.model, RandomModel):
        first_token = 0
        random_from = BYTES
    else:
        first_token = job.model.first_token
        random_from = job.model.first_word
    texts: dict[str, np.ndarray] = {NEEDLE: encoded(NEEDLE_SENTENCE)}
    details: dict[str, Row] = {}
    for name in job.texts:
        if name == RANDOM:
            generator = stream(job.seed, "head_model", "filler")
            texts[name] = generator.integers(random_from, vocabulary, job.tokens)
            continue
        text = library_text(name)
        texts[name] = encoded(text)
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        details[name] = {"sha256": sha256, "python": platform.python_version()}
    words = Words(
        texts=texts,
        first_token=first_token,
        random_from=random_from,
        random_to=vocabulary,
    )
    write_parquet(words_table(words, details), output, record(job.canonical(), __name__))
