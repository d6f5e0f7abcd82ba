"""A small project with a few results, and a network that has two documents."""

import json
import shutil
from importlib.resources import files
from typing import ClassVar

import pytest
from forked import command
from making import ROOT
from project import small_project
from rocrate_validator.utils.http import HttpRequester

CONTEXT = "https://w3id.org/ro/crate/1.1/context"
TERMS = "https://w3id.org/ro/terms/workflow-run/context"
OLDER = {
    "ComputationalWorkflow": "https://bioschemas.org/ComputationalWorkflow",
    "FormalParameter": "https://bioschemas.org/FormalParameter",
    "input": "https://bioschemas.org/ComputationalWorkflow#input",
    "output": "https://bioschemas.org/ComputationalWorkflow#output",
}
"""What these words mean in RO-Crate 1.1, where the package rocrate has the context of 1.3. Of the
others that a crate of ours uses sha256 alone is new in that."""


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    """The small project with one figure made; only to be read."""
    small = small_project(tmp_path_factory.mktemp("small"))
    small.make("fig4")
    # As a whole run ends.
    drawn = sorted(path for path in (small.folder / "results/figures").iterdir())
    listed = [str(path.relative_to(small.folder)) for path in drawn if path.suffix != ".parquet"]
    done = command(
        small.folder,
        "job",
        "results.manifest",
        "--files",
        *listed,
        "--output",
        "results/manifest.json",
    )
    assert done.returncode == 0, done.stdout
    for name in ("README.md", "CITATION.cff", "LICENSE", "Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, small.folder)
    shutil.copy(ROOT / "requirements.lock", small.folder)
    return small


class Answer:
    """What a server would have said."""

    status_code, reason, from_cache, url = 200, "OK", True, ""
    headers: ClassVar = {"Content-Type": "application/ld+json"}

    def __init__(self, document: dict):
        self._document = document
        self.text = json.dumps(document)
        self.content = self.text.encode()

    def json(self) -> dict:
        return self._document

    def raise_for_status(self) -> None:
        """All is well."""


class Network:
    """Two JSON-LD contexts; a request for anything else is an error, and kept."""

    def __init__(self):
        newer = json.loads((files("rocrate") / "data/ro-crate.jsonld").read_text(encoding="utf-8"))
        words = newer["@context"] | OLDER
        del words["sha256"]
        terms = {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}
        self._documents = {CONTEXT: words, TERMS: words | terms}
        self.refused: list[str] = []

    def get(self, address: str, **_) -> Answer:
        if address not in self._documents:
            self.refused.append(address)
            raise OSError(f"no network: {address}")
        return Answer({"@context": self._documents[address]})


@pytest.fixture
def network(monkeypatch):
    """All that the validator can reach."""
    one = Network()
    for verb_ in ("get", "head", "fetch_fresh"):
        monkeypatch.setattr(HttpRequester(), verb_, one.get, raising=False)
    return one
