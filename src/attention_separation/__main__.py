"""`attention-separation COMMAND ...`, for people, and `job MODULE ...`, which rules run."""

import argparse
import atexit
import contextlib
import gc
import importlib
import inspect
import io
import os
import platform
import shlex
import sys
import time
import typing
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from . import __version__
from .commands import COMMANDS, PACKAGE_NAME, usage
from .lazy_libraries import import_lazily
from .messages.command_line import Parser
from .messages.extras import how_to_install

PROGRAM = "attention-separation"
HELP = ("-h", "--help")
NO_COMMAND = (
    "no command; `attention-separation --help` lists those there are, and rules run "
    "`attention-separation job MODULE ...`, which `snakemake -n -p` prints whole"
)
NO_JOB = "there is no such job; `snakemake -n -p` prints those there are"

INSTALLED_BY_MAKE = {"torch": "PyTorch, which `make setup WITH=rank` installs"}
"""Libraries that no extra of this package brings, by the name that they are imported by."""

LIBRARIES_READ = {"MPLBACKEND": "agg", "MATPLOTLIBRC": os.devnull}
"""Variables that libraries read where they are imported, as every command has them."""

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Variables that say how many threads a product of matrices takes: more may move last bits."""


def shut_out_surroundings() -> None:
    """Let nothing that stands around this process move a result or stop it.

    Among that are the reader's settings of Matplotlib, modules in the folder that it is started
    from, letters that a terminal lacks, and variables that were set for other programs.
    """
    os.environ.update(LIBRARIES_READ)
    os.environ.pop("SOURCE_DATE_EPOCH", None)
    for name in THREADS:
        if not os.environ.get(name, "1").isdecimal():
            del os.environ[name]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    # Python's -m begins the path of modules with this folder, the command and the rules do not.
    if sys.path[:1] == [str(Path.cwd())]:
        del sys.path[0]


def main(arguments: list[str] | None = None) -> int:
    """Run one command; a fault of the user's is one sentence and exit status 1."""
    arguments = sys.argv[1:] if arguments is None else arguments
    command, *rest = arguments or ["--help"]
    if command in HELP or (command == "job" and (not rest or rest[0] in HELP)):
        print(usage())
        return 0
    if command == "--version":
        print(f"{PROGRAM} {__version__}")
        return 0
    if command == "job":
        return run_job(*rest)
    if command in COMMANDS:
        return run_command(command, rest)
    print(f"{command}: {NO_COMMAND}", file=sys.stderr)
    return 2


def run_job(name: str, *words: str) -> int:
    """Run a module's job; one that fails says what to type to run it alone.

    What it prints is its log: that begins with what runs, on which version, and ends with how long
    it took.
    """
    prog = f"job {name}"
    line = shlex.join((Path(sys.executable).name, "-m", PACKAGE_NAME, "job", name, *words))
    print(f"# {PROGRAM} {__version__}, Python {platform.python_version()}\n# {line}", flush=True)
    start = time.perf_counter()
    try:
        status = _answer(prog, lambda: _run_and_be_heard(prog, name, words))
    finally:
        print(f"# {time.perf_counter() - start:.1f} s", flush=True)
    if status:
        print(f"to run it alone:\n{line}", file=sys.stderr)
    return status


STDERR, STDERR_OF_SNAKEMAKE = 2, 3
"""Descriptors of a job's process: its log, and what its rule opens beside."""


def _run_and_be_heard(prog: str, name: str, words: Sequence[str]) -> None:
    """A job; where another run has removed its log, what is wrong is said where Snakemake is."""
    try:
        _run(prog, name, words)
    except BaseException:
        if sys.stderr is sys.__stderr__ and os.fstat(STDERR).st_nlink == 0:
            with contextlib.suppress(OSError):
                os.dup2(STDERR_OF_SNAKEMAKE, STDERR)
        raise


def _run(prog: str, name: str, words: Sequence[str]) -> None:
    """A job, once the tables that it reads are seen to be those of its settings. It has one core,
    whoever starts it."""
    _take_one_core()
    module = _module(prog, name)
    if not hasattr(module, "run"):
        sys.exit(f"{prog}: {NO_JOB}")
    arguments = parsed(module.run, prog, words)
    digests = getattr(arguments.get("job"), "inputs", None)
    if digests:
        from .results.tables import check_inputs

        check_inputs(digests, arguments)
    module.run(**arguments)


def _take_one_core() -> None:
    """For libraries that are not loaded yet."""
    os.environ.update(dict.fromkeys(THREADS, "1"))


def run_command(name: str, words: Sequence[str]) -> int:
    """Run what people type."""
    if COMMANDS[name].has_one_core:
        _take_one_core()
    arguments = parser_of(name).parse_args(words)
    return _answer(name, lambda: arguments.run(arguments))


def parser_of(name: str) -> Parser:
    """The parser of a command that people type; its defaults have what runs it."""
    module = _module(name, COMMANDS[name].module)
    declare = getattr(module, f"{name.rpartition('-')[2]}_command")
    # Python's -OO leaves no docstrings.
    description = (inspect.getdoc(declare) or "").partition("\n\n")[0]
    parser = Parser(prog=f"{PROGRAM} {name}", description=description)
    parser.set_defaults(command=name)
    declare(parser)
    return parser


def complete(line: str) -> None:
    """Answer a shell that asks what may follow on a line, and end the process.

    The shell has asked argcomplete to ask, so that is installed.
    """
    import argcomplete

    parser = argparse.ArgumentParser(prog=PROGRAM, add_help=False)
    parser.add_argument("--help", action="store_true")
    parser.add_argument("--version", action="store_true")
    commands = parser.add_subparsers()
    for name in COMMANDS:
        if name in line.split():
            commands.add_parser(name, parents=[parser_of(name)], add_help=False)
        else:
            commands.add_parser(name)
    argcomplete.autocomplete(parser)


def parsed(run: Callable[..., None], prog: str, words: Sequence[str]) -> dict[str, Any]:
    """The arguments of `run` that a command line names.

    A parameter `job` is what its class reads from --settings; every other is an option of its name:
    a path, a text or a whole number, or several of them.
    """
    parameters = inspect.signature(run).parameters
    parser = Parser(prog=prog, description=inspect.getdoc(run))
    for name, parameter in parameters.items():
        if name == "job":
            parser.add_argument("--settings", required=True, help="file, - or JSON")
        else:
            _add_option(parser, name, parameter)
    arguments = vars(parser.parse_args(words))
    if "settings" in arguments:
        arguments["job"] = _settings(parameters["job"].annotation, arguments.pop("settings"))
    return arguments


def _add_option(parser: argparse.ArgumentParser, name: str, parameter: inspect.Parameter) -> None:
    """Add the option of a parameter; one of several paths may be named without any, and so may one
    that may be missing and is a path."""
    kind = parameter.annotation
    if typing.get_origin(kind) is not list:
        # Of `Path | None` the path.
        choices = [choice for choice in typing.get_args(kind) if choice is not type(None)]
        kind = choices[0] if choices else kind
    options: dict[str, Any] = {"required": parameter.default is parameter.empty}
    if not options["required"]:
        options["default"] = parameter.default
    if typing.get_origin(kind) is list:
        kind = typing.get_args(kind)[0]
        options["nargs"] = "*"
    elif kind is Path and not options["required"]:
        options["nargs"] = "?"
        options["const"] = Path()
    parser.add_argument(f"--{name}", type=kind, **options)


def _settings(kind: Any, argument: str) -> Any:
    """Settings of a kind; ValueError, which says where they are from, if they cannot be read."""
    place = "" if argument.startswith("{") else f" {argument}"
    try:
        return kind.model_validate_json(_text(argument))
    except OSError as error:
        raise ValueError(f"--settings{place}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        lines = [line for line in str(error).splitlines() if "errors.pydantic.dev" not in line]
        raise ValueError(f"--settings{place}: " + "\n".join(lines)) from error


def _text(argument: str) -> str:
    """The text of settings, which stands in an argument, in standard input, or in a file."""
    if argument.startswith("{"):
        return argument
    if argument == "-":
        return sys.stdin.read()
    return Path(argument).read_text(encoding="utf-8")


def _answer(name: str, call: Callable[[], None]) -> int:
    """The exit status of a call; a user's fault is printed as one sentence."""
    try:
        call()
    except BrokenPipeError:  # Nobody reads on: `kernels | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, OSError, ArithmeticError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    except MemoryError as error:
        print(f"{name}: not enough memory: {error}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        if error.name not in INSTALLED_BY_MAKE:
            raise
        print(f"{name}: this needs {INSTALLED_BY_MAKE[error.name]}", file=sys.stderr)
        return 1
    return 0


def _module(name: str, module: str) -> ModuleType:
    """A module of the package, imported. Where it needs what is not installed, the process ends
    with one sentence."""
    full_name = f"{PACKAGE_NAME}.{module}"
    try:
        # Matplotlib reads a file `matplotlibrc` of the folder that it is imported in.
        with contextlib.chdir(Path(__file__).parent):
            return importlib.import_module(full_name)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if _is_within(full_name, missing):
            sys.exit(f"{name}: {NO_JOB}")
        if _is_within(missing, PACKAGE_NAME) or _is_within(missing, "torch"):
            raise
        extra = "explore" if name == "explore" else "workflow"
        sys.exit(f"{name}: needs {error.name}, which is not installed; {how_to_install(extra)}")


def _is_within(module: str, package: str) -> bool:
    """Whether a module is a package or in it, by their full names."""
    return f"{module}.".startswith(f"{package}.")


def entry() -> None:
    """The command `attention-separation`."""
    shut_out_surroundings()
    if "_ARGCOMPLETE" in os.environ:
        complete(os.environ.get("COMP_LINE", ""))
    sys.exit(main())


def end_process(status: int) -> NoReturn:
    """End with an exit status, once what was printed is written and what was to be done at exit is
    done. To take the interpreter down with all that a job has loaded takes a fifth of a short one.
    """
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        # Python itself says what is wrong with it, and ends with another status.
        sys.exit(status)
    os._exit(status)


if __name__ == "__main__":
    # What imports leave is no garbage: to look for it would take a tenth of a short job.
    gc.set_threshold(1_000_000)
    import_lazily()
    shut_out_surroundings()
    end_process(main())
