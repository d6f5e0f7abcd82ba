"""Sentences on the number of points."""

from attention_separation.head_rank.pages.points_findings import points_findings

from attention_separation.head_rank.claims.runs import chosen
from attention_separation.head_rank.constructions.farthest_point import least_error


def test_the_sentence_on_points_says_where_the_error_over_rank_0_falls(runs):
    (first, *_) = chosen(runs.to_pylist(), encoding="none", layers=3, rank=1)
    rows = []
    for n, error in ((3, 0.2), (4, 0.4), (8, 0.3)):
        for run in range(3):
            own = {"n": n, "run": run, "cell": f"n{n}", "layers": 2, "dead": (n, run) == (4, 2)}
            rows.append(first | own | {"test_error": error + 0.001 * run})
    full = [row | {"rank": 4, "test_error": 0.01, "dead": False} for row in rows]
    (text,) = points_findings(rows + full)
    shares = [0.201 / least_error(4, 3), 0.401 / least_error(4, 4), 0.301 / least_error(4, 8)]
    # Student's quantile for 3 runs is 4.303, times 0.001 / sqrt(3).
    half = 0.002484 / least_error(4, 3)
    listed = "/".join(f"{(0.4 + 0.001 * run) / least_error(4, 4):.2f}" for run in range(3))
    assert f"rank 1: {shares[0]:.3f} ± {half:.3f}, runs at {listed} (1 of 3 runs dead)" in text
    assert "with two layers and w = 1 where the paper has w = d" in text
    assert "), means over 3 runs with 95 % intervals: rank 1: " in text
    assert text.endswith("values below full rank, over rank 0, at d = 64, grow at every step.")
    assert f"rank 0: {least_error(4, 3):.3f} at N = 3" in text
    assert f"It falls from N = 4 to 8 at rank 1, by {shares[1] - shares[2]:.3f} (" in text
    lead = "**Number of points: below full rank the mean error over uniform attention's"
    assert text.startswith(f"{lead} does not grow at every step**")
    (text,) = points_findings([row for row in rows + full if row["n"] < 8])
    assert text.startswith(f"{lead} grows at every step**")
    rise = shares[1] - shares[0]
    assert f" The least sure rise is from N = 3 to 4 at rank 1: {rise:.3f} (" in text
    assert ", simultaneous over 1 step at level 0.05; it is sure too." in text
    wide = [
        row | {"test_error": row["test_error"] + 0.1 * row["run"] * (row["n"] == 4)} for row in rows
    ]
    (text,) = points_findings([row for row in wide + full if row["n"] < 8])
    assert f" The least sure rise is from N = 3 to 4 at rank 1: {_rise_of(wide):.3f} (-" in text
    assert ", simultaneous over 1 step at level 0.05; it is not sure." in text
    # It rises less to 4 points, but less surely to 8.
    rises = {3: 0.2, 4: 0.3, 8: 0.6}
    both = [
        row | {"test_error": rises[row["n"]] + 0.2 * row["run"] * (row["n"] == 8)} for row in rows
    ]
    (text,) = points_findings(both + full)
    assert f"{lead} grows at every step**" in text
    assert " The least sure rise is from N = 4 to 8 at rank 1: " in text
    assert points_findings(chosen(rows, n=3)) == []
    (text,) = points_findings(rows)
    assert text.startswith(
        "**Number of points: w is not d, and no runs of full rank show that such"
    )
    bad = [row | {"test_error": 0.9 * least_error(4, row["n"])} for row in full]
    (text,) = points_findings(rows + bad)
    assert text.startswith("**Number of points: w is not d, and full rank is not learned: 0.90 of")


def _rise_of(rows):
    """From 3 points to 4, over uniform attention's errors."""
    few, many = (
        sum(row["test_error"] / least_error(4, n) for row in chosen(rows, n=n)) / 3 for n in (3, 4)
    )
    return many - few


def test_the_sentence_on_points_compares_none_that_were_trained_for_other_steps(runs):
    (first, *_) = chosen(runs.to_pylist(), encoding="none", layers=3, rank=1)
    own = first | {"layers": 2, "width": 4, "test_error": 0.3}
    rows = [own | {"n": n, "cell": f"n{n}", "steps": 100 if n < 8 else 50} for n in (3, 4, 8)]
    (text,) = points_findings(rows)
    shares = [0.3 / least_error(4, n) for n in (3, 4, 8)]
    assert f"of a single run each: rank 1: {', '.join(f'{x:.2f}' for x in shares)}. It" in text
    assert f"It falls from N = 3 to 4 at rank 1, by {shares[0] - shares[1]:.3f}. Trained" in text
    assert "does not grow at every step of those trained alike**" in text
    listed = "100 at N = 3, 100 at N = 4, 50 at N = 8"
    assert f" Trained for different steps, which are compared with none: {listed}." in text
    (text,) = points_findings(rows[1:])
    assert text.startswith("**Number of points: trained with other steps each, so not compared**")
