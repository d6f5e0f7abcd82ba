"""The site: every page has its place, fits a desktop and a phone, and asks no other host."""

import importlib
import time
import tomllib
from importlib.util import module_from_spec, spec_from_file_location

import pytest
from browser import Browser
from making import ROOT

import attention_separation
from attention_separation import API

SITE = ROOT / "site"
CONFIG = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
WIDTHS = {1280: 900, 390: 844}
"""A desktop's and a phone's, with their heights."""

OUTSIDE = """[...document.querySelectorAll('.md-content *')].filter((one) => {
  if (one.getBoundingClientRect().right <= innerWidth + 1) return false;
  for (let box = one.parentElement; box; box = box.parentElement)
    if (['auto', 'scroll'].includes(getComputedStyle(box).overflowX)) return false;
  return true;
}).map((one) => one.outerHTML.slice(0, 80))"""
"""What reaches over a page's edge, and does not lie in a box that scrolls."""


SEARCH = "[...document.body.children].find((one) => one.shadowRoot)?.shadowRoot"
"""Where the theme has its search."""


def loaded():
    """docs/site/build.py."""
    spec = spec_from_file_location("build", ROOT / "docs/site/build.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BUILD = loaded()
MOVED = BUILD.redirects(ROOT)
PAGES = [path for path in sorted(SITE.glob("*.html")) if f"{path.stem}.md" not in MOVED]


def entries(nav) -> list[str]:
    """All pages of a navigation, in order."""
    return [
        page
        for entry in nav
        for place in entry.values()
        for page in (entries(place) if isinstance(place, list) else [place])
    ]


@pytest.fixture(scope="module", params=WIDTHS)
def browser(request, tmp_path_factory):
    """One of a width."""
    folder = tmp_path_factory.mktemp("browser")
    with Browser(folder, request.param, WIDTHS[request.param]) as one:
        yield one


def test_every_page_has_one_place_in_the_navigation():
    placed = entries(CONFIG["nav"])
    pages = [*BUILD.sources(ROOT).values(), "reference.md"]
    assert sorted(placed) == sorted(pages)
    assert {page.stem for page in PAGES} == {page.removesuffix(".md") for page in placed}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_it_fits_and_asks_no_other_host(browser, page):
    browser.open(page)
    seen = browser.look()
    away = [
        url for url in seen.fetched if not url.startswith(("file:", "data:", "about:", "blob:"))
    ]
    assert away == []
    assert seen.errors == []
    assert browser.value("document.documentElement.scrollWidth") <= browser.value("innerWidth")
    assert browser.value(OUTSIDE) == []
    assert all(image["width"] > 0 for image in seen.images)
    assert len(seen.text) > 300


def test_an_old_address_names_the_new_one():
    for name, target in MOVED.items():
        sent = (SITE / name).with_suffix(".html").read_text(encoding="utf-8")
        new = target.replace(".md", ".html")
        assert f'<meta http-equiv="refresh" content="0; url={new}">' in sent, name


def test_a_reader_of_an_old_address_is_sent_on(browser):
    browser.open(SITE / "wanted.html")
    # While the page changes, the browser answers nothing.
    time.sleep(1)
    browser.wait_until("location.pathname.endsWith('/papers.html')")
    browser.wait_until("!!document.getElementById('wanted')")


def test_an_old_address_that_would_lead_nowhere_stops_the_build(tmp_path):
    moved = {"old.md": "new.md#here"}
    page = tmp_path / "new.html"
    page.write_text('<h2 id="here"></h2>', encoding="utf-8")
    BUILD.check_redirects(moved, tmp_path)
    page.write_text('<h2 id="there"></h2>', encoding="utf-8")
    with pytest.raises(ValueError, match=r"old\.md: new\.md has no heading here"):
        BUILD.check_redirects(moved, tmp_path)
    page.unlink()
    with pytest.raises(ValueError, match=r"old\.md: the site has no page new\.md"):
        BUILD.check_redirects(moved, tmp_path)


def test_search_finds_in_a_page_that_is_opened_as_a_file(browser):
    browser.open(SITE / "index.html")
    browser.wait_until(f"!!{SEARCH}")
    browser.run("document.querySelector('.md-search__button').click()")
    browser.wait_until(f"{SEARCH}.activeElement?.tagName === 'INPUT'")
    browser.write("critical_temperature")
    browser.wait_until(f"{SEARCH}.textContent.includes('The highest T at which')")


def test_where_a_reader_has_it_dark_pictures_lie_on_a_white_card(browser):
    white = "'rgb(255, 255, 255)'"
    page = "getComputedStyle(document.body).backgroundColor"
    card = "getComputedStyle(document.querySelector('.md-content img'))"
    browser.prefer("dark")
    browser.open(SITE / "index.html")
    browser.wait_until(f"{page} !== {white}")
    assert browser.value(f"{card}.backgroundColor === {white} && {card}.paddingTop !== '0px'")
    browser.prefer("light")
    browser.open(SITE / "index.html")
    browser.wait_until(f"{page} === {white}")
    assert browser.value(f"{card}.paddingTop === '0px'")


def test_what_reaches_over_the_edge_is_seen(browser, tmp_path):
    page = tmp_path / "page.html"
    wide = "<div style='width: 3000px'>wide</div>"
    inside = f"<div style='overflow-x: auto; width: 100px'>{wide}</div>"
    page.write_text(f"<div class='md-content'>{inside}{wide}</div>", encoding="utf-8")
    browser.open(page)
    assert len(browser.value(OUTSIDE)) == 1


def test_links_lead_to_pages_files_or_nowhere(tmp_path):
    (tmp_path / "docs/a").mkdir(parents=True)
    (tmp_path / "src").mkdir()
    for name in ("docs/b.md", "docs/a/f.svg", "config.yaml"):
        (tmp_path / name).write_text("# Title of b\n", encoding="utf-8")
    text = (
        "[b](b.md#x) [docs/b.md](b.md) [c](../config.yaml) [s](../src) ![f](a/f.svg) [w](https://w.x)\n"
        "`[b](no.md)`\n\n```sh\n[b](no.md)\n```\n"
    )
    found, files = BUILD.relinked(text, "docs/c.md", tmp_path, {"docs/b.md": "b.md"})
    assert found == (
        "[b](b.md#x) [Title of b](b.md) [c](files/config.yaml) s [![f](a/f.svg)](a/f.svg) "
        "[w](https://w.x)\n`[b](no.md)`\n\n```sh\n[b](no.md)\n```\n"
    )
    assert files == {"config.yaml", "docs/a/f.svg"}
    with pytest.raises(ValueError, match=r"docs/c\.md: no file no\.md"):
        BUILD.relinked("[b](no.md)", "docs/c.md", tmp_path, {})


def test_the_reference_has_every_name_of_the_api():
    text = (ROOT / "docs/site/reference.md").read_text(encoding="utf-8")
    listed = [line.split()[1] for line in text.splitlines() if line.startswith(":::")]
    wanted = [f"attention_separation.api.{name}" for name in API]
    for room in {*attention_separation.__all__} - {*API}:
        names = importlib.import_module(f"attention_separation.{room}").__all__
        wanted += [f"attention_separation.{room}.{name}" for name in names]
    assert sorted(listed) == sorted(wanted)
    built = (SITE / "reference.html").read_text(encoding="utf-8")
    assert all(f'id="{name}"' in built for name in wanted)


def test_nothing_on_it_is_loaded_from_elsewhere():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert "unpkg.com" not in text
        assert 'src="http' not in text
        assert 'rel="stylesheet" href="http' not in text
