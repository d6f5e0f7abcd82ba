"""The explorer, served as `make explore` does, and a browser that shows it."""

import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from browser import Browser
from explorer_app.page import Page

SECONDS = 60


def pytest_addoption(parser):
    parser.addoption("--pictures", type=Path, help="folder for the pictures of docs/explorer.md")


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """Where the explorer is served."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    said = tmp_path_factory.mktemp("served") / "said.txt"
    command = [sys.executable, "-m", "attention_separation", "explore", "--headless"]
    with said.open("w") as file:
        process = subprocess.Popen([*command, "--port", str(port)], stdout=file, stderr=file)
    try:
        yield _answering(f"http://127.0.0.1:{port}", process, said)
    finally:
        process.terminate()
        process.wait(timeout=SECONDS)
    assert not re.findall(r"Traceback|Warning", said.read_text()), said.read_text()


def _answering(address: str, process: subprocess.Popen, said: Path) -> str:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            with urlopen(address, timeout=SECONDS):
                return address
        except (URLError, ConnectionError):
            time.sleep(0.1)
    raise AssertionError(f"not served: {said.read_text()}")


@pytest.fixture(scope="session")
def page_of_all(address, tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("browser"), 1280, 900) as browser:
        yield Page(browser, address)


@pytest.fixture
def page(page_of_all):
    """The explorer, just opened."""
    page_of_all.browser.resize(1280, 900)
    page_of_all.open()
    return page_of_all
