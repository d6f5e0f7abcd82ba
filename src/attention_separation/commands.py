"""What people type: each command's module, what it does, an example. Rules run `job MODULE`."""

from dataclasses import dataclass, replace
from importlib.util import find_spec

from .messages.extras import how_to_install

PACKAGE_NAME = __package__


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
    needs: tuple[str, ...] = ()
    """What it imports beside NumPy: `--help` leaves out what cannot be run."""

    @property
    def can_run(self) -> bool:
        """Whether all that it needs is installed."""
        return all(find_spec(library) is not None for library in self.needs)


WORKFLOW = ("pydantic", "pyarrow", "yaml", "snakemake")
"""What the extra `workflow` installs, and commands on runs need."""


STUDIES = {
    "": "softmax_vs_linear",
    "lemmas": "lemmas",
    "open_choices": "open_choices",
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
        "separate taylor_2 --n 1000",
    ),
    "largest-n": Command(
        "api.question_commands",
        "up to how many tokens it separates",
        "largest-n linear 'x**4'",
    ),
    "compare": Command(
        "api.commands",
        "several kernels at several n",
        "compare exp linear 'x**4' --n 200 1e6",
        needs=("pandas",),
    ),
    "success": Command(
        "api.question_commands",
        "whether one kernel fires while others stay silent",
        "success --fires exp --silent linear 'x**3'",
    ),
    "needle": Command(
        "api.needle_command",
        "whether one query finds a token in noise",
        "needle linear exp --mu 5 --n 512",
        needs=("scipy",),
    ),
    "recall": Command(
        "api.recall_command",
        "how many pairs of a key and a value a layer holds",
        "recall exp_sqrt_d --d 16",
        needs=("scipy",),
    ),
    "kernels": Command("api.commands", "the built-in kernels", "kernels"),
    "explore": Command(
        "explorer.command",
        "what kernels can do, in the browser",
        "explore --port 2718",
        needs=("marimo", "matplotlib"),
    ),
    "settings": Command(
        "settings_page",
        "docs/settings.md and the schema of settings",
        "settings --docs docs",
        needs=WORKFLOW,
    ),
    "rank-time": Command(
        "study_commands",
        "how long training takes here",
        "rank-time",
        needs=(*WORKFLOW, "torch"),
    ),
    "keep": Command(
        "study_commands",
        "put a finished run into docs/",
        "keep paper kernels",
        listed=False,
        needs=WORKFLOW,
    ),
    "gallery": Command(
        "study_commands",
        "the pages of docs/ and README.md",
        "gallery",
        listed=False,
        needs=WORKFLOW,
    ),
    "rank-cells": Command(
        "study_commands",
        "train cells one after another",
        "rank-cells --minutes 9",
        listed=False,
        has_one_core=True,
        needs=(*WORKFLOW, "torch"),
    ),
}
OF_EVERY_STUDY = {
    "summary": Command(
        "study_commands",
        "what results say; rank-summary, ...",
        "summary",
        needs=WORKFLOW,
    ),
    "verify": Command(
        "study_commands",
        "whether files are of this code; rank-verify, ...",
        "verify results",
        needs=WORKFLOW,
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
    """One screen: each command that can be run here, with an example."""
    head = "usage: attention-separation COMMAND ...; COMMAND --help says more of one; --version\n"
    end = "\nRules run `job MODULE --settings FILE ...`; `snakemake -n -p` prints each whole."
    if not COMMANDS["verify"].can_run:
        end = f"\nFor runs of the workflow, and commands on them: {how_to_install('workflow')}."
    listed = [command for command in COMMANDS.values() if command.listed and command.can_run]
    width = max(len(command.example) for command in listed)
    lines = [f"  {command.example.ljust(width)}  {command.about}" for command in listed]
    return "\n".join([head, *lines, end])
