"""What README and docs/kernels.md say is what the tracked tables say."""

import re

import pyarrow.csv
import pytest
from attention_separation.any_attention.pages.findings import findings
from attention_separation.any_attention.pages.gallery import GALLERY, kernels_text, readme_table
from attention_separation.any_attention.pages.laws import ELSEWHERE, laws_text
from attention_separation.any_attention.pages.story import story
from making import CONFIG, ROOT

from attention_separation.any_attention.exact import splits
from attention_separation.any_attention.exact.value_table import REACHES, VALUES
from attention_separation.any_attention.laws import law_table
from attention_separation.any_attention.laws.law_table import LAWS
from attention_separation.any_attention.laws.mixture import CONDITION
from attention_separation.any_attention.simulation import simulated_table

DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGE = (DOCS / "kernels.md").read_text(encoding="utf-8")
SCHEMAS = {
    "kernels": REACHES, "kernel_values": VALUES, "kernels_splits": splits.SCHEMA,
    "kernel_laws": law_table.SCHEMA, "kernels_simulated": simulated_table.SCHEMA,
}  # fmt: skip
DATA = CONFIG.any_attention.data


def tracked(name):
    options = pyarrow.csv.ConvertOptions(
        column_types=SCHEMAS[name], strings_can_be_null=True, quoted_strings_can_be_null=False
    )
    return pyarrow.csv.read_csv(DOCS / f"kernels/{name}.csv", convert_options=options)


@pytest.fixture(scope="module")
def tables():
    return {name: tracked(name) for name in SCHEMAS}


def test_the_story_is_that_of_the_tables(tables):
    begin, end = GALLERY.marks
    block = README.partition(begin)[2].partition(end)[0]
    told = story(tables, DATA)
    assert re.findall(r"^- (.*)$", block, re.M) == told
    assert [line[2:] for line in PAGE.splitlines() if line.startswith("- ")][: len(told)] == told
    assert readme_table(tables["kernels"]) in block


def test_findings_and_the_table_of_the_page(tables):
    for sentence in findings(tables):
        assert f"- {sentence}\n" in PAGE
    assert kernels_text(tables["kernels"]) in PAGE


def test_each_law_with_its_condition_and_the_laws_at_other_data(tables):
    elsewhere = pyarrow.csv.read_csv(DOCS / f"kernels/{ELSEWHERE}.csv")
    assert laws_text(tables["kernel_laws"], elsewhere) in PAGE
    assert PAGE.count(CONDITION) == 1
    for law in LAWS:
        for text in (law.statement, law.condition, law.error_term):
            assert f"| {text} |" in PAGE
