"""What `make paper` and `make test` run is nothing of Linux alone, nor of make after 3.81 or bash
after 3.2, which macOS has. Known constructs, for there is no Mac to try it on."""

import re

from making import ROOT

MAKE = {
    ".SHELLFLAGS": r"\.SHELLFLAGS", ".ONESHELL": r"\.ONESHELL", ".RECIPEPREFIX": r"\.RECIPEPREFIX",
    "$(file ...)": r"\$\(file\b", "!=": r"^[\w.-]+ *!=", "::=": r"::=", "undefine": r"^undefine\b",
    "private": r":\s*private\b", "grouped targets": r"&:", "$(guile ...)": r"\$\(guile\b",
}  # fmt: skip
"""Newer than make 3.81, which takes no notice of most."""

SHELL = {
    "associative arrays": r"declare -\w*A|typeset -\w*A|local -\w*A",
    "readarray": r"\b(mapfile|readarray|coproc)\b", "|&": r"\|&", "&>>": r"&>>",
    "case of letters": r"\$\{\w+(\^|,)", "${x@Q}": r"\$\{\w+@", "globstar": r"globstar|lastpipe",
    "negative length": r"\$\{\w+:[^}]*: ?-\d", "EPOCHSECONDS": r"\bEPOCH(SECONDS|REALTIME)\b",
    "case that falls through": r";;?&", "[[ -v": r"\[\[? -v ", "wait -n": r"\bwait -n\b",
}  # fmt: skip
"""Newer than bash 3.2."""

GNU = {
    "sed -i": r"\bsed\b[^|;]*\s-\w*i\b", "grep -P": r"\bgrep\b[^|;]*\s-\w*P",
    "readlink -f": r"\breadlink -f|\brealpath\b", "date -d": r"\bdate\b[^|;]*\s(-d\b|--date)",
    "stat -c": r"\bstat -(c|-format)", "cp of GNU": r"\bcp\b[^|;]*\s(--|-T)",
    "xargs -r": r"\bxargs\b[^|;]*\s-\w*r", "nproc": r"\bnproc\b", "timeout": r"\btimeout +[\d-]",
    "sort -V": r"\bsort\b[^|;]*\s-\w*V", "head -n -1": r"\bhead\b[^|;]*\s-n ?-", "tac": r"\btac\b",
    "tail --pid": r"\btail --", "ln -T": r"\bln\b[^|;]*\s-\w*T", "install -D": r"\binstall -\w*D",
    "find -printf": r"\bfind\b[^|;]*\s-printf", "du -b": r"\bdu\b[^|;]*\s(-\w*b|--)",
    "mktemp": r"\bmktemp\b", "/proc": r"/proc\b", "/usr/bin/time": r"/usr/bin/time",
    "ls --": r"\bls\b[^|;]*\s--", "setsid": r"\b(setsid|flock|ionice|taskset|unshare|numactl)\b",
}  # fmt: skip
"""What macOS's own tools do not have, or do otherwise."""

PYTHON = {
    "/proc": r"[\"']/proc", "/dev/shm": r"/dev/shm", "os of Linux": (
        r"\bos\.(sched_\w+|posix_fadvise|posix_fallocate|memfd_create|eventfd|pidfd_open|pipe2"
        r"|O_TMPFILE|O_DIRECT|splice|getrandom|copy_file_range|fork)\b"
    ),
    "select.epoll": r"\bepoll\b", "prctl": r"\bprctl\b", "signals": r"\bSIG(RTMIN|RTMAX|PWR)\b",
    "'fork'": r"(get_context|set_start_method)\([\"']fork[\"']", "longdouble": r"\blongdouble\b",
}  # fmt: skip
"""Not in Python on macOS, or unsafe there, or of another size."""

GUARDED = {
    "src/attention_separation/results/environment.py: /proc",
    "tests/helpers/snakemake_server.py: os of Linux",
}
"""Used where it is there alone."""

TESTS = [
    f"tests/{name}"
    for name in re.findall(r"\"tests/(\w+)\"", (ROOT / "pyproject.toml").read_text("utf-8"))
]
HERE = {"tests/repository/test_portability.py"}


def texts(folder: str, pattern: str) -> dict[str, str]:
    """Files below a folder, but for this one, with their text."""
    found = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((ROOT / folder).rglob(pattern))
    }
    return {name: text for name, text in found.items() if name not in HERE}


def uses(files: dict[str, str], banned: dict[str, str]) -> list[str]:
    """Which files have which of some constructs; comments, from a # on, are none."""
    code = {name: re.sub(r"(^|\s)#.*", "", text) for name, text in files.items()}
    return [
        f"{name}: {what}"
        for name, text in code.items()
        for what, pattern in banned.items()
        if re.search(pattern, text, re.M)
    ]


def test_the_makefile():
    whole = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert uses({"Makefile": whole}, MAKE | SHELL | GNU) == []


def test_every_recipe_of_several_commands_ends_with_the_first_that_fails():
    """make 3.81 gives a shell no -e: only the last command's status would count."""
    whole = (ROOT / "Makefile").read_text(encoding="utf-8")
    for line in re.findall(r"^\t@?((?:.*\\\n)*.*)", whole, re.M):
        # A list after || says itself how it ends.
        before = re.sub(r"\|\|\s*(\\\n)?\s*\{.*\}", "", line, flags=re.S)
        if ";" in re.sub(r"'[^']*'", "", before):
            assert line.startswith("set -e; "), line


def test_rules_and_profile():
    files = texts("workflow", "*.smk") | texts(".", "Snakefile") | texts("profiles/default", "*")
    assert len(files) >= 6
    assert uses(files, SHELL | GNU) == []
    # Snakemake's own default runs a program that PuLP has for macOS on Intel alone.
    assert "\nscheduler: greedy " in files["profiles/default/config.yaml"]


def test_python():
    for folder in ("src", "tests/helpers", *TESTS):
        files = texts(folder, "*.py")
        assert files
        assert {*uses(files, PYTHON)} <= GUARDED


def test_names_differ_by_more_than_case():
    """macOS's file system takes names that differ in case alone for the same."""
    for folder in ("src", "tests", "docs", "workflow", "profiles"):
        names = [path.relative_to(ROOT).as_posix().lower() for path in (ROOT / folder).rglob("*")]
        assert len(names) == len({*names})
