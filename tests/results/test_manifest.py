"""Which files a folder of results holds, and which are of another one below it."""

import random

import pytest
from damage import flipped

from attention_separation.results.file_states import MISSING, states
from attention_separation.results.manifest import ManifestError, read_manifest, run, unlisted


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


FILES = ("figures/a.svg", "figures/b.png", "checks/check.txt")


@pytest.fixture
def listed(tmp_path):
    """A folder of results with a manifest."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    run([tmp_path / name for name in FILES], tmp_path / "manifest.json")
    return tmp_path


def test_a_manifest_is_read_as_it_was_written(listed):
    assert sorted(read_manifest(listed / "manifest.json")) == sorted(FILES)
    assert read_manifest(listed / "none.json") is None


def test_without_a_manifest_files_are_compared_with_nothing_and_are_not_unlisted(listed):
    path = listed / "manifest.json"
    path.unlink()
    found = states(listed, [])
    assert found["manifest.json"] == MISSING
    assert {found[name].text.partition(", and")[0] for name in FILES} == {
        "compared with nothing, for want of manifest.json"
    }
    path.write_text("{}\n")
    assert {states(listed, [])[name].text.partition(", and")[0] for name in FILES} == {
        "not listed in manifest.json"
    }


@pytest.mark.parametrize(
    "content", ["", "half", "[]", "{}", '{"a": 1}', "null", "[" * 100_000, "\xff", '{"a": "b"}']
)
def test_what_is_no_manifest_is_named(listed, content):
    path = listed / "manifest.json"
    path.write_text(content, encoding="latin-1")
    with pytest.raises(ManifestError, match=r"manifest\.json: damaged.*remove the file") as error:
        read_manifest(path)
    assert "\n" not in str(error.value)
    assert states(listed, [])["manifest.json"].text.startswith("damaged")


def test_any_changed_bit_of_a_manifest_is_seen(listed):
    path = listed / "manifest.json"
    whole, before = path.read_bytes(), states(listed, [])
    for bit in random.Random(0).sample(range(8 * len(whole)), 150):
        path.write_bytes(flipped(whole, bit))
        found = states(listed, [])
        assert found != before, bit
        assert any("manifest.json" in f"{file}: {state}" for file, state in found.items()), bit
