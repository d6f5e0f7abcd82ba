"""The page of versions and settings."""

import json

from attention_separation.pages.provenance_page import ProvenanceJob
from attention_separation.pages.provenance_page import page as provenance_page


def test_the_page_of_versions():
    job = ProvenanceJob(
        python="CPython 3.99", packages={"numpy": "9.9", "zzz": "1"}, results="results",
        code={"": "abc", "simulate": "def"},
        facts={"scale": "paper", "engine": "dense", "trials": "each panel's own"},
        config=json.dumps({"seed": 5, "a": {"z": 1, "b": 2}}),
    )  # fmt: skip
    text = provenance_page(job)
    for words in (
        "<td>seed</td><td>5</td>", "<td>numpy</td><td>9.9</td>", "not installed", "zzz 1",
        "<td>simulate</td><td>def</td>", "<td>all</td><td>abc</td>", "CPython 3.99",
        "a: {z: 1, b: 2}", "each panel&#x27;s own",
    ):  # fmt: skip
        assert words in text
