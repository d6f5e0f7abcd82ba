"""The report: one file that holds what has been made, and opens with no network at all."""

import base64
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser import MISSING, Browser, chromium
from project import small_project

from attention_separation.pages.html import SORT, page

REPORT = ("report", "--report-after-run", "--report", "report.html")
FIGURES = (
    "fig3", "fig4", "fig7", "threshold", "theta", "choices", "phase", "kernels_accuracy",
)  # fmt: skip
TABLES = (
    "verdicts", "claims", "whp", "kernels", "kernel_values", "kernels_splits", "kernel_laws",
    "kernels_simulated",
    "choices", "threshold",
)  # fmt: skip
PAGES = ("overview", "kernels", "provenance")
LOADING = {
    "script": "src", "img": "src", "iframe": "src", "source": "src", "embed": "src",
    "video": "src", "audio": "src", "link": "href", "object": "data", "image": "href",
    "use": "xlink:href", "form": "action", "base": "href",
}  # fmt: skip


class Report:
    """A report as a file: the results in it, and where it is."""

    def __init__(self, path: Path):
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.results = self._variable("results")
        self.categories = self._variable("categories")

    def _variable(self, name: str):
        text = self.text.split(f'<script id="{name}">')[1]
        return json.loads(re.match(rf"\s*var {name} = (.*?);\s*</script>", text, re.S).group(1))

    def content(self, path: str) -> bytes:
        """The bytes of a result."""
        head, _, data = self.results[path]["data_uri"].partition(",")
        return base64.b64decode(data) if head.endswith("base64") else unquote_to_bytes(data)

    def show(self, browser: Browser, path: str) -> None:
        """Open the report at a result and what is known of it, as two clicks do."""
        kind = "img" if path.endswith("svg") else "html"
        where = json.dumps(path)
        browser.open(self.path)
        browser.wait_until("typeof app !== 'undefined'")
        browser.run(f"app.showResultInfo({where})")
        browser.run(
            f"app.setView({{content: '{kind}', contentPath: results[{where}].data_uri, "
            f"resultPath: {where}}})"
        )


class Loads(HTMLParser):
    """Addresses that a page would load things from; what it merely links to does not count."""

    def __init__(self, text: str):
        super().__init__()
        self.found: list[str] = []
        self.feed(text)
        self.found += re.findall(
            r"url\(\s*[\"']?(?!#|data:)([^)\"']+)", text.split("<script", 1)[0]
        )
        self.found += re.findall(r"@import\s+[\"'](.*?)[\"']", text.split("<script", 1)[0])

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            loads = LOADING.get(tag) == name or name in ("srcset", "background", "poster")
            if loads and value and not value.startswith(("data:", "#")):
                self.found.append(f"{tag} {name}={value}")


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


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("browser")) as started:
        yield started


@pytest.fixture
def picture(request):
    """Where to keep a screenshot: .pytest_cache/d/report."""
    return lambda name: request.config.cache.mkdir("report") / f"{name.replace('/', '_')}.png"


def test_it_holds_every_figure_table_and_page(project, whole):
    expected = {f"results/figures/{name}.svg" for name in FIGURES}
    expected |= {f"results/tables/{name}.html" for name in TABLES}
    expected |= {
        f"results/figures/{name}.{kind}" for name in FIGURES for kind in ("csv", "parquet")
    }
    expected |= {
        f"results/tables/{name}.{kind}" for name in TABLES[:8] for kind in ("csv", "parquet")
    }
    expected |= {f"results/report/{name}.html" for name in PAGES}
    assert set(whole.results) == expected
    assert sorted(whole.categories) == [
        "1 Overview", "2 Any attention", "3 Figures of the first paper",
        "6 Tables of the first paper", "7 Data", "8 Provenance",
    ]  # fmt: skip
    for path in expected:
        assert whole.content(path) == (project.folder / path).read_bytes()


def test_figures_have_labels_and_captions_of_this_run(project, whole):
    entry = whole.results["results/figures/fig4.svg"]
    verdicts = pq.read_table(project.folder / "results/tables/verdicts.parquet").to_pylist()
    found = {row["panel"]: row["verdict"] for row in verdicts}
    assert entry["labels"]["model"] == "self-attention"
    assert entry["labels"]["swept"] == "n, d"
    assert {found["fig4a"], found["fig4b"]} == set(
        re.findall("agrees|undecided|differs", entry["labels"]["verdict"])
    )
    table = pq.read_table(project.folder / "results/figures/fig4.parquet")
    held = sum(row["ci_low"] <= row["p_exact"] <= row["ci_high"] for row in table.to_pylist())
    assert "2 panels with 8 points of 20 trials each" in entry["caption"]
    assert f"Of the 8 intervals, {held}" in entry["caption"]
    for name in FIGURES:
        caption = whole.results[f"results/figures/{name}.svg"]["caption"]
        assert "<strong>" in caption
        assert "system-message" not in caption
    for name in TABLES:
        assert re.search(r"\d", whole.results[f"results/tables/{name}.html"]["caption"]), name


def test_nothing_in_it_would_be_loaded_from_elsewhere(whole):
    assert Loads(whole.text).found == []
    pages = [path for path in whole.results if path.endswith((".html", ".svg"))]
    assert len(pages) == len(FIGURES) + len(TABLES) + len(PAGES)
    for path in pages:
        text = whole.content(path).decode()
        assert Loads(text).found == [], path
        assert text.count("<script") == text.count(SORT)


@pytest.mark.parametrize(
    "text",
    ['<img src="https://a.b/c.png">', '<link href="//a.b/c.css">', "<style>a{b:url(http://c)}"],
)
def test_what_would_be_loaded_is_found(text):
    assert Loads(text).found


def test_what_a_page_asks_for_and_gets_wrong_is_seen(browser, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<img src='http://a.b/c.png'><script>throw new Error('odd')</script>")
    browser.open(page)
    seen = browser.look()
    assert fetched_elsewhere(seen) == ["http://a.b/c.png"]
    assert seen.images[0]["width"] == 0
    (error,) = seen.errors
    assert "odd" in error


def test_a_browser_opens_it_with_no_network(browser, whole, picture):
    browser.open(whole.path)
    browser.wait_for_text("values computed without simulation")
    seen = browser.look(picture("start"))
    assert "Softmax against linear attention" in seen.text
    assert "in all 4 panels" in seen.text or "of 4 panels" in seen.text
    # The story of kernels comes first, with its picture.
    assert seen.text.index("what decides is how many times") < seen.text.index("Softmax against")
    assert "System Message" not in seen.text
    assert len([image for image in seen.images if image["width"] > 200]) == 1
    for category in whole.categories:
        assert category in seen.text
    assert fetched_elsewhere(seen) == []
    assert seen.errors == []


def test_it_opens_with_the_story_however_large_the_graph_of_rules_is(browser, whole):
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


@pytest.mark.parametrize("name", FIGURES)
def test_a_browser_shows_each_figure_whole_with_its_caption(browser, whole, picture, name):
    path = f"results/figures/{name}.svg"
    first = re.search(r"<strong>(.*?)</strong>", whole.results[path]["caption"]).group(1)
    whole.show(browser, path)
    browser.wait_until("[...document.images].some((i) => i.complete && i.naturalWidth > 200)")
    browser.wait_for_text(re.sub("&.*?;", "", first)[:30])
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
        ("report/overview", "Beyond the grids: exact probabilities over two parameters"),
        ("report/provenance", "title: Seven"),
        ("report/kernels", "what decides is how many times"),
        ("tables/claims", "4.2"),
        ("tables/kernels", "uniform weights: no attention"),
    ],
)
def test_a_browser_shows_pages_in_the_report(browser, whole, picture, name, words):
    path = f"results/{name}.html"
    whole.show(browser, path)
    browser.wait_for_frame(words)
    seen = browser.look(picture(name))
    assert len(seen.frames) == 1
    assert fetched_elsewhere(seen) == []
    assert seen.errors == []
    # A longer address is not opened: the frame would stay empty.
    assert len(whole.results[path]["data_uri"]) < 2 * 1024 * 1024


@pytest.mark.parametrize("name", [*(f"tables/{name}" for name in TABLES), "report/overview"])
def test_a_browser_reads_the_tables(browser, project, name):
    browser.open(project.folder / f"results/{name}.html")
    seen = browser.look()
    assert fetched_elsewhere(seen) == []
    assert seen.errors == []
    if name == "tables/verdicts":
        assert re.search(r"fig4b\s+(agrees|undecided|differs)", seen.text)
    if name == "report/overview":
        assert "Beyond the grids: exact probabilities over two parameters" in seen.text
        assert re.search(r"fig7b\s+cross-attention\s+d\s+6\s+20", seen.text)
    assert len(seen.text) > 800


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


def test_numbers_can_be_had_from_it(project, whole):
    path = "results/figures/fig4.parquet"
    table = pq.read_table(pa.BufferReader(whole.content(path)))
    assert table.equals(pq.read_table(project.folder / path))
    assert whole.content("results/figures/fig4.csv").startswith(b'"panel","parameter"')


def test_where_one_figure_was_made_it_holds_that(browser, part, picture):
    project, report = part
    expected = {f"results/figures/fig4.{kind}" for kind in ("svg", "csv", "parquet")}
    expected |= {"results/report/overview.html", "results/report/provenance.html"}
    assert set(report.results) == expected
    assert report.results["results/figures/fig4.svg"]["labels"]["verdict"] == "not judged"
    assert not (project.folder / "results/tables").exists()
    overview = report.content("results/report/overview.html").decode()
    assert "Not made yet: verdicts, claims, whp, choices, threshold." in overview
    browser.open(report.path)
    browser.wait_for_text("of the 8 points")
    browser.look(picture("part"))


def test_made_twice_its_pages_have_the_same_bytes(project):
    before = project.files("results/report")
    assert "Nothing to be done" in project.make("report")
    project.make("report", "--forcerun", "overview", "provenance")
    assert project.files("results/report") == before


def test_a_change_of_settings_reaches_it(part):
    project, _ = part
    # Between --quiet, which takes several words, and the target.
    target = ("--nolock", "report")
    assert project.would_run(*target) == set()
    assert project.would_run(*target, "--config", "seed=7") == {
        "simulate_fig4a", "simulate_fig4b", "fig4", "overview", "provenance", "report",
    }  # fmt: skip


def test_without_a_browser_one_sentence_says_so(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(pytest.fail.Exception, match="install the package `chromium`"):
        chromium()
    assert MISSING.count(".") == 0
