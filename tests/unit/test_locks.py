"""The lock files agree."""

import re

from making import ROOT


def pins(name: str) -> set[str]:
    return set(re.findall(r"^(\S+==\S+(?: ; .+)?) \\$", (ROOT / name).read_text(), re.M))


def test_what_a_cluster_needs_changes_nothing_that_is_installed_already():
    locked, more = pins("requirements.lock"), pins("requirements-cluster.lock")
    names = {pin.partition("==")[0] for pin in locked}
    assert {pin for pin in more if pin.partition("==")[0] in names} <= locked
    assert sum(pin.startswith("snakemake-executor-plugin") for pin in more - locked) == 3
