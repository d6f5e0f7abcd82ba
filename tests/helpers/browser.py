"""A headless Chromium that can reach nothing but files and this machine, and what its pages show.

It is spoken to in its own protocol over two pipes, which needs no driver and no library beside it:
https://chromedevtools.github.io/devtools-protocol
"""

import base64
import json
import os
import selectors
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = (
    "no Chromium on the PATH: tests of pages need one; on Debian, install the package `chromium`"
)
SECONDS = 120
"""How long a busy machine may take for any one answer."""

SHOWN = """({
  text: document.body.innerText,
  images: [...document.images].map((i) => {
    const box = i.getBoundingClientRect();
    return {width: i.naturalWidth, top: box.top, bottom: box.bottom, right: box.right};
  }),
  window: {width: window.innerWidth, height: window.innerHeight},
})"""


def chromium() -> str:
    """The browser's command; the test fails, and is not skipped, where there is none."""
    for name in NAMES:
        if found := shutil.which(name):
            return found
    return pytest.fail(MISSING, pytrace=False)


@dataclass
class Seen:
    """What a page showed: its text, those of its frames, its images with their places; what it
    asked for since it was opened, and what went wrong in its scripts."""

    text: str
    frames: list[str]
    images: list[dict]
    window: dict
    fetched: list[str]
    errors: list[str]


class Browser:
    """One page in a headless Chromium, with its profile in `folder`; a context manager."""

    def __init__(self, folder: Path, width: int = 1500, height: int = 1000):
        told, self._tell = os.pipe()
        self._hear, heard = os.pipe()
        command = [
            chromium(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update",
            "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            f"--user-data-dir={folder / 'profile'}", "--remote-debugging-pipe",
        ]  # fmt: skip
        self._said = (folder / "said.txt").open("w")
        # Chromium reads its file 3 and writes its file 4.
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{told} 4>&{heard}', "bash", *command],
            pass_fds=(told, heard), stdout=self._said, stderr=self._said,
        )  # fmt: skip
        os.close(told)
        os.close(heard)
        self._ready = selectors.DefaultSelector()
        self._ready.register(self._hear, selectors.EVENT_READ)
        self._last, self._buffer, self._session = 0, b"", {}
        self._events: list[dict] = []
        target = self._ask("Target.createTarget", url="about:blank")
        session = self._ask("Target.attachToTarget", flatten=True, **target)
        self._session = session
        for domain in ("Page", "Runtime", "Network"):
            self._ask(f"{domain}.enable")
        self.resize(width, height)

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_) -> None:
        self._process.kill()
        self._process.wait()
        self._ready.close()
        for pipe in (self._tell, self._hear):
            os.close(pipe)
        self._said.close()

    def resize(self, width: int, height: int) -> None:
        """Set the window's size, in pixels."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._ask("Emulation.setDeviceMetricsOverride", **size)

    def prefer(self, scheme: str) -> None:
        """Say that the reader has it "light" or "dark"."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._ask("Emulation.setEmulatedMedia", features=features)

    def open(self, page: Path | str) -> None:
        """Open a file or an address of this machine, and wait until it has loaded."""
        # From an empty page: nothing that the last one does is taken for this one's.
        for address in ("about:blank", page if isinstance(page, str) else page.as_uri()):
            self._events.clear()
            self._ask("Page.navigate", url=address)
            self._wait(lambda: self._named("Page.loadEventFired"), f"{page} has loaded")

    def press(self, key: str, code: int) -> None:
        """Press a key, as "ArrowRight" with its virtual code 39, and let it go."""
        # Without its letter Enter presses no button.
        letter = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self._ask(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                **letter,
            )

    def click(self, x: float, y: float) -> None:
        """Press the mouse at a place, and let it go."""
        for kind in ("mousePressed", "mouseReleased"):
            self._ask(
                "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1,
                clickCount=1,
            )  # fmt: skip

    def write(self, text: str) -> None:
        """Write a text where the page takes letters now."""
        self._ask("Input.insertText", text=text)

    def run(self, script: str) -> None:
        """Run JavaScript in the page."""
        self._evaluate(script)

    def value(self, script: str) -> Any:
        """What an expression of JavaScript is, a promise awaited."""
        return self._evaluate(script)

    def wait_until(self, condition: str) -> None:
        """Wait until an expression of JavaScript is true; AssertionError if it never is."""
        self._wait(lambda: self._evaluate(condition), condition)

    def wait_for_text(self, text: str) -> None:
        """Wait until the page shows a text."""
        self.wait_until(f"document.body.innerText.includes({json.dumps(text)})")

    def wait_for_frame(self, text: str) -> None:
        """Wait until a page within the page shows a text."""
        self._wait(lambda: any(text in each for each in self._texts_of_frames()), text)

    def accessibility_tree(self) -> list[dict]:
        """What assistive technology is told of all that is shown: role, name and value of each."""
        self._ask("Accessibility.enable")
        nodes = self._ask("Accessibility.getFullAXTree")["nodes"]
        return [
            {key: node.get(key, {}).get("value", "") for key in ("role", "name", "value")}
            for node in nodes
            if not node["ignored"]
        ]

    def look(self, picture: Path | None = None) -> Seen:
        """What is to be seen; `picture` gets a screenshot."""
        if picture:
            shot = self._ask("Page.captureScreenshot", format="png")
            picture.write_bytes(base64.b64decode(shot["data"]))
        fetched = [event["request"]["url"] for event in self._named("Network.requestWillBeSent")]
        thrown = [event["exceptionDetails"] for event in self._named("Runtime.exceptionThrown")]
        errors = [each.get("exception", {}).get("description", each["text"]) for each in thrown]
        frames = self._texts_of_frames()
        return Seen(frames=frames, fetched=fetched, errors=errors, **self._evaluate(SHOWN))

    def _texts_of_frames(self) -> list[str]:
        """Texts of the pages within the page."""
        gone = {e["executionContextId"] for e in self._named("Runtime.executionContextDestroyed")}
        main = self._ask("Page.getFrameTree")["frameTree"]["frame"]["id"]
        contexts = [event["context"] for event in self._named("Runtime.executionContextCreated")]
        return [
            self._evaluate("document.body ? document.body.innerText : ''", contextId=each["id"])
            for each in contexts
            if each["auxData"]["frameId"] != main and each["id"] not in gone
        ]

    def _evaluate(self, expression: str, **where):
        asked = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        found = self._ask("Runtime.evaluate", **asked, **where)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def _wait(self, found, what: str) -> None:
        end = time.monotonic() + SECONDS
        while not found():
            assert time.monotonic() < end, f"not within {SECONDS} s: {what}; {self.look()}"[:3000]
            self._receive(0.05)

    def _named(self, method: str) -> list[dict]:
        return [event["params"] for event in self._events if event["method"] == method]

    def _ask(self, method: str, **parameters) -> dict:
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters, **self._session}
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._tell, data) :]
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            for answer in self._receive(1):
                if answer.get("id") == self._last:
                    assert "error" not in answer, f"{method}: {answer['error']}"
                    return answer["result"]
        raise AssertionError(f"{method}: Chromium does not answer")

    def _receive(self, seconds: float) -> list[dict]:
        """The answers that have come, waiting so long for one; events are kept."""
        if not self._ready.select(seconds):
            return []
        received = os.read(self._hear, 1 << 20)
        if not received:
            said = Path(self._said.name).read_text()[-2000:]
            raise AssertionError(f"Chromium has ended; it said: {said}")
        *whole, self._buffer = (self._buffer + received).split(b"\0")
        messages = [json.loads(text) for text in whole]
        self._events += [message for message in messages if "method" in message]
        return [message for message in messages if "id" in message]
