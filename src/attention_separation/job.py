"""A job as a command: the options of a module's `run` are its parameters."""

import argparse
import inspect
import sys
import typing
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


def parsed(run: Callable[..., None], prog: str, words: Sequence[str]) -> dict[str, Any]:
    """The arguments of `run` that a command line names.

    A parameter `job` is what its class reads from --settings, `settings` that text; every other is
    an option of its name: a path, a text or a whole number, or several of them.
    """
    parameters = inspect.signature(run).parameters
    parser = argparse.ArgumentParser(prog=prog, description=inspect.getdoc(run))
    for name, parameter in parameters.items():
        if name in ("job", "settings"):
            parser.add_argument("--settings", required=True, help="file, - or JSON")
        else:
            _add_option(parser, name, parameter)
    found = vars(parser.parse_args(words))
    if "settings" in found:
        text = _text(found.pop("settings"))
        kind = parameters.get("job")
        found |= {"job": kind.annotation.model_validate_json(text)} if kind else {"settings": text}
    return found


def _add_option(parser: argparse.ArgumentParser, name: str, of: inspect.Parameter) -> None:
    """Of a parameter; one that may be missing, and is a path, may also be named without a path."""
    kinds = [kind for kind in typing.get_args(of.annotation) if kind is not type(None)]
    kind = kinds[0] if kinds else of.annotation
    several = list in (typing.get_origin(of.annotation), typing.get_origin(kind))
    single = typing.get_args(kind)[0] if typing.get_origin(kind) is list else kind
    required = of.default is of.empty
    more: dict[str, Any] = {"nargs": "+"} if several else {}
    if not several and single is Path and not required:
        more = {"nargs": "?", "const": Path()}
    default = {} if required else {"default": of.default}
    parser.add_argument(f"--{name}", type=single, required=required, **more, **default)


def _text(given: str) -> str:
    """Of settings: as they stand, standard input's, or a file's."""
    if given.startswith("{"):
        return given
    return sys.stdin.read() if given == "-" else Path(given).read_text(encoding="utf-8")
