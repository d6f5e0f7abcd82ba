"""The section `needle` of the configuration: its data and scales, attention maps, and grids of
cells that are trained."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Annotated, Self

import numpy as np
from pydantic import Field, ValidationError, model_validator

from ....attention.kernel import Kernel, KernelInputs
from ....attention.kernel_names import kernel_named
from ....attention.kernels import FEATURE_MAPS
from ....datasets.dataset import stacking_fault
from ....messages.words import suggestion
from ....settings.faults import Fault, fault
from ....settings.kernel_section import OwnKernel, PythonKernel, module_digest
from ....settings.strict_model import Count, Distinct, Level, Name, Scaled, ScaleName, StrictModel
from .cells import MOST_RUNS, Arm, Map, NeedleCell, Recipe, Tokens
from .exact import AnotherX, Entries, LinesSettings, Mu

MOST_CELLS = 1000
"""Of a grid: each is a job of its own."""

Own = Mapping[str, OwnKernel]
"""A user's kernels by name."""


class NeedleGrid(Recipe):
    """Cells of an arm: every combination of the lists."""

    arm: Arm = Field(
        description="query_given: the needle's direction is drawn for each sequence and is its "
        "query; query_learned: the first paper's tokens, and a learned query; self_attention: the "
        "same tokens, every one a query; sink_learned: the data of query_given, and an attention "
        "sink beside scores that are right; sink_and_scale_learned: and the scale of the scores"
    )
    mus: Distinct[Mu] = Field(description="μ")
    sizes: Distinct[Tokens] = Field(description="n")
    maps: Distinct[str] = Field(description="names of `maps`")
    runs: Annotated[Count, Field(le=MOST_RUNS)] = Field(
        description="runs per cell, each with initial values and data of its own"
    )
    control: bool = Field(
        default=False, description="whether its cells are a control, on which no claim is judged"
    )

    @model_validator(mode="after")
    def _has_few_cells(self) -> Self:
        """The grid itself; a fault if it has more than MOST_CELLS cells."""
        count = len(self.mus) * len(self.sizes) * len(self.maps)
        if count > MOST_CELLS:
            raise fault(f"has {count} cells; allowed: at most {MOST_CELLS}")
        return self


class NeedleTraining(StrictModel):
    """Networks that are trained."""

    maps: dict[Name, Map] = Field(
        description="attention maps by name; `kernel` may be one of `any_attention.kernels`"
    )
    grids: dict[Name, NeedleGrid] = Field(
        description="cells by the name of their grid; a name is part of the cells' of a control"
    )

    def cells(self, data: Entries, seed: int, own: Own) -> Iterator[NeedleCell]:
        """The cells of all grids, grid by grid."""
        for grid in self.grids:
            yield from self.cells_of(grid, data, seed, own)

    def cells_of(self, name: str, data: Entries, seed: int, own: Own) -> Iterator[NeedleCell]:
        """The cells of the grid of a name: every combination of its mus, sizes and maps."""
        grid = self.grids[name]
        kind = name if grid.control else grid.arm
        shared = grid.model_dump(include={"arm", "control", *Recipe.model_fields})
        shared |= {"data": data, "seeds": list(range(grid.runs)), "seed": seed}
        for mu, n, map_name in itertools.product(grid.mus, grid.sizes, grid.maps):
            attention_map = self.maps[map_name]
            kernel = own.get(attention_map.kernel or "")
            module = None
            if isinstance(kernel, PythonKernel):
                module = module_digest(kernel.python)
            yield NeedleCell(
                # As in a file's name: no dots.
                name=f"{kind}_mu{mu:g}_n{n}_{map_name}".replace(".", "p"),
                map=attention_map,
                mu=mu,
                n=n,
                own=kernel,
                module=module,
                **shared,
            )


class NeedleScale(StrictModel):
    """A size of this study."""

    exact: LinesSettings = Field(description="lines computed without training")
    training: NeedleTraining | None = Field(
        default=None, description="networks that are trained, with PyTorch; null for none"
    )


class NeedleSection(Scaled):
    """The needle: one token among n with noise on all of them."""

    scale: str = Field(
        description="which of its scales; every one but desk writes to results/needle/SCALE"
    )
    data: Entries = Field(description="sizes of the first paper's tokens")
    another_x: AnotherX = Field(description="another X, without noise")
    level: Level = Field(
        description="nominal chance of a false verdict, over all claims on trained networks; runs "
        "are taken as normal"
    )
    scales: dict[ScaleName, NeedleScale] = Field(description="sizes of this study")


def section_faults(section: NeedleSection, own: Own) -> Iterator[Fault]:
    """Faults between settings each of which is valid. A user's kernels that are formulas are
    tried."""
    for name, scale in section.scales.items():
        training = scale.training
        if training:
            faults = [*_faults_of_maps(training, own)]
            for path, text in faults or _faults_of_cells(training, section.data, own):
                yield ("scales", name, "training", *path), text
    for k, n in enumerate(section.another_x.sizes):
        if text := stacking_fault(n, section.data.classes):
            yield ("another_x", "sizes", k), text


def _faults_of_maps(training: NeedleTraining, own: Own) -> Iterator[Fault]:
    """The faults of the attention maps, and of grids that name a map which there is not."""
    for name, attention_map in training.maps.items():
        path, text = _fault_of_map(attention_map, own)
        if text:
            yield ("maps", name, *path), text
    for name, grid in training.grids.items():
        for k, map_name in enumerate(grid.maps):
            if map_name not in training.maps:
                hint = suggestion(map_name[:50], list(training.maps))
                yield ("grids", name, "maps", k), f"{map_name!r} is no map; {hint}"


def _faults_of_cells(training: NeedleTraining, data: Entries, own: Own) -> Iterator[Fault]:
    """The faults of cells that cannot be trained, or that two grids have."""
    grid_of: dict[str, str] = {}
    for grid in training.grids:
        try:
            cells = [cell.name for cell in training.cells_of(grid, data, 0, own)]
        except ValidationError as error:
            yield ("grids", grid), error.errors()[0]["msg"]
            continue
        for cell in cells:
            if cell in grid_of:
                text = f"has the cell {cell}, which {grid_of[cell]} has; allowed: each cell once"
                yield ("grids", grid), text
            grid_of[cell] = grid


def _fault_of_map(attention_map: Map, own: Own) -> Fault:
    """The fault of a map, as the path of the setting that is wrong and a text; the text is "" if
    nothing is wrong."""
    name = attention_map.kernel
    if name is None:
        return (), ""
    own_kernel = own.get(name)
    if isinstance(own_kernel, PythonKernel):
        # Whether it can be loaded is tried elsewhere, in a process of its own.
        return _fault_of_count(attention_map, own_kernel.of == "features")
    try:
        kernel = _kernel(name, own_kernel)
    except ValueError as error:
        return ("kernel",), str(error)
    text = ""
    if kernel.kind == "features":
        if own_kernel is None and name not in FEATURE_MAPS:
            text = f"{name} is no map of features; allowed: {', '.join(FEATURE_MAPS)}"
        elif own_kernel is None and not _has_features_of_noise(name):
            text = f"{name} has no features of vectors without positive entries"
    elif not attention_map.features:
        if kernel.kind == "row":
            text = f"{name} needs whole rows; allowed: kernels of the score, and feature maps"
        elif not _has_signed_weights(kernel):
            text = f"{name} has no weights of negative scores, and scores in noise have either sign"
    if text:
        return ("kernel",), text
    return _fault_of_count(attention_map, kernel.kind == "features")


def _fault_of_count(attention_map: Map, is_of_features: bool) -> Fault:
    """What is wrong with whether a map says how many features it has; "" if nothing is."""
    name = attention_map.kernel
    if is_of_features and not attention_map.features:
        return (), f"{name} needs `features`, how many"
    if attention_map.features and not is_of_features:
        return ("features",), f"{name} is no map of features; allowed: none of `features`"
    return (), ""


def _kernel(name: str, own: OwnKernel | None) -> Kernel:
    """The kernel of a name: the user's own, or else the built-in one; ValueError if there is
    none."""
    if own is None:
        return kernel_named(name)
    # What evaluates formulas takes its time to load.
    from ....settings.kernel_values import own_kernel

    return own_kernel(name, own)


def _has_signed_weights(kernel: Kernel) -> bool:
    """Whether a kernel has weights of scores of either sign, as noisy tokens have."""
    scores = np.array([-2.5, -1.0, -0.3, 0.4, 1.0, 2.5])
    inputs = KernelInputs(scores, None, None, multiplicities=np.ones(len(scores)), n=100, d=8)
    weigh = kernel.signed or kernel.weigh
    with np.errstate(all="ignore"):
        try:
            weights = weigh(inputs)
        except ArithmeticError:
            return False
        if kernel.logarithmic and kernel.signed is None:
            weights = np.exp(weights)
        return bool(np.isfinite(weights).all())


def _has_features_of_noise(name: str) -> bool:
    """Whether a built-in map of features has them of any vector: noise has every sign."""
    with np.errstate(all="ignore"):
        return not np.isnan(FEATURE_MAPS[name](np.array([-1.0, -0.5]))).any()
