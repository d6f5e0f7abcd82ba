"""The command `head`: a file of scores, weights, or queries and keys."""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from ..api.commands import print_json, print_table, warnings_in_a_line
from . import measuring
from .scores import induction_targets, scores_of

KINDS = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "BOOL": "?",
    "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U8": "u1",
}  # fmt: skip
"""Types of numbers in a file of safetensors."""

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
    options = {"fixed": arguments.fixed, "n": arguments.n, "level": arguments.level}
    scores = given.get("scores", given.get("weights"))
    if scores is None:
        scores = scores_of(given["q"], given["k"])
    target = given.get("target", arguments.target)
    if target is None and "tokens" in given:
        target = induction_targets(given["tokens"])
        target = np.expand_dims(target, -2) if scores.ndim > target.ndim + 1 else target
    if target is None:
        raise ValueError("no target; allowed: --target, or target or tokens in the file")
    options |= {"mask": given.get("mask"), "weights": "weights" in given}
    found = []
    with warnings_in_a_line("head"):
        for kernel in arguments.kernel:
            rows = measuring.measure(scores, target, kernel=kernel, **options)
            found.append(measuring.summary(rows).assign(kernel=kernel))
    records = [row for table in found for row in table.to_dict("records")]
    if arguments.json:
        print_json(records)
        return
    print(trust(found[0]["held_out"]))
    print_table(records)


def trust(held_out: Any) -> str:
    """What the check on this context says of longer ones, in a sentence."""
    mean = held_out.mean()
    if np.isnan(mean):
        return (
            "held_out: not known, of rows shorter than 512; nothing says that more are like these"
        )
    if mean < measuring.TRUSTED:
        return (
            f"held_out {mean:.2f}, under {measuring.TRUSTED}: this context does not foretell more"
        )
    return f"held_out {mean:.2f}: an eighth of the context foretells all of it"


def read(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a file by their names; ValueError if it has none that can be measured."""
    if path.suffix == ".npy":
        found = {"scores": np.load(path, allow_pickle=False)}
    elif path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as arrays:
            found = dict(arrays)
    elif path.suffix == ".safetensors":
        found = _safetensors(path)
    else:
        raise ValueError(f"{path}: allowed: .npy, .npz and .safetensors")
    found = {name: found[name] for name in NAMES if name in found}
    if not {"scores", "weights"} & {*found} and not {"q", "k"} <= {*found}:
        raise ValueError(f"{path} has {', '.join(found) or 'no known name'}; allowed: scores, "
                         "weights, or q and k")  # fmt: skip
    return found


def _safetensors(path: Path) -> dict[str, np.ndarray]:
    """Of a header's length in eight bytes, the header as JSON, and bytes of numbers."""
    data = path.read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    try:
        header = json.loads(data[8:end])
        found = {}
        for name, entry in header.items():
            if name in NAMES:
                begin, stop = entry["data_offsets"]
                values = np.frombuffer(data[end + begin : end + stop], KINDS[entry["dtype"]])
                if entry["dtype"] == "BF16":
                    values = (values.astype(np.uint32) << 16).view(np.float32)
                found[name] = values.reshape(entry["shape"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: no file of safetensors that can be read: {error}") from error
    return found
