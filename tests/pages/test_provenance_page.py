"""The page of versions and settings, and what the report opens with."""

import json

from attention_separation.pages.provenance_page import ProvenanceJob, opening, run
from attention_separation.pages.provenance_page import page as provenance_page

JOB = ProvenanceJob(
    python="CPython 3.99", packages={"numpy": "9.9", "zzz": "1"}, results="results",
    code={"": "abc", "simulate": "def"},
    facts={"scale": "paper", "engine": "dense", "trials": "each panel's own"},
    config=json.dumps({"seed": 5, "a": {"z": 1, "b": 2}}),
)  # fmt: skip


def test_the_page_of_versions():
    text = provenance_page(JOB)
    for words in (
        "<td>seed</td><td>5</td>", "<td>numpy</td><td>9.9</td>", "not installed", "zzz 1",
        "<td>simulate</td><td>def</td>", "<td>all</td><td>abc</td>", "CPython 3.99",
        "a: {z: 1, b: 2}", "each panel&#x27;s own",
    ):  # fmt: skip
        assert words in text


def test_the_opening_says_what_was_run(tmp_path):
    assert opening(JOB) == (
        ":seed: 5\n:scale: paper\n:engine: dense\n:trials: each panel's own\n:results: results/\n"
    )
    run(JOB, tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == provenance_page(JOB)
    assert (tmp_path / "opening.rst").read_text(encoding="utf-8") == opening(JOB)
