"""The frame of a study's gallery: its page, its files, its block of README.md."""

import argparse

import pytest

from attention_separation.pages.gallery import Gallery, readme_text, write_gallery

GALLERY = Gallery(
    mark="a",
    command="make a",
    folder="b",
    title="T",
    page_has="More",
    pictures={"one": "The first", "two": "The second"},
    in_readme=["two"],
    tables=["c.csv"],
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


def test_the_gallery_has_all_findings_all_pictures_and_its_tables(tmp_path):
    results, docs, readme = tmp_path / "results", tmp_path / "docs", tmp_path / "README.md"
    files = {"figures/one.svg": b"1", "figures/two.svg": b"2", "tables/c.csv": b"3"}
    for name, data in files.items():
        (results / name).parent.mkdir(parents=True, exist_ok=True)
        (results / name).write_bytes(data)
    readme.write_text("".join(GALLERY.marks))
    arguments = argparse.Namespace(results=results, docs=docs, readme=readme)
    write_gallery(arguments, GALLERY, ["First."], ["Further on."], "Its own.")
    assert {path.name: path.read_bytes() for path in (docs / "b").iterdir()} == {
        "one.svg": b"1", "two.svg": b"2", "c.csv": b"3",
    }  # fmt: skip
    assert (docs / "b.md").read_text() == (
        "# T\n\nWritten by `make a`.\n\n- First.\n- Further on.\n\nIts own.\n\n"
        "![The first](b/one.svg)\n\n![The second](b/two.svg)\n"
    )
    assert readme.read_text() == readme_text("".join(GALLERY.marks), GALLERY, ["First."])
    assert "Further on" not in readme.read_text()
