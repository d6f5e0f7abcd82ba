"""The part `training` of a scale: attention maps, and grids of cells that are trained."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationError

from attention_separation.attention.kernel import Kernel, Seen
from attention_separation.attention.kernel_names import kernel_named
from attention_separation.attention.kernels import FEATURE_MAPS
from attention_separation.own_kernels.modules import module_digest
from attention_separation.own_kernels.section import OwnKernel, PythonKernel
from attention_separation.settings.closed import Closed, once
from attention_separation.settings.words import suggestion

from .cells import Arm, Map, NeedleCell, Recipe, Runs, Tokens
from .exact import Entries, Ratios

Names = Annotated[list[str], Field(min_length=1, max_length=100), AfterValidator(once)]

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,49}")

SIGNED_SCORES = [-2.5, -1.0, -0.3, 0.4, 1.0, 2.5]
"""Scores of noisy tokens have either sign: a kernel must have weights of such."""

Fault = tuple[tuple[Any, ...], str]


class NeedleGrid(Recipe):
    """Cells of an arm: every combination of the lists."""

    arm: Arm = Field(
        description="query_given: the needle's direction is drawn for each sequence and is its "
        "query; query_learned: the first paper's tokens, and a learned query; self_attention: the "
        "same tokens, every one a query"
    )
    mus: Ratios = Field(description="μ")
    sizes: Annotated[list[Tokens], Field(min_length=1, max_length=100), AfterValidator(once)] = (
        Field(description="n")
    )
    maps: Names = Field(description="names of `maps`")
    runs: Runs = Field(description="runs per cell, each with initial values and data of its own")
    control: bool = Field(
        default=False, description="whether its cells are a control, on which no claim is judged"
    )


class NeedleTraining(Closed):
    """Networks that are trained."""

    maps: dict[str, Map] = Field(
        description="attention maps by name; `kernel` may be one of `any_attention.kernels`"
    )
    grids: dict[str, NeedleGrid] = Field(
        description="cells by the name of their grid; a name is part of the cells' of a control"
    )

    def cells(self, data: Entries, seed: int, own: Mapping[str, OwnKernel]) -> Iterator[NeedleCell]:
        """All cells, grid by grid; `own` are a user's kernels by name."""
        for grid_name, grid in self.grids.items():
            how = grid.model_dump(include={"arm", "control", *Recipe.model_fields})
            for mu in grid.mus:
                for n in grid.sizes:
                    for name in grid.maps:
                        yield NeedleCell(
                            name=_cell_name(grid_name if grid.control else grid.arm, mu, n, name),
                            map=self.maps[name], mu=mu, n=n, data=data,
                            seeds=list(range(grid.runs)), seed=seed, **how,
                            **_own_kernel(self.maps[name], own),
                        )  # fmt: skip


def _own_kernel(one: Map, own: Mapping[str, OwnKernel]) -> dict[str, Any]:
    """What a cell needs to know of a user's own kernel; nothing of a built-in one."""
    setting = own.get(one.kernel or "")
    if setting is None:
        return {}
    is_python = isinstance(setting, PythonKernel)
    return {"own": setting, "module": module_digest(setting.python) if is_python else None}


def _cell_name(kind: str, mu: float, n: int, name: str) -> str:
    """As in a file's name: no dots."""
    return f"{kind}_mu{mu:g}_n{n}_{name}".replace(".", "p")


def training_faults(
    training: NeedleTraining, data: Entries, own: Mapping[str, OwnKernel]
) -> Iterator[Fault]:
    """Faults between settings each of which is valid: a path and a sentence. `own` are a user's
    kernels by name, which are tried if they are formulas."""
    found: list[Fault] = []
    for name, each in training.maps.items():
        text = _fault_of_name(name)
        path, text = ((), text) if text else _fault_of_map(each, own)
        found += [(("maps", name, *path), text)] if text else []
    found += [(("grids", name), text) for name in training.grids if (text := _fault_of_name(name))]
    for grid_name, grid in training.grids.items():
        found += [
            (("grids", grid_name, "maps", k), f"{name!r} is no map; "
             f"{suggestion(name[:50], list(training.maps))}")
            for k, name in enumerate(grid.maps)
            if name not in training.maps
        ]  # fmt: skip
    yield from found
    if not found:
        yield from _faults_of_cells(training, data, own)


def _fault_of_name(name: str) -> str:
    wrong = "is no name; allowed: at most 50 letters, digits and _, a letter first"
    return "" if NAME.fullmatch(name) else wrong


def _faults_of_cells(
    training: NeedleTraining, data: Entries, own: Mapping[str, OwnKernel]
) -> Iterator[Fault]:
    names: dict[str, str] = {}
    for name, grid in training.grids.items():
        one = training.model_copy(update={"grids": {name: grid}})
        try:
            cells = [cell.name for cell in one.cells(data, 0, own)]
        except ValidationError as error:
            yield ("grids", name), str(error.errors()[0]["msg"])
            continue
        for cell in cells:
            if cell in names:
                text = f"has the cell {cell}, which {names[cell]} has; allowed: each cell once"
                yield ("grids", name), text
            names[cell] = name


def _fault_of_map(one: Map, own: Mapping[str, OwnKernel]) -> Fault:
    """What is wrong with a map, and with which of its settings; "" if nothing is."""
    if one.kernel is None:
        return (), ""
    try:
        kernel = _kernel(one.kernel, own.get(one.kernel))
    except ValueError as error:
        return ("kernel",), str(error)
    if kernel.kind == "features":
        if one.kernel in KERNELS_OF_VECTORS or "all keys" in kernel.also:
            text = f"{one.kernel} is no map of features; allowed: {', '.join(FEATURE_MAPS)}"
            return ("kernel",), text
        if not _has_features_of_noise(one.kernel):
            return ("kernel",), f"{one.kernel} has no features of vectors without positive entries"
        return (), "" if one.features else f"{one.kernel} needs `features`, how many"
    if one.features:
        text = f"{one.kernel} is no map of features; allowed: none of `features`"
        return ("features",), text
    if kernel.kind == "row":
        text = f"{one.kernel} needs whole rows; allowed: kernels of the score, and feature maps"
        return ("kernel",), text
    if isinstance(own.get(one.kernel), PythonKernel) or _has_signed_weights(kernel):
        return (), ""
    text = f"{one.kernel} has no weights of negative scores, and scores in noise have either sign"
    return ("kernel",), text


def _kernel(name: str, own: OwnKernel | None) -> Kernel:
    if own is None:
        return kernel_named(name)
    # What evaluates formulas takes its time to load.
    from attention_separation.own_kernels.values import own_kernel

    return own_kernel(name, own)


KERNELS_OF_VECTORS = ("rbf", "cosine_softmax_10", "one_plus_cosine")
"""Built-in kernels of vectors that are no products of features."""


def _has_signed_weights(kernel: Kernel) -> bool:
    import numpy as np

    scores = np.array(SIGNED_SCORES)
    seen = Seen(scores, None, None, np.ones(len(scores)), 100, 8)
    with np.errstate(all="ignore"):
        try:
            values = (kernel.signed or kernel.weigh)(seen)
        except ArithmeticError:
            return False
    logarithmic = kernel.logarithmic and kernel.signed is None
    return bool(np.isfinite(np.exp(values) if logarithmic else values).all())


def _has_features_of_noise(name: str) -> bool:
    """Whether a built-in map of features has them of any vector: noise has every sign."""
    import numpy as np

    log_phi = FEATURE_MAPS.get(name)
    with np.errstate(all="ignore"):
        return log_phi is None or not np.isnan(log_phi(np.array([-1.0, -0.5]))).any()
