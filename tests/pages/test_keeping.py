"""What docs/ keeps of a run: whole tables to eight digits, parts of some, pictures as they are."""

import pyarrow as pa
import pytest
from making import CONFIG, LEMMAS

from attention_separation.pages.keeping import is_kept, keep_run
from attention_separation.results.declaration import (
    CHECK_KIND,
    FIGURE,
    PICTURE,
    TABLE,
    Output,
    Result,
    outputs_of,
)
from attention_separation.results.tables import TableError, write_parquet
from attention_separation.settings.strict_model import Job
from attention_separation.studies.head_rank.study import KEPT_OF_RUNS
from attention_separation.studies.lemmas.kept_parts import CLAIM
from attention_separation.studies.open_choices.kept_parts import COLUMNS_OF_BEST, KEPT_PARTS
from attention_separation.studies.open_choices.study import OpenChoices

TABLES = {
    (TABLE, "numbers"): {"n": [1, 2], "p": [1 / 3, float("inf")]},
    (FIGURE, "panels"): {"p": [2 / 3]},
    (FIGURE, "plain"): {"p": [0.5]},
    (TABLE, "for_pages"): {"p": [None, 0.5]},
    (FIGURE, "theta"): {"kind": ["paper", "map", "best"], "p": [1.0, 2.0, 3.0]},
    (TABLE, "threshold"): {name: [1.0] for name in (*COLUMNS_OF_BEST, "gap")},
    (PICTURE, "threshold"): {},
}


class Run(OpenChoices):
    """A finished run of other outputs, of which the parts are kept that audits keep."""

    kept_in = "own"
    folder = ""

    def __init__(self, folder):
        self.folder = str(folder)
        outputs = [
            Output(kind, name, panels=("a",) if name == "panels" else ()) for kind, name in TABLES
        ]
        unwanted = (Output(TABLE, "unasked"), Output(CHECK_KIND, "check"))
        self.results = {
            f"{output.kind.folder}_{output.name}": Result(
                name=output.name, module="none", settings=Job(), outputs={"output": (output,)},
                in_default_run=output.name not in ("for_pages", "unasked"),
                is_for_pages=output.name == "for_pages",
            )
            for output in (*outputs, *unwanted)
        }  # fmt: skip


@pytest.fixture
def run(tmp_path):
    """One that is finished."""
    for (kind, name), columns in TABLES.items():
        path = tmp_path / "results" / Output(kind, name).path("parquet")
        # A picture alone has no numbers: those are a table of the same job.
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind is not PICTURE:
            write_parquet(pa.table(columns), path, {"settings": Job().digest()})
        path.with_suffix(".svg").write_text(f"<svg>{name}</svg>")
    return Run(tmp_path / "results")


def test_tables_and_pictures_of_a_run(run, tmp_path):
    assert keep_run(run, tmp_path / "docs") == (len(TABLES), [])
    kept = {path.name: path.read_text() for path in (tmp_path / "docs/own").iterdir()}
    assert kept == {
        "numbers.csv": '"n","p"\n1,0.33333333\n2,inf\n',
        "panels.csv": '"p"\n0.66666667\n',
        "panels.svg": "<svg>panels</svg>",
        "plain.svg": "<svg>plain</svg>",
        "for_pages.csv": '"p"\n\n0.5\n',
        "theta.csv": '"kind","p"\n"paper",1\n"best",3\n',
        "theta.svg": "<svg>theta</svg>",
        "threshold.svg": "<svg>threshold</svg>",
        "threshold.csv": ",".join(f'"{name}"' for name in COLUMNS_OF_BEST) + "\n1,1,1,1,1\n",
    }


def test_of_each_claim_the_size_is_kept_that_decides_it():
    claims = {name: ["a", "a", "b", "b"] for name in CLAIM}
    sizes = {"n": [1, 2, 1, 2], "margin": [0.5, 0.1, None, None]}
    kept = LEMMAS.kept_part(Output(TABLE, "claims"), pa.table(claims | sizes))
    assert kept.column_names == [*CLAIM]
    assert list(zip(*kept.select(["id", "n"]).to_pydict().values(), strict=True)) == [
        ("a", 2),
        ("b", 1),
    ]


def test_a_table_is_written_again_only_where_a_number_has_moved(run, tmp_path):
    kept = tmp_path / "docs/own/numbers.csv"
    kept.parent.mkdir(parents=True)
    for text, stays in (("0.33333334", True), ("0.33334333", False), ("x", False)):
        other = f'"n","p"\n1,{text}\n2,inf\n'
        kept.write_text(other)
        keep_run(run, tmp_path / "docs")
        assert (kept.read_text() == other) is stays


def test_a_run_that_lacks_a_table_is_refused(run, tmp_path):
    missing = tmp_path / "results/tables/threshold.parquet"
    missing.unlink()
    with pytest.raises(ValueError, match=rf"^{missing} is missing; make the run first$"):
        keep_run(run, tmp_path / "docs")
    assert not (tmp_path / "docs").exists()


def test_what_pages_alone_ask_for_stays_where_it_was_not_made(run, tmp_path):
    (tmp_path / "results/tables/for_pages.parquet").unlink()
    kept = tmp_path / "docs/own/for_pages.csv"
    kept.parent.mkdir(parents=True)
    kept.write_text("of another run")
    assert keep_run(run, tmp_path / "docs") == (len(TABLES) - 1, ["for_pages"])
    assert kept.read_text() == "of another run"


def test_a_table_of_other_settings_is_refused(run, tmp_path):
    other = tmp_path / "results/tables/threshold.parquet"
    write_parquet(pa.table(TABLES[TABLE, "threshold"]), other, {"settings": "another"})
    with pytest.raises(TableError, match=f"^{other}: made with other settings than these"):
        keep_run(run, tmp_path / "docs")
    assert not (tmp_path / "docs").exists()


def test_every_study_keeps_what_its_pages_read():
    studies = CONFIG.studies().values()
    kept = {
        f"{study.kept_in}/{output.name}"
        for study in studies
        for result, output in outputs_of(study.results)
        if is_kept(result, output)
    }
    assert {"gallery/fig4", "gallery/claims", "kernels/laws_elsewhere"} <= kept
    assert {"needle/needle_cells", "head_rank/rank_claims", "head_rank/rank_bound"} <= kept
    assert "gallery/fig4a" not in kept
    assert {f"gallery/{name}" for name in KEPT_PARTS} <= kept


def test_of_runs_at_other_d_their_errors_are_kept():
    study = CONFIG.studies()["head_rank"]
    runs = pa.table({name: [1] for name in (*KEPT_OF_RUNS, "angle")})
    kept = study.kept_part(Output(FIGURE, "rank_dimension"), runs)
    assert kept.column_names == [*KEPT_OF_RUNS]
    assert study.kept_part(Output(FIGURE, "rank_fig1"), runs) is None
