"""The tokens of all texts, as a table that cells read."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from ..results.tables import Row, read_parquet, schema, table_from_rows

SCHEMA = schema(
    text=str, tokens=list[int], first_token=int, random_from=int, random_to=int, sha256=str,
    python=str,
)  # fmt: skip
"""`sha256` is of the text in UTF-8, `python` the version whose library it is from; both are null
where there is no text."""


@dataclass(frozen=True)
class Words:
    """Tokens by text, and what a model's tokens are.

    Attributes
    ----------
    texts : tokens of each text, (length,)
    first_token : that before every text
    random_from, random_to : tokens drawn at random are from the first to before the second
    """

    texts: dict[str, np.ndarray]
    first_token: int
    random_from: int
    random_to: int


def words_table(words: Words, details: dict[str, Row]) -> pa.Table:
    """Returns words as a table, with `sha256` and `python` of texts that have them."""
    rows = []
    for text, tokens in words.texts.items():
        row: Row = {
            "text": text,
            "tokens": tokens.tolist(),
            "first_token": words.first_token,
            "random_from": words.random_from,
            "random_to": words.random_to,
        }
        rows.append(row | details.get(text, {}))
    return table_from_rows(rows, SCHEMA)


def read_words(path: Path) -> Words:
    """Returns the words of a table; TableError if it is none."""
    rows = read_parquet(path, SCHEMA).to_pylist()
    return Words(
        texts={row["text"]: np.array(row["tokens"], np.int64) for row in rows},
        first_token=rows[0]["first_token"],
        random_from=rows[0]["random_from"],
        random_to=rows[0]["random_to"],
    )
