"""The explorer in a headless Chromium that reaches nothing but this machine."""

import json

import pytest

import attention_separation as asep
from attention_separation.explorer import views
from attention_separation.explorer.pictures import in_digits
from attention_separation.explorer.views import VIEWS

pytestmark = pytest.mark.filterwarnings("ignore:.*a temperature (does not change|multiplies)")
"""What the API says of scale-free kernels, which the app says beside the number."""

HELP = """
const control = (tag, words) => [...document.querySelectorAll(tag)].find((e) =>
  e.shadowRoot?.textContent.trim().startsWith(words)
  && [...e.shadowRoot.querySelectorAll('label')].some((l) => l.getBoundingClientRect().width > 0));
window.thumb = (words) => control('marimo-slider', words).shadowRoot.querySelector('[role=slider]');
window.formula = () => control('marimo-text', 'or a formula').shadowRoot.querySelector('input');
window.choice = () => control('marimo-dropdown', 'view')?.shadowRoot.querySelector('select');
window.view = () => choice()?.selectedOptions[0].text;
window.focused = () => {
  let found = document.activeElement;
  while (found.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
  return found;
};
window.number = () => document.querySelector('#number')?.innerText;
window.answer = () => document.querySelector('#number')?.parentElement.innerText;
window.picture = () => document.querySelector('img[src^="data:image/svg"]');
window.faults = () => [...document.querySelectorAll('marimo-callout-output')]
  .map((e) => e.shadowRoot.textContent.trim());
"""


@pytest.fixture
def page(browser, address):
    """The explorer, just opened."""
    browser.resize(1280, 900)
    browser.open(address)
    browser.run(HELP)
    browser.wait_until("!!number() && !!picture() && !!view()")
    return browser


def step(page, words, seen="answer()"):
    """Move a slider, found by its words, by one step, and wait until what is seen has changed."""
    before = json.dumps(page.value(seen))
    page.run(f"thumb({json.dumps(words)}).focus()")
    page.press("ArrowRight", 39)
    page.wait_until(f"{seen} !== {before}")


def write(page, text):
    """Put a text in place of the formula."""
    page.run("formula().focus(); formula().select()")
    page.write(text)


def wait_for_number(page, kernel="exp", n=2000, temperature=1, **more):
    """Wait until the number is what the API says."""
    found = asep.separate(asep.at_temperature(kernel, temperature), n=n, **more)
    page.wait_until(f"number() === {json.dumps(in_digits(found.probability))}")


def test_moving_a_slider_changes_the_number_to_what_the_api_says(page):
    wait_for_number(page)
    write(page, "x**3")
    wait_for_number(page, "x**3")
    moved = {}
    for words, more in (
        ("T,", {"temperature": 1.2}), ("a₁,", {"a1": 1.25}), ("b,", {"b": 0.25}),
        ("c,", {"c": 0.85}), ("K,", {"n": 1995, "d": 23}), ("n,", {"n": 2499, "d": 23}),
        ("m,", {"m": 1}), ("θ,", {"theta": 0.01}),
    ):  # fmt: skip
        step(page, words)
        moved |= more
        wait_for_number(page, "x**3", **moved)


def test_a_mistake_in_a_formula_is_said_in_the_apis_sentence(page):
    for wrong in ("exp(x", "softmx", "x < 1 && <b>", "log(x - 1000)"):
        with pytest.raises((ValueError, ArithmeticError)) as said:
            asep.separate(wrong, n=2000)
        write(page, wrong)
        # Beside the number, and below the kernels that can be drawn.
        wanted = json.dumps([str(said.value)] * 2)
        page.wait_until(f"!number() && JSON.stringify(faults()) === JSON.stringify({wanted})")
    write(page, "x**4")
    wait_for_number(page, "x**4")
    page.wait_until("!faults().length")


SENT = "?n=20000&temperature=0.5&view=Row&Needle.mu=4&formula=x**2%2B1&others="
SENT += "&kernel=linear: x"


def choose(page, view):
    """Choose a view in their list."""
    place = [*VIEWS].index(view)
    page.run(f"choice().selectedIndex = {place}")
    page.run("choice().dispatchEvent(new Event('change', {bubbles: true}))")
    page.wait_until(f"view() === {json.dumps(view)}")


def test_a_link_shows_what_its_sender_saw(page, address):
    def show(query):
        page.open(address + query)
        page.run(HELP)
        page.wait_until("!!picture() && !!view()")

    # What no control can have is left out, and what is not of the app stays.
    show(f"{SENT}&a1=7&b=0.3&b=0.4&m=x&show-chrome=false")
    wait_for_number(page, "x**2+1", n=20000, temperature=0.5)
    page.wait_until("view() === 'Row'")
    step(page, "a₁,")
    page.wait_until("new URLSearchParams(location.search).get('a1') === '1.25'")
    page.wait_until("!new URLSearchParams(location.search).has('m')")
    query = page.value("location.search")
    assert "show-chrome=false" in query
    show("")
    wait_for_number(page)
    show(query)
    wait_for_number(page, "x**2+1", n=20000, temperature=0.5, a1=1.25)
    write(page, "")
    wait_for_number(page, "linear", n=20000, temperature=0.5, a1=1.25)
    page.wait_until("!new URLSearchParams(location.search).has('formula')")
    choose(page, "Needle")
    page.wait_for_text("draw_needle(mu=4.0, n=512)")
    page.wait_until("new URLSearchParams(location.search).get('view') === 'Needle'")
    show(page.value("location.search"))
    page.wait_for_text("draw_needle(mu=4.0, n=512)")
    choose(page, "Rank bound")
    page.wait_until("new URLSearchParams(location.search).get('view') === 'Rank bound'")
    step(page, "H,", "picture().src")
    page.wait_until("new URLSearchParams(location.search).get('Rank bound.heads') === '4'")


def names(page, role):
    """The names of what the accessibility tree has of a role, where that is shown."""
    return [one["name"] for one in page.accessibility_tree() if one["role"] == role]


def test_what_assistive_technology_is_told(page):
    """Each slider says its value once the focus is there, buttons and the picture have names, and
    there is a heading."""
    wanted = {"n,": 2000, "K,": 20, "m,": 0, "a₁,": 1.2, "b,": 0.2, "c,": 0.8, "θ,": 0, "T,": 1}
    for words, value in wanted.items():
        tab_to(page, f"thumb({json.dumps(words)})")
        page.wait_until(f"focused().ariaValueText === '{value}'")
    assert names(page, "heading")[0] == views.title("Curve")
    assert all(names(page, "button"))
    (picture,) = names(page, "image")
    assert picture.startswith("Exact, against tokens n.")


def test_a_view_is_beside_what_it_takes_alone(page):
    """The number and the sliders of kernels go where a view is of another question, and come
    back as they were left."""
    step(page, "a₁,")
    for view in ("Needle", "Recall", "Rank bound"):
        choose(page, view)
        page.wait_until("!number()")
        page.wait_until(f"document.querySelector('h1').innerText === {views.title(view)!r}")
        sliders = " ".join(names(page, "slider"))
        assert "threshold" not in sliders
    choose(page, "Scores")
    wait_for_number(page, a1=1.25)
    assert "θ, threshold" in " ".join(names(page, "slider"))


def tab_to(page, wanted):
    """Press Tab until the focus is at an element, from where it is."""
    for _ in range(40):
        page.press("Tab", 9)
        if page.value(f"focused() === {wanted}"):
            return
    raise AssertionError(f"no press of Tab leads to {wanted}")


def test_views_are_chosen_with_the_keyboard_alone(page):
    """To come to their list chooses none of them, and the focus stays there while controls beside
    it go and come."""
    tab_to(page, "choice()")
    assert page.value("view()") == "Curve"
    names_of_views = [*VIEWS]
    for view in names_of_views[1:]:
        page.press("ArrowDown", 40)
        page.wait_for_text(f"import {VIEWS[view].draw.__name__}")
        page.wait_until(f"!number() === {json.dumps(not views.is_of_kernels(view))}")
        assert page.value("[view(), focused() === choice()]") == [view, True]
    for view in names_of_views[-2::-1]:
        page.press("ArrowUp", 38)
        page.wait_for_text(f"import {VIEWS[view].draw.__name__}")
        page.wait_until(f"!!number() === {json.dumps(views.is_of_kernels(view))}")
        assert page.value("[view(), focused() === choice()]") == [view, True]


def test_a_slider_is_moved_with_the_keyboard_alone_and_says_its_value(page):
    tab_to(page, "thumb('n,')")
    for value in (2000, 2500, 3000):
        wait_for_number(page, n=value)
        page.wait_until(f"focused().ariaValueText === '{value}'")
        page.press("ArrowRight", 39)


PICTURES = {
    # Of docs/explorer: the view, the window's width, a formula, and steps of the temperature.
    "row": ("Row", 1280, "", 0),
    "needle": ("Needle", 1280, "", 0),
    "recall": ("Recall", 1280, "", 0),
    "rank_bound": ("Rank bound", 1280, "", 0),
    "phone": ("Curve", 390, "", 0),
    "scores": ("Scores", 1280, "", 3),
    "curve": ("Curve", 1280, "x**5", 0),
}


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_of_the_views_fit_the_window(page, address, name, tmp_path, pytestconfig):
    assert {view for view, *_ in PICTURES.values()} == {*VIEWS}
    view, width, formula, steps = PICTURES[name]
    if formula:
        write(page, formula)
    for _ in range(steps):
        step(page, "T,")
    page.click(640, 5)
    choose(page, view)
    # The Python below the picture is of what has been chosen.
    page.wait_for_text(f"import {VIEWS[view].draw.__name__}")
    page.wait_for_text(f"['{formula}'" if formula else "temperature=2.0)" if steps else "savefig")
    page.resize(width, 900)
    page.wait_until(f"innerWidth === {width} && picture().complete")
    folder = pytestconfig.getoption("--pictures") or tmp_path
    seen = page.look(folder / f"{name}.png")
    assert [each["right"] <= width for each in seen.images if each["width"] > 200] == [True]
    assert not page.value("document.documentElement.scrollWidth > innerWidth || faults().length")
    assert ("Traceback" in seen.text, seen.errors) == (False, [])
    assert all(each.startswith((address, "data:", "blob:")) for each in seen.fetched)
