"""Where kernels are looked at: a layer, the sizes of its data, a threshold and a temperature."""

import math
from dataclasses import dataclass, fields, replace
from typing import Any

from attention_separation.any_attention.exact.layers import Layer
from attention_separation.api.comparing import Given
from attention_separation.api.problem import AttentionX, Model, Theta, data_of, layer_of
from attention_separation.api.separating import Separation, separate
from attention_separation.api.temperature import at_temperature
from attention_separation.attention.threshold_curves import LARGEST_N
from attention_separation.datasets.dataset import FixedData


@dataclass(frozen=True)
class Setting:
    """Parameters of `separate`, with its defaults but for n, and the temperature T that divides all
    scores."""

    model: Model = "self_attention"
    attention_x: AttentionX = "identity"
    n: int = 2_000
    d: int | None = None
    m: int | None = None
    a1: float = 1.2
    b: float = 0.2
    c: float = 0.8
    theta: Theta = "best"
    temperature: float = 1.0

    @property
    def layer(self) -> Layer:
        """The layer; ValueError if there is none."""
        return layer_of(self.model, self.attention_x)

    @property
    def data(self) -> FixedData:
        """The sizes of the data, checked: ValueError if one is out of range."""
        asked = {"b": None, "c": None} | self._asked()
        entries = FixedData.a0, self.a1, asked["b"], asked["c"]
        return data_of(self.layer, self.d, self.m, *entries)

    def of(self, kernel: Given) -> Separation:
        """What a kernel's network alone can do here, as `separate` says; it raises what that
        raises."""
        asked = {name: x for name, x in self._asked().items() if name != "temperature"}
        return separate(at_temperature(kernel, self.temperature), **asked)

    def _asked(self) -> dict[str, Any]:
        """All but b and c in cross-attention, whose tokens have neither."""
        without = ("b", "c") if self.model == "cross_attention" else ()
        return {
            each.name: getattr(self, each.name) for each in fields(self) if each.name not in without
        }

    def stacking(self) -> "Setting":
        """The same with the multiple of K that is nearest to n."""
        return replace(self, n=nearest_multiple(self.n, self.data.classes))

    def with_value(self, parameter: str, value: float) -> "Setting":
        """The same with another value of a parameter, and the nearest n that stacks."""
        return replace(self, **{parameter: value}).stacking()

    def written(self, *without: str) -> dict[str, Any]:
        """What must be said of it: n, and what is not the default."""
        asked = self._asked()
        return {
            each.name: asked[each.name]
            for each in fields(self)
            if each.name in asked.keys() - without
            and (each.name == "n" or asked[each.name] != each.default)
        }


def nearest_multiple(n: float, classes: int) -> int:
    """The multiple of K nearest to n from 2 to 10^12; of two, the larger."""
    least, most = math.ceil(2 / classes), LARGEST_N // classes
    return classes * min(max(math.floor(n / classes + 0.5), least), most)
