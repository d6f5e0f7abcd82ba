"""The files of jobs: their names in rules, on command lines and in reports; and jobs by name."""

import shlex
from pathlib import Path

import pytest
from making import CONFIG, STUDIES, STUDY, changed_study

from attention_separation.results.declaration import (
    FIGURE,
    POINTS_KIND,
    TABLE,
    Kind,
    Output,
    Result,
    sharing_folder,
)
from attention_separation.results.declared_jobs import (
    DeclaredJobs,
    JobCommand,
    cells_of,
    command_line,
    expected_seconds,
)
from attention_separation.results.job_files import (
    command_options,
    file_of,
    files_of_run,
    input_files,
    manifest_files,
    output_files,
    settings_file,
)
from attention_separation.settings.strict_model import Job, digest


def a_result(**values):
    table = Kind("panels", ("parquet",))
    given = {
        "name": "made", "module": "none", "settings": Job(),
        "outputs": {
            "figure": (Output(FIGURE, "x"),), "table": (Output(TABLE, "x", is_listed=False),),
            "": (Output(POINTS_KIND, "x_points"),),
        },
        "inputs": {"tables": (Output(table, "a"), Output(table, "b c"))},
    }  # fmt: skip
    return Result(**given | values)


def paths(files):
    return {key: [o.path(suffix) for o, suffix in found] for key, found in files.items()}


def test_settings_hold_what_the_inputs_were_made_with():
    """Looked up from the declaration of the job that makes each, of the output where it has its
    own; so a change of what is read changes the digest of what reads it."""
    studies = CONFIG.studies()
    for study in studies.values():
        made = {
            output.path(): result.settings_digest(output)
            for together in sharing_folder(study, studies)
            for result in together.results.values()
            for output in result.all_outputs()
        }
        for result in study.results.values():
            digests = {o: [made[each.path()] for each in of] for o, of in result.inputs.items()}
            assert getattr(result.settings, "inputs", None) == (digests or None)
    check = STUDY.results["check"]
    other = check.with_inputs({"tables/verdicts.parquet": "another"})
    assert other.settings.digest() != check.settings.digest()


def test_names_in_a_rule():
    assert input_files(a_result()) == {"tables": ["panels/a.parquet", "panels/b c.parquet"]}
    assert paths(output_files(a_result())) == {
        "figure": ["figures/x.svg"], "figure_png": ["figures/x.png"],
        "figure_pdf": ["figures/x.pdf"], "figure_parquet": ["figures/x.parquet"],
        "figure_csv": ["figures/x.csv"], "table": ["tables/x.parquet"],
        "table_csv": ["tables/x.csv"], "table_html": ["tables/x.html"],
        "beside_parquet": ["tables/x_points.parquet"], "beside_csv": ["tables/x_points.csv"],
    }  # fmt: skip


def test_what_is_sliced_reads_its_slices():
    sliced = a_result(outputs={"output": (Output(POINTS_KIND, "x"),)}, slices=3)
    assert input_files(sliced) == {"merge": [f"slices/x/{k}-of-3.parquet" for k in (1, 2, 3)]}


def test_options_are_what_a_shell_reads():
    result = a_result(options=("--figure-of", "x"))
    found = command_options(
        result, {"tables": ["in/a", "in/b c$"]}, {"figure": ["x.svg"], "table": ["x.parquet"]}
    )
    assert shlex.split(found) == [
        "--tables", "in/a", "in/b c$", "--figure", "x.svg", "--table", "x.parquet",
        "--figure-of", "x",
    ]  # fmt: skip


def test_settings_are_files_whose_names_have_their_digest(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one, two = '{"seed": 1}', '{"seed": 2}'
    first, second = Path(file_of("made", one)), Path(file_of("made", two))
    before = first.stat()
    assert first.name == f"made-{digest(one)}.json"
    assert file_of("made", one) == str(first)
    assert first.stat() == before
    assert (first.read_text(), second.read_text()) == (one, two)
    assert {*first.parent.iterdir()} == {first, second}
    second.write_text("half")
    assert file_of("made", two) == str(second)
    assert second.read_text() == two
    assert Path(settings_file(a_result())).read_text() == "{}"
    result = STUDY.results["fig4"]
    assert Path(settings_file(result)).read_text() == result.settings.canonical()
    assert result.settings.digest() in settings_file(result)


def reported(result):
    files = [file for found in output_files(result).values() for file in found]
    return [output.path(suffix) for output, suffix in files if output.is_reported(suffix)]


def test_a_report_lists_pictures_and_tables_that_are_listed():
    assert reported(a_result()) == ["figures/x.png"]
    assert reported(a_result(outputs={"": (Output(TABLE, "y"),)})) == ["tables/y.html"]


def test_a_whole_run_is_asked_for_every_file_that_verify_wants():
    """Those that others are made of too: else one that is removed would never come back."""
    for study in CONFIG.studies().values():
        wanted = {p for p, table in study.expected_tables().items() if table.in_default_run}
        assert {f"{study.folder}/{path}" for path in wanted} <= {*files_of_run(study)}
    assert {"results/panels/fig4a.parquet", "results/exact/fig4a.parquet"} <= {*files_of_run(STUDY)}


def test_a_folder_lists_what_says_nothing_of_itself_once_for_all_its_studies():
    studies = CONFIG.studies()
    together = sharing_folder(STUDY, studies)
    names = ["softmax_vs_linear", "lemmas", "open_choices", "any_attention"]
    assert [study.name for study in together] == names
    files = [path for study in together for path in files_of_run(study)]
    assert len({*files}) == len(files)
    assert {f"{STUDY.folder}/{path}" for path in ("figures/fig4.svg", "tables/kernels.html")} <= {
        *manifest_files(together)
    }
    assert manifest_files(together) == [path for path in files if not path.endswith(".parquet")]
    for alone in ("head_rank", "needle"):
        assert sharing_folder(studies[alone], studies) == [studies[alone]]


def test_settings_that_cannot_be_written_are_named_by_their_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".snakemake").touch()
    path = rf"\.snakemake/settings/made-{digest('{}')}\.json"
    with pytest.raises(OSError, match=f"^{path}: cannot be written: "):
        settings_file(a_result())


JOBS = DeclaredJobs(STUDIES.values())


def test_a_name_that_is_no_job_is_a_sentence_and_asks_for_nothing():
    assert "fig9" not in JOBS
    assert JOBS.is_local("fig9")
    assert JOBS.slices_of("fig9") == []
    with pytest.raises(LookupError, match=r"fig9: .* no such panel, figure or cell"):
        JOBS["fig9"]


def test_files_of_a_job_lie_in_its_studys_folder():
    figure = JOBS["fig3"]
    assert figure.inputs()["exact"] == [
        "results/exact/fig3a.parquet",
        "results/exact/fig3b.parquet",
    ]
    assert "results/figures/fig3_lines.csv" in figure.paths()
    assert figure.output_of("results/figures/fig3.png").name == "fig3"
    reported = [
        file.path for files in figure.outputs().values() for file in files if file.is_reported
    ]
    assert reported == ["results/figures/fig3.png"]
    with pytest.raises(LookupError, match=r"figures/fig4\.svg: no file of fig3"):
        figure.output_of("results/figures/fig4.svg")


def test_a_sentence_says_of_a_figure_what_it_is_of():
    assert JOBS["kernels_accuracy"].sentence.endswith("what each kernel can do, against n")
    title = STUDIES["softmax_vs_linear"].section.figures["fig3"].title
    assert JOBS["fig3"].sentence == f"Figure fig3: {title}"


def test_cells_have_a_rule_together_and_other_jobs_one_each():
    study = STUDIES["head_rank"]
    cells = cells_of(study)
    assert cells
    assert all(name.startswith("rank_train_") for name in cells)
    assert JOBS.are_local(cells) == all(study.results[name].is_local for name in cells)
    assert cells_of(STUDIES["any_attention"]) == []


def test_slices_of_a_panel_are_those_that_its_job_merges():
    jobs = DeclaredJobs([changed_study(trials=10**9)])
    slices = jobs.slices_of("fig4b")
    assert len(slices) > 1
    assert slices == jobs["simulate_fig4b"].inputs()["merge"]


@pytest.mark.parametrize(
    ("table", "seconds"),
    [
        ("s\tmax_rss\n1.5\t3\n2.5\t3\n", 2.5),
        ("s\tmax_rss\n", 7.0),
        ("s\nnone\n", 7.0),
        ("", 7.0),
        (None, 7.0),
    ],
)
def test_a_job_is_expected_to_take_what_it_took_last(tmp_path, table, seconds):
    path = tmp_path / "job.tsv"
    if table is not None:
        path.write_text(table)
    assert expected_seconds(str(path), declared=7.0) == seconds
    assert expected_seconds(None, declared=7.0) == 7.0


def test_a_command_is_what_a_shell_reads_and_no_text_that_is_compared():
    command = JobCommand(command_line(Path("/a clone/src"), "/bin/it's"), seconds=3.0)
    assert not isinstance(command, str)
    assert shlex.split(f"{command}") == [
        "PYTHONPATH=/a clone/src",
        "/bin/it's",
        "-P",
        "-m",
        "attention_separation",
        "job",
    ]
