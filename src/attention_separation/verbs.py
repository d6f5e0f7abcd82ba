"""The verbs of the command line: the module of each, and what it does.

A study's verbs have its prefix before them; those of the first have none.
"""

from attention_separation.any_attention.verbs import VERBS as OF_ANY_ATTENTION
from attention_separation.head_rank.verbs import VERBS as OF_HEAD_RANK
from attention_separation.needle.verbs import VERBS as OF_NEEDLE
from attention_separation.softmax_vs_linear.verbs import VERBS as OF_SOFTMAX_VS_LINEAR

STUDIES = {
    "softmax_vs_linear": ("", OF_SOFTMAX_VS_LINEAR),
    "any_attention": ("kernels-", OF_ANY_ATTENTION),
    "head_rank": ("rank-", OF_HEAD_RANK),
    "needle": ("needle-", OF_NEEDLE),
}
"""The prefix of each study's verbs, and these."""

OF_EVERY_STUDY = {
    "summary": ("summary", "print what the results say"),
    "verify": ("verify", "say which results are those of this code and config"),
}

OF_ALL_TOGETHER = {
    "provenance": (
        "pages.provenance_page",
        "write the report's page of versions and settings",
    ),
    "settings": ("settings_page", "write docs/settings.md and the schema of config.yaml"),
    "manifest": ("results.manifest", "list the sha256 of results that carry no metadata"),
    "crate": ("crate", "write results and what made them as an RO-Crate"),
}

OF_TRAINING = {
    "rank-time": ("training_time", "measure how long the rank of heads takes to train here"),
}

OF_API = {
    "separate": ("api.commands.separate", "say what a kernel's network alone can do, exactly"),
    "compare": ("api.commands.compare", "compare kernels at several n"),
    "kernels": ("api.commands.kernels", "list the built-in kernels"),
    "explore": ("explorer.command", "show what kernels can do, in the browser"),
}

VERBS = (
    OF_API
    | OF_ALL_TOGETHER
    | OF_TRAINING
    | {
        f"{prefix}{verb}": entry
        for study, (prefix, verbs) in STUDIES.items()
        for verb, entry in (
            {verb: (f"{study}.{module}", about) for verb, (module, about) in verbs.items()}
            | OF_EVERY_STUDY
        ).items()
    }
)


def module_of(verb: str) -> str:
    """Name of a verb's module."""
    return f"{__package__}.{VERBS[verb][0]}"


def study_of(verb: str) -> str:
    """The study of a verb that every study has."""
    return next(
        study
        for study, (prefix, _) in STUDIES.items()
        if verb.removeprefix(prefix) in OF_EVERY_STUDY and verb.startswith(prefix)
    )
