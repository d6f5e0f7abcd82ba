"""The command that starts the explorer."""

import argparse
import os
import sys
from pathlib import Path

import marimo

from ..messages.command_line import whole_number

MOST_PORT = 65_535


def explore_command(parser: argparse.ArgumentParser) -> None:
    """Command `explore`: the explorer in the browser, served by this machine to itself."""
    port = whole_number(least=0, most=MOST_PORT)
    parser.add_argument("--port", type=port, help="of this machine; a free one if not given")
    parser.add_argument("--headless", action="store_true", help="open no browser")
    parser.set_defaults(run=_explore)


def _explore(arguments: argparse.Namespace) -> None:
    """Serve the explorer in place of this process, until it is ended."""
    print(f"marimo {marimo.__version__}; Ctrl-C ends it", flush=True)
    app = str(Path(__file__).with_name("app.py"))
    options = ["--headless"] if arguments.headless else []
    options += ["--port", str(arguments.port)] if arguments.port else []
    quiet = os.environ | {"MARIMO_SKIP_UPDATE_CHECK": "1"}  # it asks nothing of another machine
    command = [sys.executable, "-m", "marimo", "run", app, "--no-token", *options]
    os.execve(sys.executable, command, quiet)
