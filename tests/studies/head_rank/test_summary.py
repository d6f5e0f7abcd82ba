"""What a run of the second paper says in lines: the claims, one a line."""

from making import head_rank

from attention_separation.results.tables import table_from_rows, write_parquet
from attention_separation.studies.head_rank.claims.claim import ORIGINS, SCHEMA

STUDY = head_rank(scale="smoke")
WITHOUT_NUMBERS = dict.fromkeys(SCHEMA.names) | {
    "claim": "one", "origin": ORIGINS[0], "verdict": "not run", "reason": "why",
}  # fmt: skip
ROWS = [
    WITHOUT_NUMBERS,
    WITHOUT_NUMBERS | {"verdict": "agrees", "bound": 0.5, "reason": "ends"},
    WITHOUT_NUMBERS | {"measured": -1.25e-7, "low": 1.0, "high": 20.0, "bound": 300.0},
]


def test_a_number_stands_below_its_name(tmp_path):
    settings = STUDY.results["rank_claims"].settings
    (tmp_path / "tables").mkdir()
    table = table_from_rows(ROWS, SCHEMA)
    path = tmp_path / "tables/rank_claims.parquet"
    write_parquet(table, path, {"settings": settings.digest()})
    _, names, _, *lines = STUDY.summary(tmp_path)
    end = len(names)
    assert lines[0][end:] == " why"
    assert lines[1][:end].endswith("      0.5")
    assert lines[1][end:] == " ends"
    assert lines[2][names.index("measured") - 1 : end].split() == ["-1.25e-07", "1", "20", "300"]
