"""The command `head`: a file of scores, weights, or queries and keys."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..api.commands import print_json, print_table, warnings_in_a_line
from ..settings.words import joined
from .arrays import key_indices
from .files import NAMES, READABLE, read
from .making import induction_targets, scores_of
from .measuring import LEVEL, Measurement, summary, trust

MOST_SCORES = 2**30
"""Of queries and keys: a file of some megabytes may have more of their scores than fit anywhere."""

SOURCES = (("scores",), ("weights",), ("q", "k"))
"""Names of arrays of which a file needs one line."""

Arrays = dict[str, np.ndarray]


def head_command(parser: argparse.ArgumentParser) -> None:
    """Command `head`: up to how many tokens trained heads still find their token."""
    parser.add_argument("file", type=Path, help=".npy of scores; .npz or .safetensors of names")
    parser.add_argument(
        "--use",
        nargs="+",
        metavar="NAME",
        choices=NAMES,
        default=NAMES,
        help=f"take these alone from the file, of {', '.join(NAMES)}",
    )
    parser.add_argument("--target", type=int, help="the key to find, if the file has none")
    parser.add_argument("--fixed", type=int, nargs="+", default=[], help="keys there once, as 0")
    parser.add_argument(
        "--causal",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="whether later keys are masked; a guess if not given",
    )
    parser.add_argument(
        "--near",
        type=_near,
        metavar="NUMBER",
        help="tokens nearest to the query that count once, or half; a guess if not given",
    )
    parser.add_argument(
        "--query-at",
        type=int,
        nargs="+",
        metavar="KEY",
        help="which key each query is; the last ones if not given",
    )
    parser.add_argument("--n", type=float, help="a number of tokens to foretell")
    parser.add_argument("--level", type=float, default=LEVEL, help="share that finds")
    parser.add_argument("--kernel", nargs="+", default=["exp"], help="names, or formulas in x")
    parser.add_argument("--json", action="store_true", help="answer for programs")
    parser.set_defaults(run=_head)


def _near(text: str) -> float | str:
    """Returns a number of near tokens, or "half"; ArgumentTypeError if it is neither."""
    if text == "half":
        return text
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}; allowed: a whole number, or half") from None


def _head(arguments: argparse.Namespace) -> None:
    path = arguments.file
    arrays = read(path, arguments.use)
    with warnings_in_a_line("head"):
        try:
            table = _table(arrays, arguments)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        except ArithmeticError as error:
            raise ArithmeticError(f"{path}: {error}") from error
        except MemoryError as error:
            raise MemoryError(f"{path}: {error}") from error
    records: list[dict[str, Any]] = [
        {str(name): value for name, value in record.items()} for record in table.to_dict("records")
    ]
    if arguments.json:
        print_json(records)
        return
    print(trust(table["held_out"].mean()))
    print_table(records)


def _table(arrays: Arrays, arguments: argparse.Namespace) -> pd.DataFrame:
    """The summary of each kernel, below each other."""
    source = _source(arrays)
    target = _target(arrays, arguments.target)
    scores = _scores(arrays, source)
    if target is None:
        target = _induction_targets(arrays["tokens"], scores.shape, arguments.query_at)
    tables = []
    for kernel in arguments.kernel:
        measurement = Measurement(
            scores,
            target,
            fixed=arguments.fixed,
            mask=arrays.get("mask"),
            causal=arguments.causal,
            near=arguments.near,
            query_at=arguments.query_at,
            weights=source == ("weights",),
            sinks=arrays.get("sinks"),
            level=arguments.level,
            kernel=kernel,
            causal_sign="there are tokens" if "tokens" in arrays else "",
        )
        tables.append(summary(measurement.measure(arguments.n)).assign(kernel=kernel))
    return pd.concat(tables)


def _source(arrays: Arrays) -> tuple[str, ...]:
    """Returns the names of what is measured; ValueError if there is nothing, or two things."""
    there = [source for source in SOURCES if arrays.keys() >= {*source}]
    if len(there) == 0:
        names = ", ".join(arrays) or "no known name"
        raise ValueError(f"it has {names}; allowed: scores, weights, or q and k; {READABLE}")
    if len(there) > 1:
        words = joined([" and ".join(source) for source in there])
        choices = joined([f"--use {' '.join(source)}" for source in there], "or")
        raise ValueError(f"it has {words}: which is to be measured? Say {choices}, and other names")
    return there[0]


def _target(arrays: Arrays, target: int | None) -> np.ndarray | int | None:
    """Returns the target that is said, None for that of induction; ValueError if there is none, or
    if there are two."""
    if "target" in arrays and target is not None:
        raise ValueError(
            f"it has a target, and --target is {target}: which is to be found? Leave one out; "
            "--use takes other names alone from the file"
        )
    if "target" in arrays and "tokens" in arrays:
        raise ValueError(
            "it has a target, and tokens, of which induction would find another: which is to be "
            "found? Say --use with one of these names, and what else to take"
        )
    if "target" in arrays:
        return arrays["target"]
    if target is None and "tokens" not in arrays:
        raise ValueError("no target; allowed: --target, or target or tokens in the file")
    return target


def _scores(arrays: Arrays, source: tuple[str, ...]) -> np.ndarray:
    """Returns scores, or weights; ValueError if they would be too many."""
    if source != ("q", "k"):
        return arrays[source[0]]
    queries = arrays["q"]
    keys = arrays["k"]
    if queries.ndim > 1 and keys.ndim > 1:
        rows = queries.size // max(1, queries.shape[-1])
        count = rows * keys.shape[-2]
        if count > MOST_SCORES:
            raise ValueError(f"q and k have {count:,} scores; allowed: {MOST_SCORES:,} at once")
    return scores_of(queries, keys)


def _induction_targets(
    tokens: np.ndarray, shape: tuple[int, ...], query_at: Sequence[int] | None
) -> np.ndarray:
    """Returns targets of induction that fit scores of a shape, of the last queries if it is not
    said which they are; ValueError if there are not as many tokens as keys."""
    # One row of scores is of one query.
    keys = shape[-1] if len(shape) > 0 else 1
    queries = shape[-2] if len(shape) > 1 else 1
    if tokens.ndim == 0 or tokens.shape[-1] != keys:
        raise ValueError(f"tokens have shape {tokens.shape}; allowed: the last axis of {keys} keys")
    if query_at is None:
        positions = np.arange(keys - queries, keys)
    else:
        positions = key_indices("query_at", query_at, keys, least=0)
    targets: np.ndarray = induction_targets(tokens)[..., positions]
    if len(shape) > targets.ndim + 1:
        return np.expand_dims(targets, -2)  # of all heads
    return targets
