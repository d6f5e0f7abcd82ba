"""The command `head`: a file of scores, weights, or queries and keys."""

import argparse
import json
from pathlib import Path

import numpy as np
import pandas as pd

from ..api.commands import print_json, print_table, warnings_in_a_line
from . import measuring
from .scores import induction_targets, scores_of

NAMES = ("scores", "weights", "q", "k", "mask", "target", "tokens")


def head_command(parser: argparse.ArgumentParser) -> None:
    """Command `head`: up to how many tokens trained heads still find their token."""
    parser.add_argument("file", type=Path, help=".npy of scores; .npz or .safetensors of names")
    parser.add_argument("--target", type=int, help="the key to find, if the file has none")
    parser.add_argument("--fixed", type=int, nargs="+", default=[], help="keys there once, as 0")
    parser.add_argument("--n", type=float, help="a number of tokens to foretell")
    parser.add_argument("--level", type=float, default=measuring.LEVEL, help="share that finds")
    parser.add_argument("--kernel", nargs="+", default=["exp"], help="names, or formulas in x")
    parser.add_argument("--json", action="store_true", help="answer for programs")
    parser.set_defaults(run=_head)


def _head(arguments: argparse.Namespace) -> None:
    given = read(arguments.file)
    target = given.get("target", arguments.target)
    if target is None and "tokens" in given:
        target = induction_targets(given["tokens"])
        target = np.expand_dims(target, -2) if given["scores"].ndim > target.ndim + 1 else target
    if target is None:
        raise ValueError("no target; allowed: --target, or target or tokens in the file")
    found = []
    with warnings_in_a_line("head"):
        for kernel in arguments.kernel:
            rows = measuring.measure(
                given["scores"], target, fixed=arguments.fixed, mask=given.get("mask"),
                weights="weights" in given, n=arguments.n, level=arguments.level, kernel=kernel,
            )  # fmt: skip
            found.append(measuring.summary(rows).assign(kernel=kernel))
    table = pd.concat(found)
    records = table.to_dict("records")
    if arguments.json:
        print_json(records)
        return
    print(measuring.trust(table["held_out"].mean()))
    print_table(records)


def read(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a file by their names, scores among them: of weights, or of q and k, if it has
    none. ValueError if it has none of these."""
    if path.suffix not in (".npy", ".npz", ".safetensors"):
        raise ValueError(f"{path}: allowed: .npy, .npz and .safetensors")
    if path.suffix == ".npy":
        return {"scores": np.load(path, allow_pickle=False)}
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in NAMES if name in arrays}
    else:
        found = _safetensors(path)
    if "weights" in found:
        return {"scores": found["weights"]} | found
    if "scores" in found:
        return found
    if {"q", "k"} <= {*found}:
        return {"scores": scores_of(found["q"], found["k"])} | found
    raise ValueError(
        f"{path} has {', '.join(found) or 'no known name'}; allowed: scores, weights, or q and k"
    )


def _safetensors(path: Path) -> dict[str, np.ndarray]:
    """Of a header's length in eight bytes, the header as JSON, and bytes of numbers."""
    data = path.read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    found = {}
    try:
        header = json.loads(data[8:end])
        for name in {*NAMES} & {*header}:
            kind, (begin, stop) = header[name]["dtype"], header[name]["data_offsets"]
            known = {"BF16": "<u2", "BOOL": "?"}  # others are as F64, I32, U8, in bits
            of = known[kind] if kind in known else f"<{kind[0].lower()}{int(kind[1:]) // 8}"
            values = np.frombuffer(data[end + begin : end + stop], of)
            if kind == "BF16":
                values = (values.astype(np.uint32) << 16).view(np.float32)
            found[name] = values.reshape(header[name]["shape"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: no file of safetensors that can be read: {error}") from error
    return found
