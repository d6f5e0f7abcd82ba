"""Which files a folder of results holds, and which are of another one below it."""

from attention_separation.results.manifest import unlisted


def test_a_folder_of_results_ends_where_another_begins_however_deep(tmp_path):
    own = ["panels/fig4a.parquet", "figures/fig4.svg", "tables/claims.csv"]
    others = ["deep/panels/fig4a.parquet", "second/small/cells/one.parquet", "third/figures/a.csv"]
    aside = ["logs/fig4.txt", "report.html", "second/small/tables/claims.csv"]
    for path in [*own, *others, *aside]:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    assert sorted(str(path.relative_to(tmp_path)) for path in unlisted(tmp_path)) == sorted(own)
    below = tmp_path / "second/small"
    assert {path.name for path in unlisted(below)} == {"one.parquet", "claims.csv"}
