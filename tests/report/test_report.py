"""The report: one file that holds what has been made, and opens with no network at all."""

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser import Browser
from made_report import Report
from making import CONFIG
from project import small_project

from attention_separation.pages.table_page import page

REPORT = ("report", "--report-after-run", "--report", "report.html")
OPENING = ("fig3", "fig4", "fig7")
"""All of Figures 3, 4, 5 and 7 that the small project has."""
FIGURES = (*OPENING, "threshold", "theta", "choices", "phase", "kernels_accuracy")
TABLES = (
    "verdicts",
    "claims",
    "claims_readings",
    "whp",
    "kernels",
    "kernel_laws",
    "temperature",
    "kernels_simulated",
)
CATEGORIES = [
    "1 Softmax against linear attention",
    "2 Lemmas of the first paper",
    "3 Open choices of the first paper",
    "4 Any attention",
    "5 Provenance",
]
MOST_BYTES = 10e6


@pytest.fixture(scope="module")
def project(made_once, tmp_path_factory):
    """A small project, all of it made, with its report."""
    made = made_once.copy(tmp_path_factory.mktemp("whole"))
    made.make(*REPORT)
    return made


@pytest.fixture(scope="module")
def whole(project):
    return Report(project.folder / "report.html")


@pytest.fixture(scope="module")
def part(tmp_path_factory):
    """The report where one figure alone has been made."""
    made = small_project(tmp_path_factory.mktemp("part"))
    made.make("fig4")
    made.make(*REPORT)
    return made, Report(made.folder / "report.html")


WINDOW = (1500, 1000)
SCREEN = (1280, 800)
TELEPHONE = (375, 700)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("browser"), *WINDOW) as started:
        yield started


@pytest.fixture
def resize(browser):
    """What sets the window's size, for one test."""
    yield browser.resize
    browser.resize(*WINDOW)


@pytest.fixture
def picture(request):
    """Where to keep a screenshot: .pytest_cache/d/report."""
    return lambda name: request.config.cache.mkdir("report") / f"{name.replace('/', '_')}.png"


def show(browser: Browser, report: Report, path: str) -> None:
    """Open a report at a result and what is known of it, as two clicks do."""
    kind = "img" if path.endswith("png") else "html"
    where = json.dumps(path)
    browser.open(report.path)
    browser.wait_until("typeof app !== 'undefined'")
    browser.run(f"app.showResultInfo({where})")
    browser.run(
        f"app.setView({{content: '{kind}', contentPath: results[{where}].data_uri, "
        f"resultPath: {where}}})"
    )


def test_it_lists_every_figure_and_short_table_once(project, whole):
    """And the page of versions; no numbers, and no table that a figure is of."""
    expected = {f"results/figures/{name}.png" for name in FIGURES}
    expected |= {f"results/tables/{name}.html" for name in TABLES}
    expected |= {"results/report/provenance.html"}
    assert set(whole.results) == expected
    contents = [whole.content(path) for path in expected]
    assert contents == [(project.folder / path).read_bytes() for path in expected]
    assert len({*contents}) == len(contents)
    assert whole.path.stat().st_size < MOST_BYTES


def test_studies_are_numbered_in_their_order_without_gaps(whole):
    assert sorted(whole.categories) == CATEGORIES
    titles = [study.title for study in CONFIG.studies().values()]
    made = [category[2:] for category in CATEGORIES[:-1]]
    assert made == [title for title in titles if title in made]


def test_figures_have_labels_and_a_caption_without_a_result(project, whole):
    entry = whole.results["results/figures/fig4.png"]
    verdicts = pq.read_table(project.folder / "results/tables/verdicts.parquet").to_pylist()
    found = {row["panel"]: row["verdict"] for row in verdicts}
    assert entry["labels"]["model"] == "self-attention"
    assert entry["labels"]["swept"] == "n, d"
    assert {found["fig4a"], found["fig4b"]} == set(
        re.findall("agrees|undecided|differs", entry["labels"]["verdict"])
    )
    captions = {result["caption"] for result in whole.results.values()}
    # One of each study, and one of the page of versions.
    assert len(captions) == len(CATEGORIES)
    for caption in captions:
        assert 10 < len(caption.split()) < 50
        assert "system-message" not in caption


def test_what_a_page_asks_for_and_gets_wrong_is_seen(browser, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<img src='http://a.b/c.png'><script>throw new Error('odd')</script>")
    browser.open(page)
    seen = browser.look()
    assert fetched_elsewhere(seen) == ["http://a.b/c.png"]
    assert seen.images[0]["width"] == 0
    (error,) = seen.errors
    assert "odd" in error


def test_it_opens_with_what_was_run_and_its_figures(browser, whole, picture):
    browser.open(whole.path)
    browser.wait_until(
        f"[...document.images].filter((i) => i.naturalWidth > 200).length >= {len(OPENING)}"
    )
    seen = browser.look(picture("start"))
    for words in ("What was run", "2310", "reduced", "each panel's own", *CATEGORIES):
        assert words in seen.text
    assert "System Message" not in seen.text
    assert len([image for image in seen.images if image["width"] > 200]) == len(OPENING)
    words = browser.value("[...document.querySelectorAll('.prose img')].map((i) => i.alt)")
    assert len(words) == len(OPENING)
    assert all(re.match(r"Figure \d, .*: success rates, ", each) for each in words)
    assert fetched_elsewhere(seen) == []
    assert seen.errors == []


def test_the_opening_stands_first_however_large_the_graph_of_rules_is(browser, whole):
    browser.open(whole.path)
    browser.wait_until("document.querySelector('#rulegraph canvas') !== null")
    canvas = "document.querySelector('#rulegraph canvas').style"
    browser.run(f"{canvas}.width = '3000px'; {canvas}.height = '9000px'")
    place = "document.querySelector('.prose').getBoundingClientRect()"
    left, top, width = (browser.value(f"{place}.{side}") for side in ("left", "top", "width"))
    assert (left > 100, 0 <= top < 100, width > 500) == (True, True, True)
    assert (
        browser.value("document.querySelector('#rulegraph').getBoundingClientRect().right") < 1501
    )


def test_on_a_phone_its_list_is_as_wide_as_the_page_and_can_be_closed(browser, whole, picture):
    browser.resize(375, 800)
    try:
        browser.open(whole.path)
        browser.wait_until("document.querySelectorAll('.prose img').length > 0")
        box = "document.querySelector('nav').getBoundingClientRect()"
        browser.wait_until(f"{box}.width === 375 && {box}.height > 100")
        browser.look(picture("phone"))
        assert browser.value("document.documentElement.scrollWidth") == 375
        browser.run("document.querySelector('nav h1 a').click()")
        browser.wait_until(f"{box}.height === 0")
        browser.look(picture("phone_closed"))
        assert browser.value("document.querySelector('.prose').getBoundingClientRect().width") > 300
    finally:
        browser.resize(1500, 1000)


@pytest.mark.parametrize("name", FIGURES)
def test_a_browser_shows_each_figure_whole_with_its_caption(browser, whole, picture, name):
    path = f"results/figures/{name}.png"
    show(browser, whole, path)
    browser.wait_until("[...document.images].some((i) => i.complete && i.naturalWidth > 200)")
    browser.wait_for_text("Numbers lie beside each picture")
    seen = browser.look(picture(name))
    shown = [image for image in seen.images if image["width"] > 200]
    assert len(shown) == 1
    assert shown[0]["top"] >= 0
    assert shown[0]["bottom"] <= seen.window["height"]
    assert shown[0]["right"] <= seen.window["width"]
    assert "job parameters" not in seen.text.lower()
    assert fetched_elsewhere(seen) == []
    assert seen.errors == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("report/provenance", "title: Seven"),
        ("tables/claims", "4.2"),
        ("tables/kernels", "equal weights"),
    ],
)
def test_a_browser_shows_pages_in_the_report(browser, whole, picture, name, words):
    path = f"results/{name}.html"
    show(browser, whole, path)
    browser.wait_for_frame(words)
    seen = browser.look(picture(name))
    assert len(seen.frames) == 1
    assert fetched_elsewhere(seen) == []
    assert seen.errors == []
    # A longer address is not opened: the frame would stay empty.
    assert len(whole.results[path]["data_uri"]) < 2 * 1024 * 1024


@pytest.mark.parametrize("name", TABLES)
def test_a_browser_reads_the_tables_and_sorts_them_by_verdict(browser, project, name):
    browser.open(project.folder / f"results/tables/{name}.html")
    seen = browser.look()
    assert fetched_elsewhere(seen) == []
    assert seen.errors == []
    heads = browser.value("[...document.querySelectorAll('.sortable th')].map((h) => h.innerText)")
    if name in ("verdicts", "claims", "kernel_laws"):
        column = heads.index("verdict")
        browser.run(f"document.querySelectorAll('.sortable th')[{column}].click()")
        cells = f"[...document.querySelectorAll('tbody td:nth-child({column + 1})')]"
        cells += ".map((cell) => cell.innerText)"
        found = browser.value(cells)
        order = f"{cells}.sort((a, b) => a.localeCompare(b))"
        assert found == browser.value(order)
        assert len(found) > 3


def test_a_click_on_a_column_sorts_by_it(browser, tmp_path):
    table = pa.table({"name": ["b", "a", "c"], "n": [20.0, float("inf"), None]})
    path = tmp_path / "table.html"
    path.write_text(page(table, "T", "About."), encoding="utf-8")
    browser.open(path)
    names = "[...document.querySelectorAll('tbody tr')].map((r) => r.cells[0].textContent).join()"
    for column, orders in ((1, ("b,a,c", "a,b,c")), (0, ("a,b,c", "c,b,a"))):
        for order in orders:
            browser.run(f"document.querySelectorAll('th')[{column}].click()")
            browser.wait_until(f"{names} === '{order}'")


def test_a_key_sorts_where_a_columns_name_has_the_focus(browser, tmp_path):
    table = pa.table({"name": ["b", "a"], "n": [2, 1]})
    path = tmp_path / "table.html"
    path.write_text(page(table, "T", "About."), encoding="utf-8")
    browser.open(path)
    focused = "document.activeElement.textContent"
    reached = []
    for _ in range(3):
        browser.press("Tab", 9)
        reached.append(browser.value(focused))
    assert reached[1:] == ["name", "n"]
    assert browser.value("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    browser.press("Enter", 13)
    browser.wait_until("document.querySelectorAll('th')[1].ariaSort === 'ascending'")
    browser.wait_until("document.querySelector('tbody td').textContent === 'a'")


PAGES = ["index", *(f"tables/{name}" for name in TABLES)]


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("size", [TELEPHONE, SCREEN])
def test_no_page_runs_out_of_the_window_sideways(browser, project, resize, name, size):
    resize(*size)
    browser.open(project.folder / f"results/{name}.html")
    width, _ = size
    assert browser.value("document.documentElement.scrollWidth") <= width
    # What is wider scrolls in a box of its own, which keys reach and readers are told of.
    boxes = browser.value(
        "[...document.querySelectorAll('table')].map((t) => t.closest('.wide')).map((box) => "
        "[box.tabIndex, box.getAttribute('role'), box.ariaLabel, box.clientWidth])"
    )
    assert boxes
    for tab_index, role, label, box_width in boxes:
        assert (tab_index, role) == (0, "region")
        assert label
        assert box_width <= width


@pytest.mark.parametrize("name", PAGES)
def test_tables_say_what_they_are_and_what_heads_a_column(browser, project, name):
    browser.open(project.folder / f"results/{name}.html")
    tables = browser.value(
        "[...document.querySelectorAll('table')].map((t) => [t.caption?.textContent, "
        "[...t.tHead.rows[0].cells].map((head) => head.scope)])"
    )
    for caption, scopes in tables:
        assert caption
        assert {*scopes} == {"col"}


def test_figures_keep_their_letters_on_a_telephone(browser, project, resize):
    resize(*TELEPHONE)
    browser.open(project.folder / "results/index.html")
    images = "[...document.images].map((image) => [image.naturalWidth, image.clientWidth])"
    browser.wait_until(f"{images}.every(([natural]) => natural > 0)")
    for natural, shown in browser.value(images):
        # A figure's smallest letters have 7.5 of its points, which are pixels at 96 an inch.
        assert 7.5 * 96 / 72 * shown / natural >= 9


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_dark_for_who_has_it_dark(browser, project, name):
    try:
        for scheme in ("light", "dark"):
            browser.prefer(scheme)
            browser.open(project.folder / f"results/{name}.html")
            colours = browser.value(
                "['body', 'th', 'td', 'a', 'caption'].map((s) => document.querySelector(s))"
                ".filter((e) => e).map((e) => getComputedStyle(e).color)"
            )
            ground = luminance(browser.value("getComputedStyle(document.body).backgroundColor"))
            assert (ground < 0.05) == (scheme == "dark")
            for colour in colours:
                low, high = sorted([ground, luminance(colour)])
                # What WCAG asks of letters.
                assert (high + 0.05) / (low + 0.05) >= 4.5
    finally:
        browser.prefer("light")


def luminance(colour):
    """The relative luminance of a colour such as rgb(0, 114, 178), as WCAG defines it."""
    srgb = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [((c + 0.055) / 1.055) ** 2.4 if c > 0.04045 else c / 12.92 for c in srgb]
    return sum(c * weight for c, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


def fetched_elsewhere(seen):
    """What a page asked for, but for its own file and what that holds."""
    own, *more = seen.fetched
    assert own.startswith("file://")
    return [address for address in more if not address.startswith("data:")]


def test_the_page_of_versions_says_what_ran(whole):
    text = whole.content("results/report/provenance.html").decode()
    assert f"<td>pyarrow</td><td>{pa.__version__}</td>" in text
    assert "<td>seed</td><td>2310</td>" in text
    assert "title: Seven" in text


def test_where_one_figure_was_made_it_holds_that(browser, part, picture):
    project, report = part
    assert set(report.results) == {
        "results/figures/fig4.png", "results/report/provenance.html",
    }  # fmt: skip
    assert sorted(report.categories) == [CATEGORIES[0], "2 Provenance"]
    assert report.results["results/figures/fig4.png"]["labels"]["verdict"] == "not judged"
    assert not (project.folder / "results/tables").exists()
    browser.open(report.path)
    browser.wait_until("[...document.images].some((i) => i.naturalWidth > 200)")
    browser.look(picture("part"))


def test_made_twice_its_pages_have_the_same_bytes(project):
    before = project.files("results/report")
    assert "Nothing to be done" in project.make("report")
    project.make("report", "--forcerun", "provenance")
    assert project.files("results/report") == before


def test_a_change_of_settings_reaches_it(part):
    project, _ = part
    # Between --quiet, which takes several words, and the target.
    target = ("--nolock", "report")
    assert project.would_run(*target) == set()
    assert project.would_run(*target, "--config", "seed=7") == {
        "simulate_fig4a", "simulate_fig4b", "fig4", "provenance", "report",
    }  # fmt: skip
