"""The commands `separate`, `compare` and `kernels`: their options, and how all commands that ask
read what is given and answer.

*Answers of reach* say at which n a kernel separates: its largest n, the n from which on it does,
and the runs of n where it does (`spans`) or does not (`holes`).
"""

import argparse
import contextlib
import dataclasses
import json
import math
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..messages.words import range_in_words, short_repr
from . import comparing, reaching
from .listing import COLUMNS, as_text, kernels
from .separating import separate

if TYPE_CHECKING:
    import pandas as pd


def separate_command(parser: argparse.ArgumentParser) -> None:
    """Command `separate`: what one kernel's network alone can do."""
    add_kernels(parser, several=False)
    parser.add_argument("--n", type=whole, default=200, help="number of tokens (default 200)")
    parser.add_argument("--theta", type=word, default="best", help="best, paper, or a number")
    add_layer(parser)
    parser.set_defaults(run=_separate)


def _separate(arguments: argparse.Namespace) -> None:
    """Print what `separate` answers on the kernel of the arguments, with its margin and reach."""
    options = layer_options(arguments)
    (kernel,) = kernels_given(arguments)
    with warnings_in_a_line("separate"):
        separation = separate(kernel, n=arguments.n, theta=arguments.theta, **options)
        fields = [field.name for field in dataclasses.fields(separation) if field.repr]
        answer = {name: getattr(separation, name) for name in fields}
        answer["probability_after_signs"] = separation.probability_after_signs
        answer["probability_each_bias"] = separation.probability_each_bias
        # It may take more memory than there may be.
        with contextlib.suppress(MemoryError):
            answer["margin"] = separation.margin
        answer |= reach_of(kernel, arguments.level, options)
    if arguments.json:
        print_json(answer)
        return
    shown = answer | {name: runs_in_words(answer[name]) for name in ("spans", "holes")}
    print_table([{"": name, "value": value} for name, value in shown.items()])


def compare_command(parser: argparse.ArgumentParser) -> None:
    """Command `compare`: several kernels at several n."""
    add_kernels(parser, several=True)
    sizes = comparing.COMPARED_N
    parser.add_argument("--n", type=whole, nargs="+", default=sizes, help="numbers of tokens")
    add_layer(parser)
    parser.set_defaults(run=_compare)


def _compare(arguments: argparse.Namespace) -> None:
    """Print the probability of each kernel of the arguments at each n, and up to which n it
    separates."""
    options = layer_options(arguments)
    names = kernels_given(arguments)
    with warnings_in_a_line("compare"):
        table = comparing.compare(names, list(arguments.n), **options)
        reach = {name: reach_of(name, arguments.level, options) for name in names}
    if arguments.json:
        answer: dict[str, Any] = {"rows": table.to_dict("records")}
        for question in ANSWERS_OF_REACH:
            answer[question] = {
                name: answers_of_kernel[question] for name, answers_of_kernel in reach.items()
            }
        print_json(answer)
    else:
        print_table(_rows_of_kernels(table, [reach[name] for name in names]))


def _rows_of_kernels(
    table: "pd.DataFrame", reach_of_kernels: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """A row for each kernel: its probability at each n, from the table of `compare`, and the n at
    which it separates, from its answers of reach. Both are in the same order of kernels."""
    # Where no kernel has a hole there is no column of them.
    has_holes = any(answers_of_kernel["holes"] for answers_of_kernel in reach_of_kernels)
    kernels_in_table = table.groupby("kernel", sort=False)
    rows = []
    for (name, part), answers_of_kernel in zip(kernels_in_table, reach_of_kernels, strict=True):
        row: dict[str, Any] = {"kernel": name}
        for n, p in zip(part["n"], part["probability"], strict=True):
            row[f"n = {n:,}"] = "undecided" if math.isnan(p) else float(p)
        row["separates up to"] = largest_n_in_words(answers_of_kernel["largest_n"])
        if has_holes:
            row["but not at"] = runs_in_words(answers_of_kernel["holes"])
        rows.append(row)
    return rows


def largest_n_in_words(last: float | str | None) -> str:
    """The largest n as text: "none" for None, a sentence as it is, "10^12 still" for infinity."""
    if last is None or isinstance(last, str):
        return last or "none"
    return "10^12 still" if math.isinf(last) else f"{last:,}"


def kernels_command(parser: argparse.ArgumentParser) -> None:
    """Command `kernels`: the built-in kernels."""
    parser.add_argument("--json", action="store_true", help="answer for programs")
    parser.set_defaults(run=_kernels)


def _kernels(arguments: argparse.Namespace) -> None:
    """Print the table of built-in kernels."""
    if arguments.json:
        print_json([dict(zip(COLUMNS, row, strict=True)) for row in kernels.rows()])
    else:
        print(kernels)


def whole(text: str) -> int:
    """A whole number, such as 200, 2_000 or 1e6."""
    value = float(text)
    if not value.is_integer():
        raise argparse.ArgumentTypeError(f"{short_repr(text)}; allowed: whole numbers")
    return int(value)


def word(text: str) -> float | str:
    """A number, or else the text."""
    with contextlib.suppress(ValueError):
        return float(text)
    return text


def add_kernels(parser: argparse.ArgumentParser, several: bool) -> None:
    """Add the kernels to a command's arguments: by position, or behind --kernel."""
    help_text = "a name, or a formula such as 'x**4'"
    if several:
        parser.add_argument("positional", nargs="*", metavar="KERNEL", help=help_text)
        parser.add_argument("--kernel", nargs="+", default=[], help="the same")
    else:
        parser.add_argument("positional", nargs="?", metavar="KERNEL", help=help_text)
        parser.add_argument("--kernel", help="the same")


def kernels_given(arguments: argparse.Namespace) -> list[str]:
    """The kernels of the arguments that `add_kernels` added; ValueError where there is none, or
    more than one for a command that takes one."""
    by_position = arguments.positional
    by_option = arguments.kernel
    if isinstance(by_position, list):
        kernel_texts = [*by_position, *by_option]
        if not kernel_texts:
            raise ValueError("no kernel; allowed: names, or formulas such as 'x**4'")
        return kernel_texts
    kernel_texts = [kernel for kernel in (by_position, by_option) if kernel is not None]
    if len(kernel_texts) != 1:
        raise ValueError(
            f"{len(kernel_texts)} kernels; allowed: one, a name or a formula such as 'x**4'"
        )
    return kernel_texts


OPTIONS_OF_SIZE: dict[str, Callable[[str], Any]] = {
    "d": whole,
    "m": whole,
    "a0": float,
    "a1": float,
    "b": float,
    "c": float,
    "split": word,
}
"""Parameters of `separate` that are left at their defaults where nothing is said."""


def add_layer(parser: argparse.ArgumentParser, has_level: bool = True) -> None:
    """Add the options of a layer and of the sizes of its data, named as the parameters of
    `separate`."""
    parser.add_argument("--model", default="self_attention", help="or cross_attention")
    parser.add_argument("--attention-x", default="identity", help="X: identity or ones")
    for name, kind in OPTIONS_OF_SIZE.items():
        parser.add_argument(f"--{name}", type=kind, help=f"{name}, as of the API")
    if has_level:
        parser.add_argument("--level", type=float, help="a probability to reach, for largest n")
    parser.add_argument("--json", action="store_true", help="answer for programs")


def layer_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The parameters of `separate` that the options of `add_layer` set; options that were not given
    are left out."""
    options = {"model": arguments.model, "attention_x": arguments.attention_x}
    for name in OPTIONS_OF_SIZE:
        size = getattr(arguments, name)
        if size is not None:
            options[name] = size
    return options


@contextlib.contextmanager
def warnings_in_a_line(command: str) -> Iterator[None]:
    """While it is open, print each warning once, as one line on standard error."""
    printed = set()

    def say(message: Warning | str, *_: Any, **__: Any) -> None:
        text = str(message)
        if text not in printed:
            printed.add(text)
            print(f"{command}: warning: {text}", file=sys.stderr, flush=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = say
        yield


ANSWERS_OF_REACH = ("largest_n", "separates_from", "spans", "holes")
"""Questions that are answered of each kernel."""


def reach_of(kernel: str, level: float | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """A kernel's answers of reach by name; in place of one that float64 does not tell, the sentence
    that says so."""
    try:
        reach = reaching.reach_of(kernel, level=level, **options)
    except ArithmeticError as error:
        return dict.fromkeys(ANSWERS_OF_REACH, str(error)) | {"spans": None, "holes": None}
    return {
        "largest_n": _or_sentence(reach.largest_n),
        "separates_from": _or_sentence(reach.separates_from),
        "spans": reach.spans(),
        "holes": reach.holes(),
    }


def _or_sentence(answer: Callable[[], float | None]) -> float | str | None:
    """What a question answers, or the sentence of its error."""
    try:
        return answer()
    except ArithmeticError as error:
        return str(error)


def runs_in_words(runs: list[tuple[int, float]] | None) -> str:
    """Runs of n as text; "" where they are not known."""
    return "" if runs is None else reaching.words_of_runs(runs)


def print_json(value: Any) -> None:
    """Print a value as JSON; NaN is null, and infinity "inf"."""
    print(json.dumps(_plain(value), ensure_ascii=False, indent=1))


def print_table(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows with the same columns as a table of aligned text."""
    print(as_text(tuple(rows[0]), [tuple(map(_cell, row.values())) for row in rows]))


def _cell(value: Any) -> str:
    """A value as the text of a table's cell; a pair is a range."""
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple):
        low, high = value
        return range_in_words(low, high, digits=6)
    return str(value)


def _plain(value: Any) -> Any:
    """A value that JSON can hold: NaN as None, infinity as "inf", tuples as lists."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf"
    return value
