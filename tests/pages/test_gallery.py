"""The frame of a study's gallery: its page, its files, its block of README.md."""

import argparse
import math

import pyarrow as pa
import pytest
from attention_separation.pages.gallery import Gallery, readme_text, write_gallery

from attention_separation.results.tables import write_parquet

GALLERY = Gallery(
    mark="a",
    command="make a",
    folder="b",
    title="T",
    page_has="More",
    pictures={"one": "The first", "two": "The second"},
    in_readme=["two"],
    tables=["c"],
    drawings={"kept": "A drawing"},
)


def test_a_block_takes_the_place_of_the_old_one():
    begin, end = GALLERY.marks
    assert (begin, end) == ("<!-- a: written by `make a` -->\n", "<!-- end of a -->\n")
    block = (
        f"{begin}\n![The second](docs/b/two.svg)\n\n- **Said.** So\n\n"
        f"More: [docs/b.md](docs/b.md).\n\n{end}"
    )
    text = f"a\n{begin}old\n{end}z\n"
    assert readme_text(text, GALLERY, ["**Said.** So"]) == f"a\n{block}z\n"
    for wrong in ("", begin, end, end + begin, text + text):
        with pytest.raises(ValueError, match="needs the two lines"):
            readme_text(wrong, GALLERY, [])


def test_the_gallery_has_all_findings_all_pictures_its_tables_and_drawings(tmp_path):
    results, docs, readme = tmp_path / "results", tmp_path / "docs", tmp_path / "README.md"
    (results / "figures").mkdir(parents=True)
    for name in ("one", "two"):
        (results / f"figures/{name}.svg").write_text(name)
    table = pa.table({
        "n": [10_473_520.0, math.inf, None], "p": [1 / 3, 2e-20 / 3, -1e9 / 3], "k": [1, 2, None],
        "name": ["", "a", None],
    })  # fmt: skip
    write_parquet(table, results / "tables/c.parquet", {})
    readme.write_text("".join(GALLERY.marks))
    (docs / "b").mkdir(parents=True)
    (docs / "b/kept.svg").write_text("by hand")
    arguments = argparse.Namespace(results=results, docs=docs, readme=readme)
    write_gallery(arguments, GALLERY, ["First."], ["Further on."], "Its own.")
    assert {path.name: path.read_text() for path in (docs / "b").iterdir()} == {
        "one.svg": "one", "two.svg": "two", "kept.svg": "by hand",
        "c.csv": '"n","p","k","name"\n10473520,0.33333333,1,""\n'
        'inf,6.6666667e-21,2,"a"\n,-333333330,,\n',
    }  # fmt: skip
    assert (docs / "b.md").read_text() == (
        "# T\n\nWritten by `make a`.\n\n- First.\n- Further on.\n\nIts own.\n\n"
        "![The first](b/one.svg)\n\n![The second](b/two.svg)\n\n"
        "![A drawing](b/kept.svg)\n"
    )
    assert readme.read_text() == readme_text("".join(GALLERY.marks), GALLERY, ["First."])
    assert "Further on" not in readme.read_text()
