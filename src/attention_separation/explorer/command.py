"""Command `explore`: the explorer in the browser, served by this machine to itself."""

import argparse
import os
import sys
from pathlib import Path

import marimo

APP = Path(__file__).with_name("app.py")
QUIET = {"MARIMO_SKIP_UPDATE_CHECK": "1"}
"""It asks nothing of any other machine."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, help="of this machine; a free one if not given")
    parser.add_argument("--headless", action="store_true", help="open no browser")


def run(arguments: argparse.Namespace) -> None:
    print(f"marimo {marimo.__version__}; Ctrl-C ends it", flush=True)
    options = ["--headless"] if arguments.headless else []
    if arguments.port:
        options += ["--port", str(arguments.port)]
    command = [sys.executable, "-m", "marimo", "run", str(APP), "--no-token", *options]
    os.execve(sys.executable, command, os.environ | QUIET)
