"""The explorer's page as somebody uses it: controls by their words, what is shown, and how long a
change takes to show."""

import json
from pathlib import Path

from browser import Browser, Seen

ARROW_RIGHT, ARROW_LEFT, BACKSPACE = ("ArrowRight", 39), ("ArrowLeft", 37), ("Backspace", 8)

HELP = """
window.seen = (e) => e && e.getBoundingClientRect().width > 0;
window.control = (tag, words) => [...document.querySelectorAll(tag)].find((e) =>
  e.shadowRoot && e.shadowRoot.textContent.trim().startsWith(words)
  && [...e.shadowRoot.querySelectorAll('label')].some(seen));
window.thumb = (words) => control('marimo-slider', words).shadowRoot.querySelector('[role=slider]');
window.tab = (words) => [...document.querySelectorAll('marimo-tabs')]
  .flatMap((e) => [...e.shadowRoot.querySelectorAll('[role=tab]')])
  .find((e) => e.textContent.trim() === words);
window.answer = () => document.querySelector('#answer').innerText;
window.number = () => (document.querySelector('#number') || {}).innerText;
window.picture = () => (document.querySelector('#view img') || {}).src;
window.lines = () => document.querySelector('.codehilite code').innerText;
"""

TIMED = """new Promise((done) => {
  const before = {answer: answer(), picture: picture()};
  const found = {};
  let start = null;
  const look = () => {
    for (const [name, now] of [['answer', answer], ['picture', picture]]) {
      if (start !== null && !(name in found) && now() && now() !== before[name])
        found[name] = (performance.now() - start) / 1000;
    }
    if ('answer' in found && 'picture' in found) { window.timed = found; }
    else requestAnimationFrame(look);
  };
  addEventListener('keydown', () => { start ??= performance.now(); }, {capture: true, once: true});
  window.timed = null;
  requestAnimationFrame(look);
  done(true);
})"""
"""From the key to the first frame after the answer, and after the picture, in seconds."""

SETTLED = """new Promise((done) => {
  let last = performance.now();
  const watch = new MutationObserver(() => { last = performance.now(); });
  watch.observe(document.body, {subtree: true, childList: true, attributes: true});
  const look = () => performance.now() - last > 300
    ? (watch.disconnect(), done(true)) : setTimeout(look, 50);
  document.fonts.ready.then(look);
})"""
"""Nothing has changed for 0.3 s: while the page is built up, things still move."""


class Page:
    """The explorer in a browser."""

    def __init__(self, browser: Browser, address: str):
        self.browser, self.address = browser, address

    def open(self) -> None:
        """Begin anew, and wait until all is shown."""
        self.browser.open(self.address)
        self.browser.run(HELP)
        self.browser.wait_until("!!document.querySelector('#view img') && !!tab('Curve')")
        self.browser.wait_until(SETTLED)

    @property
    def number(self) -> str | None:
        return self.browser.value("number()")

    @property
    def answer(self) -> str:
        return self.browser.value("answer()")

    @property
    def lines(self) -> str:
        return self.browser.value("lines()")

    @property
    def svg(self) -> str:
        """The picture's own text."""
        return self.browser.value("atob(picture().split(',')[1])").encode("latin-1").decode()

    def step(self, words: str, key: tuple[str, int] = ARROW_RIGHT) -> None:
        """Move a slider by one step, and wait until the answer has changed."""
        before = json.dumps(self.answer)
        self.browser.run(f"thumb({json.dumps(words)}).focus()")
        self.browser.press(*key)
        self.browser.wait_until(f"answer() !== {before}")

    def timed_step(self, words: str, key: tuple[str, int] = ARROW_RIGHT) -> dict[str, float]:
        """Move a slider by one step: the seconds until the answer and the picture have changed."""
        self.browser.run(f"thumb({json.dumps(words)}).focus()")
        self.browser.run(TIMED)
        self.browser.press(*key)
        self.browser.wait_until("!!window.timed")
        return self.browser.value("window.timed")

    def drag(self, words: str, to: float) -> None:
        """Drag a slider's thumb with the mouse to a share of its length."""
        place = self.browser.value(
            f"(() => {{ const t = thumb({json.dumps(words)}).getBoundingClientRect();"
            f"const e = control('marimo-slider', {json.dumps(words)}).shadowRoot"
            ".querySelector('[data-testid=track]').getBoundingClientRect();"
            "return {x: t.x + t.width / 2, y: t.y + t.height / 2, left: e.left, width: e.width};"
            "})()"
        )
        self.browser.drag(place["x"], place["y"], place["left"] + to * place["width"])

    def type_formula(self, text: str) -> None:
        """Put a text in place of the formula."""
        words = json.dumps("or a formula")
        self.browser.run(
            f"(() => {{ const e = control('marimo-text', {words}).shadowRoot"
            ".querySelector('input'); e.focus(); e.select(); })()"
        )
        self.browser.press(*BACKSPACE)
        self.browser.write(text)

    def choose(self, words: str, option: str) -> None:
        """Choose in a list."""
        self.browser.run(
            f"(() => {{ const e = control('marimo-dropdown', {json.dumps(words)}).shadowRoot"
            f".querySelector('select'); e.value = [...e.options].find((o) => o.text === "
            f"{json.dumps(option)}).value;"
            "e.dispatchEvent(new Event('change', {bubbles: true})); })()"
        )

    def show(self, name: str) -> None:
        """Open a tab, and wait for its picture."""
        place = self.browser.value(
            f"(() => {{ const t = tab({json.dumps(name)}).getBoundingClientRect();"
            "return {x: t.x + t.width / 2, y: t.y + t.height / 2}; })()"
        )
        self.browser.click(**place)
        self.browser.wait_until(
            f"document.querySelector('#view img')?.alt.startsWith({json.dumps(name + ':')})"
            " && document.querySelector('#view img').complete"
        )

    def look(self, picture: Path | None = None) -> Seen:
        return self.browser.look(picture)
