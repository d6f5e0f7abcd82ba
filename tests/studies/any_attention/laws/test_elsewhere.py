"""The laws at other data: claims of each law and kind are counted by verdict."""

from collections import Counter

from making import CONFIG

from attention_separation.studies.any_attention.laws import law_table
from attention_separation.studies.any_attention.laws.law_table import CHANGES, COUNTS


def test_claims_are_counted_by_law_kind_and_verdict(monkeypatch):
    """Of made-up claims at each of the other data."""
    judged = []

    def judge(data):
        judged.append(data)
        kinds = [("last", "number", COUNTS[len(judged) % 4]), ("first", "statement", "agrees")]
        kinds += [("last", "number", "agrees")] * len(judged)
        return [dict(zip(("law", "kind", "verdict"), kind, strict=True)) for kind in kinds]

    monkeypatch.setattr(law_table, "judge_laws", judge)
    data = CONFIG.any_attention.data
    rows = law_table.elsewhere_table(data).to_pylist()
    assert judged == [data.model_copy(update=change) for change in CHANGES]
    for k, (last, first) in enumerate(zip(rows[::2], rows[1::2], strict=True), start=1):
        assert (last["law"], first["law"], first["data"]) == ("last", "first", last["data"])
        counts = Counter([COUNTS[k % 4], *["agrees"] * k])
        assert {verdict: last[verdict] for verdict in COUNTS} == {v: counts[v] for v in COUNTS}
        assert [first[verdict] for verdict in COUNTS] == [verdict == "agrees" for verdict in COUNTS]
