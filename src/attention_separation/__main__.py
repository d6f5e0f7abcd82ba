"""Every job is `python -m attention_separation VERB ...`; a verb is a module with `run`.

`--settings -` reads the settings from standard input.
"""

import argparse
import gc
import importlib
import sys

VERBS = {
    "simulate": (
        "softmax_vs_linear.simulation.simulate",
        "simulate one panel of softmax against linear",
    ),
    "exact": (
        "softmax_vs_linear.exact.compute",
        "compute the probabilities of panels' points exactly",
    ),
    "figure": ("softmax_vs_linear.figures.panel_figure", "draw a figure from its panels' tables"),
    "verdicts": (
        "softmax_vs_linear.audits.verdicts",
        "hold the simulation against the exact values",
    ),
    "check": (
        "softmax_vs_linear.audits.check",
        "fail if the verdict on any panel is that it differs",
    ),
    "claims": ("softmax_vs_linear.claims.claims_table", "evaluate every claim of the paper"),
    "whp": ("softmax_vs_linear.audits.whp", "say which events are not with high probability"),
    "choices": ("softmax_vs_linear.audits.choices", "measure what each open choice moves"),
    "threshold": ("softmax_vs_linear.audits.threshold", "find the best threshold of each network"),
    "theta": ("softmax_vs_linear.audits.theta", "map exact probabilities over the threshold"),
    "phase": ("softmax_vs_linear.audits.phase", "map exact probabilities over two parameters"),
    "schematic": ("softmax_vs_linear.figures.schematic", "draw Figure 1, 2 or 6"),
    "overview": (
        "softmax_vs_linear.pages.overview",
        "write the report's first page and its captions",
    ),
    "provenance": (
        "pages.provenance_page",
        "write the report's page of versions and settings",
    ),
    "gallery": (
        "softmax_vs_linear.pages.gallery",
        "write docs/ and README's block of figures and findings",
    ),
    "settings": ("settings_page", "write docs/settings.md and the schema of config.yaml"),
    "manifest": ("results.manifest", "list the sha256 of results that carry no metadata"),
    "verify": ("softmax_vs_linear.verify", "say which results are those of this code and config"),
    "summary": ("softmax_vs_linear.pages.summary", "print what the panels' tables say"),
    "rank-temperature": ("head_rank.constructions.temperature", "simulate one full-rank head"),
    "rank-temperature-figure": ("head_rank.figures.temperature_figure", "draw its error"),
    "rank-vote": ("head_rank.constructions.vote", "simulate the majority vote of rank-1 heads"),
    "rank-vote-figure": ("head_rank.figures.vote_figure", "draw its error"),
    "rank-features": (
        "head_rank.constructions.features",
        "compute the error of random rank-1 heads",
    ),
    "rank-features-figure": ("head_rank.figures.features_figure", "draw it"),
    "rank-train": ("head_rank.training.train_cell", "train the transformers of one cell"),
    "rank-figure": ("head_rank.figures.training_figures", "draw a figure of trained transformers"),
    "rank-claims": ("head_rank.claims.claims_table", "judge the claims on the rank of heads"),
    "rank-overview": (
        "head_rank.pages.overview",
        "write this paper's page of the report, and captions",
    ),
    "rank-gallery": ("head_rank.pages.gallery", "write this paper's figures and findings to docs/"),
    "rank-summary": ("head_rank.pages.summary", "print the verdicts on the claims"),
    "rank-verify": ("head_rank.verify", "say which results are those of this code and config"),
}


def module_of(verb: str) -> str:
    """Name of a verb's module."""
    return f"{__package__}.{VERBS[verb][0]}"


def main(arguments: list[str] | None = None) -> int:
    """Run one verb; a fault of the user's is one sentence and exit status 1."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(prog="python -m attention_separation")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    modules = {}
    for verb, (_, about) in VERBS.items():
        own = verbs.add_parser(verb, help=about, description=about)
        # Only the verb that is called is imported: the others' libraries take their time to load.
        if verb in arguments[:1]:
            modules[verb] = importlib.import_module(module_of(verb))
            modules[verb].add_arguments(own)
    chosen = parser.parse_args(arguments)
    # On a command line, settings could have no more than 128 KiB.
    if getattr(chosen, "settings", None) == "-":
        chosen.settings = sys.stdin.read().removesuffix("\n")
    try:
        modules[chosen.verb].run(chosen)
    except (ValueError, OSError, ArithmeticError) as error:
        print(f"{chosen.verb}: {error}", file=sys.stderr)
        return 1
    except MemoryError as error:
        print(f"{chosen.verb}: not enough memory: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    status = main()
    # A job ends with its process: collecting garbage at exit would take a fifth of a short one.
    gc.freeze()
    sys.exit(status)
