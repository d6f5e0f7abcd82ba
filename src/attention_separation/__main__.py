"""Every job is `python -m attention_separation VERB ...`; a verb is a module with `run`.

`--settings -` reads the settings from standard input.
"""

import argparse
import gc
import importlib
import os
import sys
from types import ModuleType

from attention_separation.verbs import VERBS, module_of


def main(arguments: list[str] | None = None) -> int:
    """Run one verb; a fault of the user's is one sentence and exit status 1."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(prog="attention-separation")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    modules = {}
    for verb, (_, about) in VERBS.items():
        own = verbs.add_parser(verb, help=about, description=about)
        # Only the verb that is called is imported: the others' libraries take their time to load.
        if verb in arguments[:1]:
            modules[verb] = _module(verb)
            modules[verb].add_arguments(own)
    chosen = parser.parse_args(arguments)
    # On a command line, settings could have no more than 128 KiB.
    if getattr(chosen, "settings", None) == "-":
        chosen.settings = sys.stdin.read().removesuffix("\n")
    try:
        modules[chosen.verb].run(chosen)
    except BrokenPipeError:  # Nobody reads on: `kernels | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, OSError, ArithmeticError) as error:
        print(f"{chosen.verb}: {error}", file=sys.stderr)
        return 1
    except MemoryError as error:
        print(f"{chosen.verb}: not enough memory: {error}", file=sys.stderr)
        return 1
    return 0


def _module(verb: str) -> ModuleType:
    """A verb's module; what it needs and what is not installed is one sentence."""
    try:
        return importlib.import_module(module_of(verb))
    except ModuleNotFoundError as error:
        if (error.name or "").startswith(__package__):
            raise
        extra = "explore" if verb == "explore" else "workflow"
        sys.exit(
            f"{verb}: needs {error.name}, which is not installed: "
            f"pip install 'attention-separation[{extra}]'"
        )


def run_command() -> None:
    """The command `attention-separation`."""
    sys.exit(main())


if __name__ == "__main__":
    status = main()
    # A job ends with its process: collecting garbage at exit would take a fifth of a short one.
    gc.freeze()
    sys.exit(status)
