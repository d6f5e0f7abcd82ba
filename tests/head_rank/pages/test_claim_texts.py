"""How claims stand on pages, and that the tracked ones say what the tables do."""

import re

import pyarrow.csv
from attention_separation.head_rank.pages.claim_findings import claims_findings
from attention_separation.head_rank.pages.gallery import GALLERY, claims_text
from attention_separation.head_rank.pages.overview import claims_section
from attention_separation.pages.gallery import gallery_page
from making import CONFIG, ROOT
from rank_cells import SMOKE, table_of

from attention_separation.__main__ import main
from attention_separation.head_rank.claims.outcomes import CHECK
from attention_separation.head_rank.claims.outcomes import SCHEMA as SCHEMA_OF_CLAIMS
from attention_separation.head_rank.constructions.farthest_point import least_error
from attention_separation.head_rank.pages.summary import line
from attention_separation.head_rank.settings.titles import FIGURES

DOCS = ROOT / "docs" / GALLERY.folder


README = (ROOT / "README.md").read_text(encoding="utf-8")


ROW = {
    "claim": "a", "whose": "the paper's", "statement": "It is so", "comparisons": 1,
    "sizes": "d=8, N=4", "decided_at": "r=2", "bound_is": "margin, of errors", "reason": None,
}  # fmt: skip


NUMBERS = {"measured": 0.5, "low": 0.25, "high": 0.75, "bound": 0.1}


def judged_table():
    """Two claims of the paper's and two of ours."""
    ours = ROW | {"whose": "this reproduction's"}
    return table_of(
        SCHEMA_OF_CLAIMS,
        ROW | {"verdict": "agrees"},
        ROW | {"verdict": "differs"} | NUMBERS,
        ROW | {"verdict": "agrees", "whose": "the paper's, judged on its published values alone"},
        # What only a mistake can fail is among no claims, but heard if it does.
        ROW | {"verdict": "agrees", "whose": CHECK},
        ours | {"verdict": "not run", "decided_at": None},
        ours | {"verdict": "undecided"} | NUMBERS | {"high": None},
    )


def test_a_claim_is_said_with_its_numbers():
    assert claims_findings(judged_table(), "desk") == [
        "**The claims**, at the scale desk, by bounds that are this reproduction's: of 2 of the "
        "paper's, 1 agree, 1 differ; of 1 of the paper's, judged on its published values alone, "
        "1 agree; of 2 of this reproduction's own, 1 undecided, 1 not run.",
        "**Differs, the paper's:** it is so [d=8, N=4; r=2: 0.5 (0.25 to 0.75)].",
        "**Undecided, this reproduction's:** it is so [d=8, N=4].",
    ]
    failed = table_of(SCHEMA_OF_CLAIMS, ROW | {"verdict": "differs", "whose": CHECK} | NUMBERS)
    assert claims_findings(failed, "desk")[1].startswith("**Differs, a check:** it is so [d=8")


def test_the_paper_s_claims_and_ours_stand_apart():
    """In the gallery's page, the report's and the summary."""
    text = gallery_page(GALLERY, ["Said."], claims_text(judged_table()))
    papers, published_alone, ours, check = re.split("## Claims: ", text)[1:]
    counts = [part.count("| It is so |") for part in (papers, published_alone, ours, check)]
    assert counts == [2, 1, 2, 1]
    assert (
        "| It is so | differs | d=8, N=4; r=2: 0.5 (0.25 to 0.75); bound 0.1, margin, of" in papers
    )
    section = claims_section(judged_table(), "All claims.")
    assert section.about == ["All claims."]
    assert [*section.tables] == [
        "the paper's, 2: 1 agree, 1 differ",
        "the paper's, judged on its published values alone, 1: 1 agree",
        "this reproduction's, 2: 1 undecided, 1 not run",
        "a check, 1: 1 agree",
    ]
    assert [len(own) for own in section.tables.values()] == [2, 1, 2, 1]
    for own in section.tables.values():
        assert "bound_is" in own.column_names
        assert "whose" not in own.column_names
    assert line(ROW | {"verdict": "differs"} | NUMBERS).endswith("bound 0.1, margin, of errors")


def test_numbers_in_the_notes_on_the_paper_are_those_of_the_tables():
    """By hand in two files, from the page of findings, from quadrature and from the claims."""
    notes = (ROOT / "src/attention_separation/head_rank/README.md").read_text(encoding="utf-8")
    page = DOCS.with_suffix(".md").read_text(encoding="utf-8")
    (curve,) = re.findall(r"The published curve of random features.*?\n- ", notes, re.S)
    (found,) = re.findall(r"^- \*\*The published curve.*", page, re.M)
    numbers = re.findall(r"0\.\d{3}", curve)
    assert len(numbers) == 3
    assert [number for number in numbers if number not in found] == []
    cells = {
        row["cell"]: row["attention_parameters"]
        for row in pyarrow.csv.read_csv(DOCS / "rank_errors.csv").to_pylist()
    }
    more = cells["d8_n4_L1_w12_r1"] / cells["d8_n4_L1_w3_r1_concatenated"] - 1
    assert f"(at w = 3 and d = 8, {100 * more:.0f} % more)" in notes
    assert f"{least_error(8, 4):.3f} at d = 8 and N = 4, and {least_error(64, 16):.3f} at" in notes
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    ends = [f(least_error(d, n) for d, n in ((8, 3), (8, 8))) for f in (min, max)]
    (claims,) = re.findall(r"^- \*\*Claims\*\* of the paper \(18\).*?\n- ", changes, re.M | re.S)
    numbers = [*re.findall(r"0\.\d{4}", claims), "of 18 of", "of 2 of", "of 15 of"]
    assert [number for number in numbers if number not in page] == []
    assert all(f"({count})" in claims for count in (18, 2, 15))
    assert f"{ends[0]:.3f} to {ends[1]:.3f} at the sizes here ({least_error(64, 16):.3f}" in changes


def test_readme_says_what_the_tracked_tables_say():
    begin, end = GALLERY.marks
    block = README.partition(begin)[2].partition(end)[0]
    options = pyarrow.csv.ConvertOptions(
        column_types=SCHEMA_OF_CLAIMS, strings_can_be_null=True,
        include_columns=SCHEMA_OF_CLAIMS.names, include_missing_columns=True,
    )  # fmt: skip
    path = DOCS / "rank_claims.csv"
    judged = pyarrow.csv.read_csv(path, convert_options=options)
    counts, *others = claims_findings(judged, CONFIG.head_rank.scale)
    page = DOCS.with_suffix(".md").read_text(encoding="utf-8")
    assert f"- {counts}\n" in block
    assert [sentence for sentence in others if f"- {sentence}\n" not in page] == []
    for sentence in re.findall(r"^- .*$", block, re.M):
        assert sentence in page
    for name in FIGURES:
        assert (DOCS / f"{name}.svg").is_file()


def test_a_summary_of_nothing_says_what_to_run(capsys, monkeypatch, tmp_path):
    (tmp_path / "config.yaml").write_text((ROOT / "config.yaml").read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    assert main(["rank-summary", SMOKE]) == 1
    assert "not made yet; run `snakemake rank` first" in capsys.readouterr().err
    assert main(["rank-summary", "head_rank"]) == 1
    assert "'head_rank' is no KEY=VALUE" in capsys.readouterr().err
