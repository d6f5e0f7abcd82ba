"""The lock files agree."""

import re

from making import ROOT


def pins(name: str) -> set[str]:
    return set(re.findall(r"^(\S+==\S+(?: ; .+)?) \\$", (ROOT / name).read_text(), re.M))


def versions(name: str) -> set[str]:
    """The pins without their platforms: of what two locks need, one may need it on fewer."""
    return {pin.partition(" ;")[0] for pin in pins(name)}


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
    locked = versions("requirements.lock") | versions("requirements-build.lock")
    more = versions("requirements-publish.lock")
    names = {pin.partition("==")[0] for pin in locked}
    assert {pin for pin in more if pin.partition("==")[0] in names} <= locked
    assert {"zensical", "check-jsonschema"} <= {pin.partition("==")[0] for pin in more - locked}


def test_the_lock_with_the_cpu_build_has_the_same_packages_less_those_of_cuda():
    whole, cpu = pins("requirements-rank.lock"), pins("requirements-rank-cpu.lock")
    torch = next(pin for pin in whole if pin.startswith("torch=="))
    assert cpu - whole == {f"{torch}+cpu"}
    assert all(
        pin == torch or pin.startswith(("cuda-", "nvidia-", "triton==")) for pin in whole - cpu
    )


def test_what_the_explorer_needs_changes_nothing_that_is_installed_already():
    locked, more = versions("requirements.lock"), versions("requirements-explore.lock")
    names = {pin.partition("==")[0] for pin in locked}
    assert {pin for pin in more if pin.partition("==")[0] in names} <= locked
    assert any(pin.startswith("marimo==") for pin in more - locked)


def test_the_explorer_and_the_site_agree_on_what_both_need():
    # Both are installed beside each other.
    explorer, site = (
        dict(pin.split("==") for pin in versions(f"requirements-{name}.lock"))
        for name in ("explore", "publish")
    )
    both = explorer.keys() & site.keys()
    assert {name: explorer[name] for name in both} == {name: site[name] for name in both}
    assert "pymdown-extensions" in both
