"""Generated faults: one at a random place of config.yaml, with what its message must name."""

import copy
import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import yaml
from hypothesis import strategies as st
from project import small_config

from attention_separation.settings.faults import ConfigError, dotted
from attention_separation.settings.yaml_file import parse_yaml

FIRST = "softmax_vs_linear"
OPEN = {
    *((FIRST, section) for section in ("scales", "figures", "panels")),
    ("lemmas", "scales"),
    ("open_choices", "scales"),
    ("open_choices", "phase"),
    ("any_attention", "kernels"),
    ("head_rank", "scales"),
    ("needle", "scales"),
    ("recall", "scales"),
    ("recall", "scales", "smoke", "layers"),
    *(("needle", "scales", "smoke", "training", part) for part in ("maps", "grids")),
}
"""Sections whose keys the user chooses."""

SMALLER_AT_SCALES = ("lemmas", "open_choices", "any_attention")
"""Sections that say what is smaller at scales of the first paper."""

OPTIONAL = {
    "reconstructed", "notes", "at_least", "points", "slices", "encodings", "regimes", "matched",
    "schedules", "additive", "also",
    "contest", "kernels", "training", "divided_by", "features", "standardise", "control",
    "batches", "shares", "warm_start", "warm_up", "only", "collapse", "memory", "variants",
    "crossing", "dimension", "stop_after", "one_start", "kernel", "beta", "least_squares", "decay",
    "window",
}  # fmt: skip
"""Keys that may be left out wherever they stand."""

ODD = [
    "", " ", "~", ": ", "a.b", "a: b", "- x", "#", "&a", "*a", "!!int", "{", "%", "@", "`", '"',
    "'", "\ud800", "\t", "a\nb", "\x07", "\xa0", "\u2028", "\ufeff", "é", "𝑎", "\\", "../x",
    "x" * 200, "$(x)", "null", "yes", "1e3", ".nan",
]  # fmt: skip
JUNK = [
    float("nan"), float("inf"), -float("inf"), True, [], [[1]], {"jumble": {"x": [1]}}, ["x"] * 50,
    [{"x": None}], b"bytes", [None],
]  # fmt: skip
EXTREME = [
    0, -1, 1, 2, 3, 0.5, -0.0, 1e-300, 1e300, 5e-324, 10**6, 10**9, 10**12, 10**13, 10**30,
    10**4000,
]  # fmt: skip
RANGES = [
    {"step": 0}, {"step": -1}, {"step": float("nan")}, {"step": "x"}, {"step": None},
    {"to": 1e12, "step": 1}, {"to": 1e300, "step": 1e-300}, {"from": 9e9}, {"to": float("inf")},
    {"to": -1e9}, {"step": 5e-324}, {"from": None}, {"from": [1]},
]  # fmt: skip


@dataclass(frozen=True, repr=False)
class Fault:
    """A configuration with a fault, and which lines of a message are about it."""

    what: str
    path: tuple
    values: dict
    overrides: dict | None
    sure: bool
    """Whether it must be refused; else it can be harmless."""
    demanded: tuple[str, ...]
    """Beginnings of lines, one of which must be there; a line is a path, then a sentence."""
    allowed: tuple[str, ...]
    """Beginnings that every line must have one of: nothing sound may be blamed."""

    def __repr__(self) -> str:
        where = "override" if self.overrides else "file"
        return f"<{self.what}, {where}, {self.path!r}: {self.value!r:.200}>"

    @property
    def value(self) -> Any:
        """What stands at the path, if anything does."""
        try:
            return at(self.overrides or self.values, self.path)
        except (LookupError, TypeError):
            return "nothing"

    @property
    def is_no_yaml(self) -> bool:
        """Whether the file holds half of a surrogate pair, which YAML itself refuses by line."""
        return r"\U0000d800" in as_yaml(self.values)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Short where hypothesis shows an example."""
        printer.text(repr(self))


def small() -> dict:
    """A configuration with few panels, maps and points, for speed; every kind is left."""
    whole = yaml.safe_load(small_config())
    first = whole[FIRST]
    of_figure = {"model": "regression", "trials": 1000, "fixed": {"delta": 0.01}}
    first["figures"]["fig3"] |= of_figure
    first["panels"]["fig7b"]["contest"] = {"fires": "exp", "silent": ["linear", "power_2"]}
    for study in ("head_rank", "needle", "recall"):
        whole[study] |= {"scale": "smoke", "scales": {"smoke": whole[study]["scales"]["smoke"]}}
    return whole


SMALL = small()
SAID_BY_A_FIGURE = {(FIRST, "panels", name) for name in SMALL[FIRST]["figures"]["fig3"]["panels"]}
"""Panels whose figure says their model, trials and more."""


def at(values: Any, path: tuple) -> Any:
    """What stands at a path."""
    for key in path:
        values = values[key]
    return values


def paths(value: Any, path: tuple = ()) -> list[tuple]:
    """The paths of all that a value holds."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, entry in inner:
        found.append((*path, key))
        if isinstance(entry, dict | list):
            found += paths(entry, (*path, key))
    return found


def _depth(path: tuple) -> int:
    """Keys of an entry of a section."""
    return 3 if path[:1] == (FIRST,) else 2


PATHS = paths(SMALL)
LEAVES = [path for path in PATHS if not isinstance(at(SMALL, path), dict | list)]
MAPS = [path for path in [(), *PATHS] if isinstance(at(SMALL, path), dict)]
CONTAINERS = [path for path in PATHS if isinstance(at(SMALL, path), dict | list)]
SECTIONS = [p for p in MAPS if len(p) <= _depth(p) and len(at(SMALL, p)) > 1]
"""Sections and entries of them that hold two things or more."""

GRIDS = [path for path in PATHS if path[-2:-1] == ("sweep",)]
KEYS = [path for path in PATHS if isinstance(path[-1], str)]


def about(path: tuple) -> tuple[str, ...]:
    """Beginnings of lines about what stands at a path, or inside it."""
    return tuple(dotted(path) + end for end in (": ", ".", "["))


def nearby(path: tuple) -> tuple[str, ...]:
    """Beginnings of lines about a path's section and entry, or about what depends on it."""
    found = about(path[: _depth(path)]) + tuple(
        dotted(path[:k]) + ": " for k in range(1, len(path))
    )
    match path:
        case (_, "models", *_):
            found += (f"{FIRST}.panels.", "open_choices.phase.")
        case ("needle", "data", *_):
            found += ("needle.another_x.sizes",)
        case ("any_attention", "data", *_):
            found += ("any_attention.sizes", "any_attention.simulated.")
        case (_, "panels", *rest) if len(rest) < 2:
            found += (f"{FIRST}.figures.",)
        case (*above, "scales") | (*above, "scales", _):
            found += (dotted((*above, "scale")) + ": ",)
    return found


def _list_of(path: tuple) -> tuple[str, ...]:
    """A list is named for its items where each of them alone is sound."""
    return (dotted(path[:-1]) + ": ",) if path and isinstance(path[-1], int) else ()


def changed(path: tuple, change: Callable[[Any], None]) -> dict:
    """The values with the mapping or list that holds a path's end changed."""
    values = copy.deepcopy(SMALL)
    change(at(values, path[:-1]))
    return values


def _nested(path: tuple, value: Any) -> dict:
    for key in reversed(path):
        value = {key: value}
    return value


def replaced(what: str, path: tuple, value: Any, sure: bool, over: bool, exact=None) -> Fault:
    """A fault: a value in another's place, in the file or by an override."""
    over = over and all(isinstance(key, str) for key in path)

    def put(inner: Any) -> None:
        inner[path[-1]] = value

    return Fault(
        what,
        path,
        SMALL if over else changed(path, put),
        _nested(path, value) if over else None,
        sure,
        exact or (about(path) + _list_of(path) if sure else nearby(path)),
        nearby(path),
    )


def _reads_as_number(value: Any) -> bool:
    """Whether an override's text stands for a number or null, as the command line needs it."""
    try:
        read = parse_yaml(value, "text") if isinstance(value, str) else value
    except ConfigError:
        return False
    return read is None or isinstance(read, int | float)


@st.composite
def junk(draw, over: bool = False) -> Fault:
    """A value of another type, NaN or infinity; nested junk; odd text where numbers or text are."""
    path = draw(st.sampled_from(LEAVES))
    takes_text = isinstance(at(SMALL, path), str | int | float)
    odd = st.sampled_from(ODD) | st.text(max_size=5)
    value = draw(st.sampled_from(JUNK) | odd if takes_text else st.sampled_from(JUNK))
    free = (path[-1] == "title" or "notes" in path) and (over or isinstance(value, str))
    return replaced("junk", path, value, not free and not (over and _reads_as_number(value)), over)


@st.composite
def extreme(draw, over: bool = False) -> Fault:
    """A number out of range, or one that breaks something else."""
    numbers = [path for path in LEAVES if isinstance(at(SMALL, path), int | float)]
    path = draw(st.sampled_from(numbers))
    value = draw(st.sampled_from(EXTREME) | st.integers() | st.floats(allow_nan=False))
    return replaced("extreme", path, value, False, over)


@st.composite
def other_container(draw, over: bool = False) -> Fault:
    """A list instead of a mapping or the other way round, empty, null or a scalar."""
    path = draw(st.sampled_from(CONTAINERS))
    before = at(SMALL, path)
    empty = draw(st.booleans()) and not over  # an override of nothing changes nothing
    if empty:
        return replaced("empty", path, type(before)(), False, over)
    other = [[], ["x"], [before]] if isinstance(before, dict) else [{}, {"x": 1}]
    value = draw(st.sampled_from([*other, 3, "text", True, float("nan")]))
    harmless = path[-1] == "m" and value == 3
    return replaced("other container", path, value, not harmless, over)


@st.composite
def null(draw, over: bool = False) -> Fault:
    """Null, which some keys allow."""
    path = draw(st.sampled_from(PATHS))
    return replaced("null", path, None, False, over)


@st.composite
def unknown_key(draw, over: bool = False) -> Fault:
    """A key that is none, in any mapping; in an open one, an entry without sense."""
    parent = draw(st.sampled_from(MAPS))
    key = draw(st.sampled_from(["colour", "a b", *ODD]) | st.text(max_size=5))
    path = (*parent, key)
    value = draw(st.sampled_from([3, None, {}, [], {"x": {}}, "text"]))
    if parent and key in at(SMALL, parent):
        path = (*parent, "colour")
    harmless = parent == (FIRST, "scales") and value == {}
    if parent in OPEN:
        return replaced("unknown entry", path, value, not harmless, over)
    # `<<` and empty names of a column rule are keys like any other.
    exact = (dotted(path) + ": ",)
    return replaced("unknown key", path, value, True, over, exact)


@st.composite
def misspelt(draw, over: bool = False) -> Fault:
    """A key under a name that is nearly its own."""
    del over  # an override takes no key away
    path = draw(st.sampled_from([p for p in KEYS if p[:-1] not in OPEN]))
    name = draw(st.sampled_from([path[-1] + "x", path[-1].upper() + "_", "_" + path[-1]]))

    def rename(inner: dict) -> None:
        inner[name] = inner.pop(path[-1])

    wrong = (*path[:-1], name)
    values = changed(path, rename)
    # Without its model a panel has no known keys, unless its figure says the model.
    missed = path[-1] == "model" and path[:3] not in SAID_BY_A_FIGURE
    exact = (dotted(path if missed else wrong) + ": ",)
    return Fault(
        "misspelt", wrong, values, None, True, exact, nearby(wrong) + nearby(path) + about(path)
    )


def without(path: tuple) -> Fault:
    """The key that ends a path taken away."""

    def remove(inner: dict) -> None:
        del inner[path[-1]]

    key = path[-1]
    optional = (
        key in OPTIONAL
        or "also" in path
        or path == ("any_attention", "figures")
        # What is smaller at a scale need not be said.
        or (path[0] in SMALLER_AT_SCALES and path[1:2] == ("scales",))
        or path in {(FIRST, "trials"), ("lemmas", "theta"), ("lemmas", "tau")}
        or path[:-1] in OPEN
        or (path[:2] == (FIRST, "scales") and len(path) > 3)
        or (path[:2] == (FIRST, "models") and len(path) > 3)
        or key == "fixed"
        or (path[:3] in SAID_BY_A_FIGURE and key in ("model", "trials"))
        or (path[:2] == (FIRST, "figures") and key not in ("title", "panels"))
        or (
            path[0] == FIRST
            and path[-2:-1] == ("fixed",)
            and key in SMALL[FIRST]["models"][at(SMALL, path[:3])["model"]]
        )
    )
    # Without its only swept parameter a panel lacks it in two ways.
    above = (dotted(path[:-1]) + ": ",) if path in GRIDS else ()
    demanded = (dotted(path) + ": ", *above)
    if optional:
        demanded = nearby(path)
    if path[:-1] == (FIRST, "scales"):
        # What is smaller at a scale is so at one of the first paper.
        elsewhere = tuple(dotted((name, "scales", key)) + ": " for name in SMALLER_AT_SCALES)
        demanded = (*demanded, *elsewhere)
        allowed = (*nearby(path), *elsewhere)
        return Fault("missing", path, changed(path, remove), None, False, demanded, allowed)
    if "maps" in path and key == "kernel":
        # The grid that uses the map is where it is wanted.
        demanded = (dotted(path[: path.index("maps")]) + ".grids.",)
        return Fault("missing", path, changed(path, remove), None, True, demanded, demanded)
    return Fault("missing", path, changed(path, remove), None, not optional, demanded, nearby(path))


@st.composite
def bad_range(draw, over: bool = False) -> Fault:
    """A range with a step of 0, of the wrong sign or too small, or that goes down or on forever."""
    path = draw(st.sampled_from(GRIDS))
    value = {"from": 100, "to": 200, "step": 10} | draw(st.sampled_from(RANGES))
    # A range laid over another gives the same range.
    return replaced("range", path, value, True, over)


def swaps(parent: tuple) -> Iterator[Fault]:
    """Each two sections, or settings of one entry, in each other's place."""
    for one, two in itertools.combinations(at(SMALL, parent), 2):
        near = nearby((*parent, one)) + nearby((*parent, two))
        swapped = changed((*parent, one), partial(_swap, one=one, two=two))
        yield Fault("swapped", parent, swapped, None, False, near, near)


def _swap(inner: dict, one: Any, two: Any) -> None:
    inner[one], inner[two] = inner[two], inner[one]


KINDS = {
    "junk": junk, "extreme": extreme, "other container": other_container,
    "null": null, "unknown key": unknown_key, "misspelt": misspelt,
    "range": bad_range,
}  # fmt: skip


def as_yaml(values: Any) -> str:
    """Values as YAML of one line: JSON is YAML too, and quick to write, where it can say them."""
    try:
        text = json.dumps(values, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError):
        text = yaml.safe_dump(values, default_flow_style=True, width=10**9, allow_unicode=True)
    return "".join(c if " " <= c <= "~" else f"\\U{ord(c):08x}" for c in text.rstrip())
