"""The explorer, served as `make explore` does, and a browser that shows it."""

import re
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

import pytest
from browser import Browser


def pytest_addoption(parser):
    parser.addoption("--pictures", type=Path, help="folder for the pictures of docs/explorer")


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """Where the explorer is served."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    said = tmp_path_factory.mktemp("served") / "said.txt"
    words = ["-m", "attention_separation", "explore", "--headless", "--port", address[17:]]
    with said.open("w") as file:
        process = subprocess.Popen([sys.executable, *words], stdout=file, stderr=file)
    for _ in range(600):
        with suppress(OSError):
            urlopen(address, timeout=60).close()
            break
        time.sleep(0.1)
    yield address
    process.terminate()
    process.wait(timeout=60)
    assert not re.findall(r"Traceback|Warning", said.read_text()), said.read_text()


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("browser"), 1280, 900) as found:
        yield found
