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


def test_what_training_needs_changes_nothing_that_is_installed_already():
    locked = pins("requirements.lock") | pins("requirements-build.lock")
    names = {pin.partition("==")[0] for pin in locked}
    for lock in ("requirements-rank.lock", "requirements-rank-cpu.lock"):
        assert {pin for pin in pins(lock) if pin.partition("==")[0] in names} <= locked, lock


def test_what_publishing_needs_changes_nothing_that_is_installed_already():
    locked = pins("requirements.lock") | pins("requirements-build.lock")
    names = {pin.partition("==")[0] for pin in locked}
    more = pins("requirements-publish.lock")
    assert {pin for pin in more if pin.partition("==")[0] in names} <= locked
    assert {"zensical", "rocrate"} <= {pin.partition("==")[0] for pin in more - locked}


def test_the_lock_with_the_cpu_build_has_the_same_packages_less_those_of_cuda():
    whole, cpu = pins("requirements-rank.lock"), pins("requirements-rank-cpu.lock")
    torch = next(pin for pin in whole if pin.startswith("torch=="))
    assert cpu - whole == {f"{torch}+cpu"}
    assert all(
        pin == torch or pin.startswith(("cuda-", "nvidia-", "triton==")) for pin in whole - cpu
    )
