"""Copies of the project for the tests of the workflow."""

import fcntl

import pytest
from project import Project, small_project


@pytest.fixture
def project(tmp_path):
    """The project as it is, nothing made."""
    return Project(tmp_path)


@pytest.fixture
def small(tmp_path):
    """The project with one or two small panels of each model, nothing made."""
    return small_project(tmp_path)


@pytest.fixture(scope="session")
def made_once(tmp_path_factory, worker_id):
    """The small project, all of it made, once for all workers of a test run; only to be read."""
    root = tmp_path_factory.getbasetemp()
    if worker_id != "master":
        root = root.parent
    whole = root / "made"
    with (root / "made.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not whole.exists():
            part = root / "making"
            part.mkdir()
            making = small_project(part)
            # What it shares would go with this worker.
            making.own_source()
            making.make()
            part.rename(whole)
    return Project(whole)


@pytest.fixture
def made(made_once, tmp_path):
    """A copy of the small project, all of it made."""
    return made_once.copy(tmp_path)
