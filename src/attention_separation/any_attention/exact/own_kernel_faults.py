"""Verb `kernels-check`: what is wrong with a user's own kernels, before anything runs.

Formulas are tried where the configuration is read; Python functions in a process of their own, as
jobs will start it, so that no module of a user is ever imported by a workflow.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

import numpy as np

from attention_separation.any_attention.exact.layers import LAYERS, Layer, token_types
from attention_separation.any_attention.exact.own_kernels import own_kernel
from attention_separation.any_attention.settings.data import Data
from attention_separation.any_attention.settings.jobs import ValuesJob
from attention_separation.any_attention.settings.own_kernels import OwnKernel, PythonKernel
from attention_separation.attention import dense
from attention_separation.attention.kernels import Kernel
from attention_separation.attention.rows import distinct_rows
from attention_separation.attention.seen import Seen
from attention_separation.attention.threshold_curves import LARGEST_N
from attention_separation.attention.token_types import OWN, REST, SAME, SPECIAL
from attention_separation.datasets.dataset import Tokens
from attention_separation.results.provenance import PACKAGE, ROOT

CLASSES, EACH = 3, 2
"""Classes, and tokens of each, where all n x n weights are compared with the distinct ones."""

ALIKE = 1e-9
"""How far they may differ, relative to the largest of a row."""

SPECIAL_TOKENS = ((0, 0), (5, 4))
"""Indices of the special query and key that are tried, of different classes; in self-attention the
key is the query too."""

ANSWER = "kernels-check: "
"""What the line begins with that is the verb's answer."""


def own_kernel_faults(
    kernels: Mapping[str, OwnKernel], data: Data, sizes: list[int]
) -> list[tuple[tuple, str]]:
    """A fault of each kernel that cannot be used, with its path in the section."""
    python = {name: one for name, one in kernels.items() if isinstance(one, PythonKernel)}
    found = _in_own_process(ValuesJob(data=data, sizes=sizes, kernels=python)) if python else {}
    for name in kernels.keys() - python.keys():
        found[name] = kernel_fault(name, kernels[name], data, sizes)
    return [(("kernels", name), found[name]) for name in kernels if found[name]]


def kernel_fault(name: str, setting: OwnKernel, data: Data, sizes: list[int]) -> str:
    """What is wrong with a kernel in a sentence; empty if nothing is."""
    try:
        kernel = _telling(own_kernel(name, setting))
        for layer, dataset, places in product(LAYERS, (0, 1), SPECIAL_TOKENS):
            _compare_with_dense(kernel, layer, data, dataset, places[-layer.of.special_tokens :])
        for layer in LAYERS:
            _try_sizes(kernel, layer, data, sizes)
    except (ArithmeticError, ValueError) as error:
        return str(error).removeprefix(f"{name}: ")
    return ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="data, sizes and kernels, as JSON")


def run(arguments: argparse.Namespace) -> None:
    job = ValuesJob.model_validate_json(arguments.settings)
    # What a user's module prints is not the answer.
    with contextlib.redirect_stdout(sys.stderr):
        found = {
            name: kernel_fault(name, one, job.data, job.sizes)
            for name, one in (job.kernels or {}).items()
        }
    print(f"\n{ANSWER}{json.dumps(found)}", flush=True)


def _in_own_process(job: ValuesJob) -> dict[str, str]:
    """The faults of kernels, by name; in a process that sees what a job will see."""
    done = subprocess.run(
        [sys.executable, "-m", PACKAGE, "kernels-check", "--settings", "-"],
        input=job.canonical(), env=os.environ | {"PYTHONPATH": str(ROOT.parent)}, text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    for line in done.stdout.splitlines():
        if line.startswith(ANSWER):
            return json.loads(line.removeprefix(ANSWER))
    said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
    text = f"Python ended with status {done.returncode} when it was tried: {said[:200]}"
    return dict.fromkeys(job.kernels, text)


def _telling(kernel: Kernel) -> Kernel:
    """The same kernel, which says of what a weight is no finite number."""

    def weigh(seen: Seen) -> np.ndarray:
        weights = kernel.weigh(seen)
        wrong = ~np.isfinite(weights) & (seen.multiplicities > 0)
        if wrong.any():
            raise ArithmeticError(
                f"{kernel.name}: a weight, of score x = {float(seen.scores[wrong][0]):.6g}, is "
                f"{float(weights[wrong][0])}; allowed: finite numbers"
            )
        return weights

    return replace(kernel, weigh=weigh)


@contextlib.contextmanager
def _said_of(kernel: Kernel, where: str) -> Iterator[None]:
    """Errors of a kernel, with where they came up."""
    try:
        yield
    except ArithmeticError as error:
        said = str(error).removeprefix(f"{kernel.name}: ")
        raise ArithmeticError(f"{kernel.name}: {where}: {said}") from error


def _words(layer: Layer, *more: str) -> str:
    return ", ".join([layer.words[0].lower() + layer.words[1:], *more])


def _compare_with_dense(
    kernel: Kernel, layer: Layer, data: Data, dataset: int, places: tuple[int, ...]
) -> None:
    """Raise ArithmeticError unless the literal n x n weights, with the special tokens in their
    places, are those of the token types."""
    n, d = CLASSES * EACH, layer.d(CLASSES)
    tokens = Tokens(n, d, data.a0, data.a1, data.b, data.c, layer.attention_x)
    a1, a2, _, q, k = layer.of.literal(tokens, dataset, np.array(places))
    small = data.model_copy(update={"classes": CLASSES})
    with _said_of(kernel, _words(layer, f"D{dataset}", f"n = {n}")):
        literal = dense.attention_weights(a1, a2, q, k, kernel)
        types = token_types(layer, small, [n])[dataset]
        found = _spread(distinct_rows(types, kernel).weights[0], places[0], places[-1])
        gaps = np.abs(literal - found) / np.abs(literal).max(axis=1, keepdims=True).clip(1e-300)
        row, column = np.unravel_index(gaps.argmax(), gaps.shape)
        if gaps[row, column] > ALIKE:
            raise ArithmeticError(
                f"{kernel.name}: tokens that are alike but for their class or place have weights "
                f"{literal[row, column]:.9g} and {found[row, column]:.9g}; allowed: the same weight"
            )


def _spread(weights: np.ndarray, query: int, key: int) -> np.ndarray:
    """All n x n weights from those of types of queries on types of keys, (R, 4), given the indices
    of the special ones; of two types of queries none but the special one knows of a class."""
    token = np.arange(CLASSES * EACH)
    of_class = token % CLASSES
    marked = of_class == of_class[key]
    other = np.where(marked, 1, 2) if len(weights) > 2 else np.ones_like(token)
    queries = np.where(token == query, 0, other)
    own = (of_class[:, None] == of_class) & (queries[:, None] == 2)
    keys = np.where(marked, SAME, np.where(own, OWN, REST))
    keys[:, key] = SPECIAL
    return weights[queries[:, None], keys]


def _try_sizes(kernel: Kernel, layer: Layer, data: Data, sizes: list[int]) -> None:
    """Raise ArithmeticError if the kernel has no weights at numbers of tokens up to the largest."""
    steps = int(np.log2(LARGEST_N // data.classes))
    doubled = [data.classes * 2**k for k in range(steps + 1)]
    largest = LARGEST_N // data.classes * data.classes
    n = sorted({*sizes, *doubled, largest} - {1})

    def try_each(n: list[int]) -> None:
        for types in token_types(layer, data, n):
            distinct_rows(types, kernel)

    try:
        try_each(n)
    except ArithmeticError:
        for size in n:
            with _said_of(kernel, _words(layer, f"n = {size:,}")):
                try_each([size])
        raise
