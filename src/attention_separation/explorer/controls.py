"""What the app's controls say, as a question: whatever they say, it can be asked."""

from collections.abc import Mapping
from typing import Any

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.datasets.dataset import FixedData

from .parameters import ONLY_SELF_ATTENTION
from .setting import Setting, nearest_multiple
from .views import Asked


def ask(said: Mapping[str, Any]) -> Asked:
    """The question of controls.

    Parameters
    ----------
    said : layer, by its words; kernel, formula (in the kernel's place, which then stands beside
        it), others; n, which becomes the nearest that stacks; classes; m and theta, 0 for the
        default; a1, b, c and temperature
    """
    (layer,) = (each for each in LAYERS if each.words == said["layer"])
    classes = said["classes"]
    sizes = {name: said[name] for name in ("a1", "b", "c", "temperature")}
    if layer.model != "self_attention":
        sizes = {name: x for name, x in sizes.items() if name not in ONLY_SELF_ATTENTION}
    setting = Setting(
        layer.model, layer.attention_x, nearest_multiple(said["n"], classes),
        None if classes == FixedData.classes else layer.d(classes),
        said["m"] or None, theta=said["theta"] or "best", **sizes,
    )  # fmt: skip
    formula = said["formula"].strip()
    if not formula:
        return Asked(said["kernel"], tuple(said["others"]), setting)
    return Asked(formula, (said["kernel"], *said["others"]), setting)
