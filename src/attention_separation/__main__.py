"""Every job is `python -m attention_separation VERB ...`; a verb is a module with `run`."""

import argparse
import gc
import importlib
import sys

VERBS = {
    "simulate": ("softmax_vs_linear.simulate", "simulate one panel of softmax against linear"),
    "figure": ("softmax_vs_linear.figures", "draw a figure from its panels' tables"),
    "summary": ("softmax_vs_linear.summary", "print what the panels' tables say"),
}


def main(arguments: list[str] | None = None) -> int:
    """Run one verb; a fault of the user's is one sentence and exit status 1."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(prog="python -m attention_separation")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    modules = {}
    for verb, (name, about) in VERBS.items():
        own = verbs.add_parser(verb, help=about, description=about)
        # Only the verb that is called is imported: the others' libraries take their time to load.
        if verb in arguments[:1]:
            modules[verb] = importlib.import_module(f"attention_separation.{name}")
            modules[verb].add_arguments(own)
    chosen = parser.parse_args(arguments)
    try:
        modules[chosen.verb].run(chosen)
    except (ValueError, OSError, ArithmeticError) as error:
        print(f"{chosen.verb}: {error}", file=sys.stderr)
        return 1
    except MemoryError as error:
        print(f"{chosen.verb}: not enough memory: {error}", file=sys.stderr)
        return 1
    return 0


class _NoPandas:
    """Hides pandas from a job: pyarrow would load it if it is there, for a third of the job."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("no job needs pandas", name=name)


if __name__ == "__main__":
    sys.meta_path.insert(0, _NoPandas)
    status = main()
    # A job ends with its process: collecting garbage at exit would take a fifth of a short one.
    gc.freeze()
    sys.exit(status)
