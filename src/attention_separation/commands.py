"""What people type: each command's module, what it does, an example. Rules run `job MODULE`."""

from dataclasses import dataclass, replace

PACKAGE = __package__


@dataclass(frozen=True)
class Command:
    """A command: one sentence, what to type, and a module of this package. That has a function
    WORD_command, of its name's last word, which declares its options and what runs it."""

    module: str
    about: str
    example: str
    listed: bool = True
    """Whether `--help` names it: the studies' own `summary` and `verify` go without saying."""
    has_one_core: bool = False
    """Whether libraries of linear algebra have one core, as in a job: more may move last bits."""


STUDIES = {
    "": "softmax_vs_linear",
    "kernels": "any_attention",
    "rank": "head_rank",
    "needle": "needle",
    "recall": "recall",
}
"""Studies by the prefix of their commands and rules."""

ALONE = {
    "separate": Command(
        "api.commands",
        "what a kernel's network alone can do, exactly",
        "separate --kernel taylor_2 --n 1000",
    ),
    "compare": Command(
        "api.commands",
        "several kernels at several n",
        "compare --kernel exp linear 'x**4' --n 200 1e6",
    ),
    "kernels": Command("api.commands", "the built-in kernels", "kernels"),
    "explore": Command(
        "explorer.command", "what kernels can do, in the browser", "explore --port 2718"
    ),
    "settings": Command(
        "settings_page", "docs/settings.md and the schema of config.yaml", "settings --docs docs"
    ),
    "rank-time": Command("study_commands", "how long training takes here", "rank-time"),
    "rank-cells": Command(
        "study_commands",
        "train cells one after another",
        "rank-cells --minutes 9",
        listed=False,
        has_one_core=True,
    ),
    "keep": Command("study_commands", "put a finished run into docs/", "keep paper kernels", False),
    "gallery": Command("study_commands", "the pages of docs/ and README.md", "gallery", False),
}
OF_EVERY_STUDY = {
    "summary": Command("study_commands", "what results say; rank-summary, ...", "summary"),
    "verify": Command(
        "study_commands", "whether files are of this code; rank-verify, ...", "verify results"
    ),
}

COMMANDS = ALONE | OF_EVERY_STUDY
for _prefix in filter(None, STUDIES):
    for _name, _command in OF_EVERY_STUDY.items():
        COMMANDS[f"{_prefix}-{_name}"] = replace(_command, listed=False)


def study_of(command: str) -> str:
    """The study that a command of every study's is of."""
    return STUDIES[command.rpartition("-")[0]]


def usage() -> str:
    """One screen: each command with an example."""
    width = max(len(command.example) for command in COMMANDS.values())
    head = "usage: attention-separation COMMAND ...; COMMAND --help says more of one; --version\n"
    end = "\nRules run `job MODULE --settings FILE ...`; `snakemake -n -p` prints each whole."
    listed = [command for command in COMMANDS.values() if command.listed]
    lines = [f"  {command.example.ljust(width)}  {command.about}" for command in listed]
    return "\n".join([head, *lines, end])
