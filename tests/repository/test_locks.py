"""The lock files agree."""

import re

import pytest
from making import ROOT


def pins(path: str) -> set[str]:
    return set(re.findall(r"^(\S+==\S+(?: ; .+)?) \\$", (ROOT / path).read_text(), re.M))


def versions(path: str) -> set[str]:
    """The pins without their platforms: of what two locks need, one may need it on fewer."""
    return {pin.partition(" ;")[0] for pin in pins(path)}


@pytest.mark.parametrize(
    ("more", "brings"),
    [
        ("test", "pytest"),
        ("cluster", "snakemake-executor-plugin-slurm"),
        ("rank", "torch"),
        ("rank-cpu", "torch"),
        ("publish", "zensical"),
        ("explore", "marimo"),
    ],
)
def test_what_is_installed_beside_changes_nothing_that_is_there(more, brings):
    there = {"build", "run", "test"} - {more}
    locked = set().union(*(versions(f"locks/{name}.lock") for name in there))
    names = {pin.partition("==")[0] for pin in locked}
    found = versions(f"locks/{more}.lock")
    assert {pin for pin in found if pin.partition("==")[0] in names} <= locked
    assert brings in {pin.partition("==")[0] for pin in found - locked}


def test_the_lock_with_the_cpu_build_has_the_same_packages_less_those_of_cuda():
    whole, cpu = pins("locks/rank.lock"), pins("locks/rank-cpu.lock")
    torch = next(pin for pin in whole if pin.startswith("torch=="))
    assert cpu - whole == {f"{torch}+cpu"}
    assert all(
        pin == torch or pin.startswith(("cuda-", "nvidia-", "triton==")) for pin in whole - cpu
    )


def test_the_explorer_and_the_site_agree_on_what_both_need():
    # Both are installed beside each other.
    explorer, site = (
        dict(pin.split("==") for pin in versions(f"locks/{name}.lock"))
        for name in ("explore", "publish")
    )
    both = explorer.keys() & site.keys()
    assert {name: explorer[name] for name in both} == {name: site[name] for name in both}
    assert "pymdown-extensions" in both
