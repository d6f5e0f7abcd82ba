"""The explorer as a page, up to where the browser loads Python from hosts that are not reached."""

import functools
import http.server
import os
import re
import subprocess
import sys
import tempfile
import threading

import pytest
from building import built, copy_of_source
from making import ROOT

WRITE = ROOT / "docs/site/explorer_page.py"
DOCS = (ROOT / "docs/api.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel that travels with it."""
    return built("wheel", copy_of_source(tmp_path_factory.mktemp("copied")))


@pytest.fixture(scope="module")
def written(wheel, tmp_path_factory):
    """The page, written where no address of a network is found."""
    folder = tmp_path_factory.mktemp("page") / "explorer"
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9")
    subprocess.run([sys.executable, WRITE, wheel, folder], env=os.environ | nowhere, check=True)
    return folder


def test_it_replaces_no_folder_of_somebody(tmp_path):
    (tmp_path / "index.html").write_text("mine", encoding="utf-8")
    command = [sys.executable, WRITE, "none.whl", tmp_path]
    done = subprocess.run(command, check=False, text=True, capture_output=True)
    assert "is no earlier page of the explorer; allowed: a new folder" in done.stderr
    assert (tmp_path / "index.html").read_text(encoding="utf-8") == "mine"


class HandOut(http.server.SimpleHTTPRequestHandler):
    """A server that only hands out files, and is silent."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def served(written):
    """The page's address."""
    hand_out = functools.partial(HandOut, directory=written)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), hand_out) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_the_wheel_travels_with_it_and_nothing_of_this_machine(written, wheel):
    (copy,) = (written / "public/wheels").iterdir()
    assert (copy.name, copy.read_bytes()) == (wheel.name, wheel.read_bytes())
    page = (written / "index.html").read_text(encoding="utf-8")
    assert f"attention-separation @ ../public/wheels/{wheel.name}" in page
    assert "views.in_address" in page
    for place in (tempfile.gettempdir(), str(ROOT), str(written)):
        assert place not in page
    assert not [path for path in written.iterdir() if path.suffix == ".md"]


def test_what_it_takes_from_other_hosts_is_what_its_page_says(written):
    """Their addresses, and the version of Python for browsers that it asks for."""
    (worker,) = (written / "assets").glob("worker-*.js")
    text = worker.read_text(encoding="utf-8")
    (version,) = set(re.findall(r"version!==`([0-9.]+)`&&", text))
    hosts = set(re.findall(r"https://((?:cdn|wasm)\.[\w.]+)/", text))
    assert hosts == {"cdn.jsdelivr.net", "wasm.marimo.app"}
    assert all(f"`{host}`" in DOCS for host in hosts)
    assert f"Pyodide {version}" in DOCS


def test_it_opens_and_asks_for_python(browser, served):
    browser.open(f"{served}/?n=20000")
    browser.wait_for_text("https://cdn.jsdelivr.net/pyodide/")
    seen = browser.look()
    asked = (served, "https://cdn.jsdelivr.net/pyodide/", "data:", "blob:")
    assert all(each.startswith(asked) for each in seen.fetched)
    # Here no other machine is reached, as behind a firewall.
    browser.wait_until("document.querySelector('[role=alert]')?.innerText.includes('OFFLINE=1')")
    assert browser.value("document.title") == "attention-separation: the explorer"
    assert browser.value("location.search") == "?n=20000"
