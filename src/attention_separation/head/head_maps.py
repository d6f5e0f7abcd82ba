"""What people have of heads: maps of scores or weights, a row for each query, layer by layer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .arrays import as_array

AXES = ("layer", "sequence", "head")
"""Leading axes of scores, read from the right; of a list the first is of layers."""

MOST_KEYS = 2**24
"""More would take gigabytes for one row."""

EAGER = 'allowed: those of a model loaded with attn_implementation="eager"'


@dataclass(frozen=True)
class HeadMaps:
    """Maps of heads, queries by keys.

    Attributes
    ----------
    layers : an array or a tensor for each layer, or a single one, each (..., queries, keys); of a
        tensor one head at a time becomes an array
    has_layers : whether `layers` is an axis of its own
    exists : (queries, keys) whether a key was there when its query was computed, where not all were
    first_position : which of the keys the first query is itself; the last query is the last key if
        not given
    """

    layers: Sequence[Any]
    has_layers: bool
    exists: np.ndarray | None = None
    first_position: int | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Of all axes, that of layers first if there is one."""
        shape = tuple(self.layers[0].shape)
        return (len(self.layers), *shape) if self.has_layers else shape

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the axes before queries and keys."""
        count = len(self.shape) - 2
        if self.has_layers:
            return ("layer", *_last_axes(count - 1))
        return _last_axes(count)

    @property
    def queries(self) -> int:
        return self.shape[-2]

    @property
    def keys(self) -> int:
        return self.shape[-1]

    @property
    def positions(self) -> np.ndarray:
        """Which of the keys each query is itself, (queries,)."""
        first = self.keys - self.queries if self.first_position is None else self.first_position
        return first + np.arange(self.queries)

    def places(self) -> Iterator[tuple[int, ...]]:
        """The index of each head, an integer for each of `axes`."""
        return iter(np.ndindex(*self.shape[:-2]))

    def of_head(self, place: tuple[int, ...]) -> np.ndarray:
        """The map of a head, (queries, keys)."""
        if self.has_layers:
            layer, *others = place
            return as_array("scores", self.layers[layer][tuple(others)])
        return as_array("scores", self.layers[0][place])


def _last_axes(count: int) -> tuple[str, ...]:
    """The last so many of AXES."""
    return AXES[len(AXES) - count :]


def head_maps(scores: Any) -> HeadMaps:
    """Returns the maps of an array, of a row, of a list of layers, or of the steps in which a model
    generated its tokens. ValueError if they are none of these."""
    if isinstance(scores, list | tuple):
        _refuse_nothing(scores)
        if all(_is_step(part) for part in scores):
            return _of_steps(scores)
    is_list_of_layers = isinstance(scores, list | tuple) and _ndim(scores[0]) > 1
    parts = scores if is_list_of_layers else [scores]
    layers = [_map(part) for part in parts]
    shapes = sorted({tuple(layer.shape) for layer in layers})
    if len(shapes) > 1:
        raise ValueError(
            f"layers have shapes {shapes}; allowed: one shape, as of one pass of the model over "
            "all its tokens"
        )
    maps = HeadMaps(layers, is_list_of_layers)
    most_axes = len(AXES) - 1 if is_list_of_layers else len(AXES)
    if layers[0].ndim - 2 > most_axes or 0 in maps.shape:
        allowed = ", ".join([*AXES, "queries", "keys"])
        raise ValueError(
            f"scores have shape {maps.shape}; allowed: the last axes of ({allowed}), none empty"
        )
    if maps.keys > MOST_KEYS:
        raise ValueError(f"scores have {maps.keys:,} keys; allowed: up to {MOST_KEYS:,}")
    return maps


def _map(part: Any) -> Any:
    """Returns an array of two axes or more, or a tensor that will be one; ValueError if it is of
    other than real numbers."""
    is_tensor = hasattr(part, "detach")
    if is_tensor and _ndim(part) > 1:
        as_array("scores", part[..., :0])
        return part
    return np.atleast_2d(as_array("scores", part))


def _refuse_nothing(parts: Sequence[Any]) -> None:
    """ValueError where a model's attentions are not there: (), (None, None) or ((), ())."""
    if len(parts) == 0:
        raise ValueError(
            f"scores is an empty {type(parts).__name__}, as models with attention sdpa give; "
            f"{EAGER}"
        )
    for layer, part in enumerate(parts):
        is_empty = isinstance(part, list | tuple) and len(part) == 0
        if part is None or is_empty:
            what = "None" if part is None else "nothing"
            raise ValueError(
                f"scores have {what} for layer {layer}, as models with attention sdpa give and "
                f"layers without attention; {EAGER}, and its layers of attention alone"
            )
        if _is_step(part) or isinstance(part, tuple):
            _refuse_nothing(part)


def _ndim(part: Any) -> int:
    """How many axes a part has; 0 where it is no array."""
    try:
        return np.ndim(part)
    except ValueError:
        return 0


def _is_step(part: Any) -> bool:
    """Whether this is a list of layers, (batch, heads, queries, keys) each, as a model that
    generates gives at each of its steps."""
    if not isinstance(part, list | tuple) or len(part) == 0:
        return False
    return all(getattr(layer, "ndim", 0) == 4 for layer in part)


def _of_steps(steps: Sequence[Sequence[Any]]) -> HeadMaps:
    """Returns the maps of all steps, their queries after each other."""
    numbers_of_layers = sorted({len(step) for step in steps})
    if len(numbers_of_layers) > 1:
        raise ValueError(f"steps have {numbers_of_layers} layers; allowed: one number of them")
    layers = []
    exists = None
    for layer in range(numbers_of_layers[0]):
        arrays = [as_array("scores", step[layer]) for step in steps]
        whole, exists_in_layer = _joined(arrays)
        layers.append(whole)
        # A key that one layer has forgotten has weight 0 there.
        exists = exists_in_layer if exists is None else exists | exists_in_layer
    return HeadMaps(layers, True, exists, first_position=0)


def _joined(steps: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Returns the map of one layer's steps, and which of its keys were there.

    Where the first step has as many keys as queries, a step's keys are the last of the tokens so
    far: all, or those of a window. Else all steps have the same keys: those of another sequence,
    or of a cache that was made as long as it will be.
    """
    shapes = [step.shape for step in steps]
    heads = {shape[:2] for shape in shapes}
    numbers_of_keys = {shape[3] for shape in shapes}
    tokens = np.cumsum([shape[2] for shape in shapes])
    is_growing = shapes[0][2] == shapes[0][3]
    is_known = is_growing or len(numbers_of_keys) == 1
    is_ahead = is_growing and any(n < shape[3] for n, shape in zip(tokens, shapes, strict=True))
    if len(heads) > 1 or not is_known or is_ahead:
        raise ValueError(
            f"steps have shapes {sorted(set(shapes))}; allowed: (batch, heads, queries, keys) of "
            "one batch, each step's keys those so far, or one pass of the model over all its tokens"
        )
    queries = int(tokens[-1])
    keys = queries if is_growing else shapes[0][3]
    whole = np.zeros((*shapes[0][:2], queries, keys))
    exists = np.zeros((queries, keys), bool)
    for stop, step in zip(tokens, steps, strict=True):
        rows = slice(stop - step.shape[2], stop)
        last_key = stop if is_growing else keys
        columns = slice(last_key - step.shape[3], last_key)
        whole[:, :, rows, columns] = step
        exists[rows, columns] = True
    return whole, exists
