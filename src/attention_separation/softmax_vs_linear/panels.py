"""A panel: a model, what is swept and what is held fixed; and the points that this makes."""

import itertools
import math
import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union

from pydantic import AfterValidator, Discriminator, Field, Tag, create_model

from attention_separation.settings import Closed, Count, Whole, grid_of, grid_values, thinned

MODELS = ("regression", "self_attention", "cross_attention")
Engine = Literal["reduced", "dense"]

PACKAGE = __name__.rpartition(".")[0]

OVER_C = re.compile(r"c ?\+ ?(\d+(?:\.\d+)?)")


def trials_module(model: str) -> str:
    """Name of the module with a model's engines."""
    return f"{PACKAGE}.{model}_trials"


class MRule(Closed):
    """m computed from n: round(times * log(n) or log(n/delta)), and at least `at_least`."""

    log_of: Literal["n", "n/delta"] = Field(description="what the logarithm is taken of")
    base: Literal["e", 2, 10] = Field(default="e", description="base of the logarithm")
    times: Annotated[float, Field(gt=0)] = Field(default=1.0, description="factor C")
    round: Literal["floor", "nearest", "ceil"] = Field(description="how m is made whole")
    at_least: Count = Field(default=1, description="smallest m")

    def m(self, n: int, delta: float | None) -> int:
        """The number of sign columns for n tokens."""
        argument = n if self.log_of == "n" else n / delta
        log = {"e": math.log, 2: math.log2, 10: math.log10}[self.base](argument)
        rounding = {"floor": math.floor, "nearest": round, "ceil": math.ceil}[self.round]
        return max(rounding(self.times * log), self.at_least)


def _known_theta(text: str) -> str:
    if not OVER_C.fullmatch(text):
        raise ValueError("allowed: a number, or 'c + NUMBER' such as 'c + 0.1'")
    return text


def _m_kind(value: Any) -> str:
    return "rule" if isinstance(value, dict | MRule) else "number"


def _theta_kind(value: Any) -> str:
    return "text" if isinstance(value, str) else "number"


Size = Annotated[Whole, Field(ge=1)]
Amplitude = Annotated[float, Field(ge=0)]
Positive = Annotated[float, Field(gt=0)]
Probability = Annotated[float, Field(gt=0, lt=1)]
Columns = Annotated[
    Annotated[Count, Tag("number")] | Annotated[MRule, Tag("rule")], Discriminator(_m_kind)
]
Theta = Annotated[
    Annotated[Positive, Tag("number")] | Annotated[str, AfterValidator(_known_theta), Tag("text")],
    Discriminator(_theta_kind),
]


class _Common(Closed):
    n: Size | None = Field(default=None, description="number of tokens (or of entries of Ax)")
    m: Columns | None = Field(default=None, description="sign columns: a number or a rule")
    delta: Probability | None = Field(default=None, description="delta in log(n/delta), for m")
    data: Literal["independent", "same"] | None = Field(
        default=None, description="whether D0 and D1 share their random draws"
    )
    signs: Literal["shared", "fresh"] | None = Field(
        default=None, description="whether the four networks of a trial share y"
    )


class RegressionParameters(_Common):
    """Parameters of the softmax-regression model, Definitions 3.2-3.8."""

    tau: Positive | None = Field(default=None, description="threshold")
    law: Literal["uniform", "two-point", "low", "middle", "high"] | None = Field(
        default=None, description="law of Ax within [log n, 1.4 log n]"
    )


class _AttentionParameters(_Common):
    d: Size | None = Field(default=None, description="embedding dimension")
    a0: Amplitude | None = Field(default=None, description="size of the special entry in D0")
    a1: Amplitude | None = Field(default=None, description="size of the special entry in D1")
    theta: Theta | None = Field(default=None, description="threshold over sqrt(log n)")


class SelfAttentionParameters(_AttentionParameters):
    """Parameters of self-attention, Definition D.1."""

    b: Positive | None = Field(default=None, description="size of the class entries")
    c: Positive | None = Field(default=None, description="size of the last column")
    attention_x: Literal["identity", "ones"] | None = Field(default=None, description="X = Q K^T")


class CrossAttentionParameters(_AttentionParameters):
    """Parameters of cross-attention, Definition F.1."""

    attention_x: Literal["identity"] | None = Field(default=None, description="X = Q K^T")


PARAMETERS: dict[str, type[Closed]] = {
    "regression": RegressionParameters,
    "self_attention": SelfAttentionParameters,
    "cross_attention": CrossAttentionParameters,
}

SWEEPABLE: dict[str, Any] = {
    "n": Size,
    "d": Size,
    "m": Count,
    "a0": Amplitude,
    "a1": Amplitude,
    "b": Positive,
    "c": Positive,
    "delta": Probability,
    "tau": Positive,
    "theta": Positive,
}
"""Parameters that a panel can sweep, with the type of their values."""


def _sweep_model(model: str) -> type[Closed]:
    fields = {
        name: (grid_of(number) | None, Field(default=None, description=f"values of {name}"))
        for name, number in SWEEPABLE.items()
        if name in PARAMETERS[model].model_fields
    }
    return create_model(f"{PARAMETERS[model].__name__}Sweep", __base__=Closed, **fields)


class _Panel(Closed):
    trials: Count = Field(description="trials per point")
    reconstructed: list[str] = Field(
        default=[], description="parameters whose value the paper does not state"
    )

    def swept(self) -> dict[str, Any]:
        """The swept parameters' grids, in the model's order of parameters."""
        return {name: grid for name, grid in self.sweep if grid is not None}

    def held(self) -> dict[str, Any]:
        """The parameters held fixed."""
        return {name: value for name, value in self.fixed if value is not None}


def _panel_model(model: str) -> type[_Panel]:
    return create_model(
        f"{PARAMETERS[model].__name__.removesuffix('Parameters')}Panel",
        __base__=_Panel,
        model=(Literal[model], Field(description="the model")),
        sweep=(_sweep_model(model), Field(description="one or two swept parameters")),
        fixed=(PARAMETERS[model], Field(description="parameters held fixed")),
    )


PANELS: dict[str, type[_Panel]] = {model: _panel_model(model) for model in MODELS}
Panel = Annotated[Union[tuple(PANELS.values())], Field(discriminator="model")]  # noqa: UP007


class PanelJob(Closed):
    """All that one panel's table depends on."""

    name: str
    panel: Panel
    seed: Annotated[int, Field(ge=0)]
    engine: Engine
    points: Count | None = None


class PanelLook(Closed):
    """What a figure shows of a panel beside its table."""

    name: str
    panel: Panel
    reconstructed: list[str]
    notes: list[str]


class FigureJob(Closed):
    """All that a figure depends on beside its panels' tables."""

    title: str
    panels: list[PanelLook]


@dataclass(frozen=True)
class Point:
    """One point of a panel: every parameter with its value; None where the model has none."""

    name: str
    swept: tuple[float, ...]
    n: int
    m: int
    tau: float
    s: float
    data: str
    signs: str
    d: int | None = None
    a0: float | None = None
    a1: float | None = None
    b: float | None = None
    c: float | None = None
    delta: float | None = None
    attention_x: str | None = None
    law: str | None = None

    def a(self, dataset: int) -> float:
        """Size of the special entry in D0 or D1."""
        return self.a1 if dataset else self.a0


def faults(panel: _Panel) -> list[str]:
    """What is wrong between the parameters of a panel: missing, twice there, or of no use."""
    swept, held = panel.swept(), panel.held()
    found = []
    if not 1 <= len(swept) <= 2:
        found.append(f"sweep: {len(swept)} parameters are swept; allowed: one or two")
    for name in swept.keys() & held.keys():
        found.append(f"fixed.{name}: {name} is swept too; remove one of the two")
    known = swept.keys() | held.keys()
    needed = set(PARAMETERS[panel.model].model_fields) - {"delta"}
    found += [
        f"fixed.{name}: missing; hold {name} fixed, or sweep it" for name in sorted(needed - known)
    ]
    rule = held.get("m")
    uses_delta = isinstance(rule, MRule) and rule.log_of == "n/delta"
    if uses_delta and "delta" not in known:
        found.append("fixed.delta: missing; the rule for m takes log(n/delta)")
    if not uses_delta and "delta" in known:
        found.append("fixed.delta: nothing depends on it, for m is not computed from it; remove it")
    for name in panel.reconstructed:
        if name not in PARAMETERS[panel.model].model_fields:
            allowed = ", ".join(PARAMETERS[panel.model].model_fields)
            found.append(f"reconstructed: {name!r} is no parameter; allowed: {allowed}")
    return found


def canonical_number(value: float) -> str:
    """The shortest text that reads back as the number."""
    return repr(value)


def points(panel: _Panel, most: int | None = None) -> list[Point]:
    """The points of a panel in grid order; `most` thins each swept parameter's values."""
    grids = {
        name: [_typed(name, value) for value in thinned(grid_values(grid), most)]
        for name, grid in panel.swept().items()
    }
    held = panel.held()
    return [
        _point(panel.model, dict(zip(grids, values, strict=True)), held)
        for values in itertools.product(*grids.values())
    ]


def _typed(name: str, value: float) -> float:
    return int(value) if name in ("n", "d", "m") else float(value)


def _point(model: str, swept: dict[str, float], held: dict[str, Any]) -> Point:
    values = held | swept
    if isinstance(values["m"], MRule):
        values["m"] = values["m"].m(values["n"], values.get("delta"))
    if model == "regression":
        s = 1.0
    else:
        s = math.sqrt(math.log(values["n"]))
        theta = values.pop("theta")
        if isinstance(theta, str):
            theta = values["c"] + float(OVER_C.fullmatch(theta).group(1))
        values["tau"] = theta * s
    name = ",".join(f"{key}={canonical_number(swept[key])}" for key in sorted(swept))
    return Point(name=name, swept=tuple(float(v) for v in swept.values()), s=s, **values)
