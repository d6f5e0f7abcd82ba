"""Settings shared by all tests."""

import os
import zlib

import pytest
from breaks.draw import ROOT, digest_of_files
from hypothesis import HealthCheck, settings

# A job has one core; two would wait for each other through small products, and tests with them.
# Read where NumPy and PyTorch are loaded, which is after this.
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

SLOW = {"whole_run", "kill", "exhaustive"}
"""Markers of tests that `make test-slow` has."""

# Examples come from the test's own source, but one number in twenty from constants of the project's
# modules that are loaded by then: a failure may need the tests before it to come again.
settings.register_profile(
    "default",
    deadline=None,
    derandomize=True,
    max_examples=int(os.environ.get("EXAMPLES", "150")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("default")


def pytest_addoption(parser: pytest.Parser) -> None:
    about = "of slow tests about one in N, drawn by the digest of the project's files"
    parser.addoption("--share", type=int, default=1, metavar="N", help=about)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    share = config.getoption("share")
    if share <= 1:
        return
    digest = digest_of_files(ROOT, "src", "tests", "workflow", "docs")
    left_out = [
        item
        for item in items
        if SLOW & {mark.name for mark in item.iter_markers()}
        and zlib.crc32(f"{digest} {item.nodeid}".encode()) % share
    ]
    config.hook.pytest_deselected(items=left_out)
    gone = {*left_out}
    items[:] = [item for item in items if item not in gone]
