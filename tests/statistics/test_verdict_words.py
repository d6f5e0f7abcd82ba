"""The words of verdicts."""

from attention_separation.statistics.verdict_words import count_verdicts


def test_verdicts_are_counted_in_one_order():
    found = ["not judged", "undecided", "differs", "agrees", "agrees"]
    assert count_verdicts(found) == "2 agree, 1 differ, 1 undecided, 1 not judged"
