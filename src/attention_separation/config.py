"""The configuration: config.yaml, the files of its sections and overrides, checked as a whole
before anything runs."""

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from .messages.words import short_repr, suggestion
from .results.declaration import Study
from .settings.faults import (
    ConfigError,
    Fault,
    Place,
    dotted,
    faults_of,
    shortened,
    unencodable_values,
)
from .settings.kernel_section import PythonKernel
from .settings.section_files import WrittenSettings, read_settings
from .settings.shared_faults import told_once
from .settings.strict_model import Jobs, Seed, StrictModel
from .settings.yaml_file import check_extent, check_mapping, parse_yaml
from .studies.any_attention.settings import AnyAttentionSection, section_faults
from .studies.any_attention.study import AnyAttention
from .studies.head_rank.settings.section import HeadRankSection
from .studies.head_rank.study import HeadRank
from .studies.lemmas.settings import LemmasSection
from .studies.lemmas.study import Lemmas
from .studies.needle.settings.section import NeedleSection
from .studies.needle.settings.section import section_faults as needle_faults
from .studies.needle.study import Needle
from .studies.open_choices.settings import OpenChoicesSection
from .studies.open_choices.study import OpenChoices
from .studies.recall.settings.section import RecallSection
from .studies.recall.study import RecallStudy
from .studies.softmax_vs_linear.settings.run_panels import RunPanels
from .studies.softmax_vs_linear.settings.section import (
    SoftmaxVsLinearSection,
    filled_contests,
    said_once,
    spelled_out,
)
from .studies.softmax_vs_linear.study import SoftmaxVsLinear, folder_of_scale

FIRST_PAPER = SoftmaxVsLinear.name
"""The study whose settings overrides may name without its section."""

MOVED = {
    ("claims",): "lemmas",
    ("phase",): "open_choices.phase",
    ("scales", "*", "audited"): "open_choices.scales.*.audited, and lemmas.scales.*.sizes",
    ("scales", "*", "claims"): "lemmas.scales.*.claims",
}
"""Old settings of the first paper's section, * for a scale's name, and what they are called now."""

TEXTS = ("title", "notes")
"""Settings that are text even where they look like numbers."""


class Config(StrictModel):
    """All settings."""

    seed: Annotated[Seed, Field(le=10**18)] = Field(
        description="root of all random streams; another seed, other draws"
    )
    jobs: Jobs = Field(description="how work is cut into jobs; no result depends on it")
    softmax_vs_linear: SoftmaxVsLinearSection = Field(
        description="the first paper: softmax against linear attention"
    )
    lemmas: LemmasSection = Field(description="the first paper's lemmas and theorems, evaluated")
    open_choices: OpenChoicesSection = Field(
        description="what the first paper leaves open, and how far that moves its figures"
    )
    any_attention: AnyAttentionSection = Field(
        description="any attention kernel on the first paper's data"
    )
    head_rank: HeadRankSection = Field(description="the second paper: the rank of attention heads")
    needle: NeedleSection = Field(
        description="one token among n with noise on all of them: what one query can tell"
    )
    recall: RecallSection = Field(
        description="n pairs of a key and a value, one of the keys again: how many a layer holds"
    )

    def studies(self) -> dict[str, Study]:
        """Every study of the configuration, by name."""
        panels = RunPanels(self.softmax_vs_linear, self.seed)
        scale = self.softmax_vs_linear.scale
        folder = folder_of_scale(scale)
        lemmas = Lemmas(self.lemmas, folder, scale)
        open_choices = OpenChoices(self.open_choices, panels, folder)
        studies: list[Study] = [
            SoftmaxVsLinear(panels, self.jobs, [lemmas, open_choices]),
            lemmas,
            open_choices,
            AnyAttention(self.any_attention, self.seed, folder, scale),
            HeadRank(self.head_rank, self.seed, self.jobs),
            Needle(self.needle, self.seed, self.jobs, self.any_attention.kernels),
            RecallStudy(self.recall, self.seed),
        ]
        return {study.name: study for study in studies}


IN_CONFIG_YAML = ("seed", "jobs", FIRST_PAPER)
"""Settings that stand in config.yaml."""

WITH_FILES = [name for name in Config.model_fields if name not in IN_CONFIG_YAML]
"""Sections that stand in files of their own, unless config.yaml has them."""


def load_config(
    path: Path,
    overrides: dict[str, Any] | None = None,
    origin: str = "--config",
    tries_functions: bool = True,
) -> Config:
    """Read config.yaml and the files of its sections, let the overrides beat them, and check
    everything.

    `origin` says, before the path of a fault in them, where the overrides come from. A user's
    kernels that are Python functions are tried, in a process of their own, where `tries_functions`:
    that runs the code of their modules.

    Raises
    ------
    ConfigError
        Listing every fault, by file, with its path, the value that stands there and what is
        allowed.
    """
    return checked_config(read_config(path), overrides or {}, origin, tries_functions)


def checked_config(
    written: WrittenSettings,
    overrides: dict[str, Any],
    origin: str = "--config",
    tries_functions: bool = True,
) -> Config:
    """The configuration that written settings are, where overrides beat them; arguments and errors
    as of `load_config`."""
    check_mapping(overrides, origin.rstrip(":"))
    for key, value in overrides.items():
        check_extent(value, dotted((key,)), origin.rstrip(":"))
    overrides = _typed(overrides)
    overrides_by_section = _in_sections(overrides)
    values = _merged(written.values, overrides_by_section)
    faults = unencodable_values(values)
    if not faults:
        values = _with_own_kernels(values)
        whole = _with_whole_maps(values)
        try:
            config = Config.model_validate(whole)
        except ValidationError as error:
            faults = _said_where_written(faults_of(error), values, whole)
            faults = shortened([(place, _moved(place) or text) for place, text in faults])
        else:
            faults = _faults_between(config, tries_functions)
    if faults:
        faults = told_once(faults, written.nodes, overrides_by_section)
        lines_by_source: dict[str, list[str]] = {}
        for place, text in faults:
            line = _line(place, text, overrides, origin)
            lines_by_source.setdefault(written.source_of(place), []).append(line)
        raise ConfigError(lines_by_source)
    return config


def read_config(path: Path) -> WrittenSettings:
    """What config.yaml and the files of its sections say; ConfigError as of `read_settings`."""
    return read_settings(path, WITH_FILES)


def overrides_of(texts: list[str]) -> dict[str, Any]:
    """Overrides from texts KEY=VALUE, values in YAML, as after Snakemake's --config; ConfigError if
    a text has no =, or its value is no YAML."""
    overrides = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise ConfigError({"--config": [f"{short_repr(text)} is no KEY=VALUE"]})
        overrides[key] = parse_yaml(value, key)
    return overrides


def _faults_between(config: Config, tries_functions: bool) -> list[Fault]:
    """Faults between settings each of which is valid; else of a user's kernels, which are tried:
    that takes its time."""
    section = config.any_attention
    faults_of_kernels = section_faults(section)
    tried_kernels = {
        name: kernel
        for name, kernel in section.kernels.items()
        if tries_functions or not isinstance(kernel, PythonKernel)
    }
    if tried_kernels and not faults_of_kernels:
        from .studies.any_attention.own_kernel_faults import own_kernel_faults

        faults_of_kernels = own_kernel_faults(tried_kernels, section.data, section.sizes)
    faults_of_needle = needle_faults(config.needle, section.kernels)
    faults = _below(Needle.name, faults_of_needle) + _below(AnyAttention.name, faults_of_kernels)
    scales = list(config.softmax_vs_linear.scales)
    for study in (AnyAttention.name, Lemmas.name, OpenChoices.name):
        for name in getattr(config, study).scales:
            if name not in scales:
                text = f"is no scale of {FIRST_PAPER}; {suggestion(name, scales)}"
                faults.append(((study, "scales", name), text))
    return faults


def _with_own_kernels(values: dict[str, Any]) -> dict[str, Any]:
    """The values, where each contest is filled with those of the user's own kernels that it names,
    so that its results depend on these and on no others."""
    section = values.get(AnyAttention.name)
    kernels = section.get("kernels") if isinstance(section, dict) else None
    if not isinstance(kernels, dict) or not kernels:
        return values
    filled = {
        name: filled_contests(values[name], kernels)
        for name in (FIRST_PAPER, OpenChoices.name)
        if name in values
    }
    return values | filled


def _models_and_maps(values: dict[str, Any]) -> dict[str, Any]:
    """What the first paper's section says of models, and the maps that take from it."""
    sections = {"models": values.get(FIRST_PAPER), "phase": values.get(OpenChoices.name)}
    return {key: section.get(key) for key, section in sections.items() if isinstance(section, dict)}


def _with_whole_maps(values: dict[str, Any]) -> dict[str, Any]:
    """The values, where each map is filled with all that it takes from its model."""
    section = values.get(OpenChoices.name)
    if not isinstance(section, dict) or "phase" not in section:
        return values
    maps = spelled_out(_models_and_maps(values))["phase"]
    return values | {OpenChoices.name: section | {"phase": maps}}


def _said_where_written(
    faults: list[Fault], values: dict[str, Any], whole: dict[str, Any]
) -> list[Fault]:
    """The faults, less those of maps that only repeat a fault of the map's model."""
    place_of_maps = (OpenChoices.name, "phase")
    of_models: list[Fault] = []
    of_maps: list[Fault] = []
    for path, text in faults:
        if path[:2] == place_of_maps:
            of_maps.append((path[1:], text))
        elif path == (FIRST_PAPER,):
            # What is no section has no models either.
            of_models.append((("models",), text))
        elif path[:2] == (FIRST_PAPER, "models"):
            of_models.append((path[1:], text))
    parts = [_models_and_maps(whichever) for whichever in (values, whole)]
    faults_to_say = said_once(of_models + of_maps, *parts)
    return [
        (path, text)
        for path, text in faults
        if path[:2] != place_of_maps or (path[1:], text) in faults_to_say
    ]


def _moved(place: Place) -> str:
    """The sentence on an old setting that has moved; "" for a place that is none."""
    section, *path = place or ("",)
    pattern = (path[0], "*", path[2]) if len(path) == 3 else tuple(path)
    if section != FIRST_PAPER or pattern not in MOVED:
        return ""
    return f"has another place now: {MOVED[pattern]}".replace("*", str(path[1:2] and path[1]))


def _below(section: str, faults: Iterable[Fault]) -> list[Fault]:
    """The faults of a section, with their paths in the whole configuration."""
    return [((section, *place), text) for place, text in faults]


def _in_sections(overrides: dict[str, Any]) -> dict[str, Any]:
    """The overrides, where keys that are no section, nor look like one, are moved into the first
    study's section."""
    names = [*Config.model_fields, *SoftmaxVsLinearSection.model_fields]
    of_sections = {}
    of_first_study = {}
    for key, value in overrides.items():
        nearest = difflib.get_close_matches(str(key), names, n=1)
        if nearest and nearest[0] in Config.model_fields:
            of_sections[key] = value
        else:
            of_first_study[key] = value
    if not of_first_study:
        return of_sections
    return _merged(of_sections, {FIRST_PAPER: of_first_study})


def _line(path: Place, text: str, overrides: dict[str, Any], origin: str) -> str:
    """The line on a fault, with its path as it was written, which for an override is the
    override's."""
    if path[:1] == (FIRST_PAPER,) and path[1:2] and path[1] in overrides:
        path = path[1:]
    line = f"{dotted(path)}: {text}"
    return f"{origin} {line}" if path and path[0] in overrides else line


def _merged(base: Any, over: Any) -> Any:
    """Two values merged: mappings key by key, anything else replaced. null is a value, and removes
    nothing."""
    if not (isinstance(base, dict) and isinstance(over, dict)):
        return over
    return base | {key: _merged(base.get(key), value) for key, value in over.items()}


def _typed(value: Any, key: str = "") -> Any:
    """A value of an override, where texts within lists and mappings are read as numbers and null:
    the command line hands these over as text."""
    if isinstance(value, dict):
        return {key: _typed(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [_typed(inner, key) for inner in value]
    if not isinstance(value, str) or key in TEXTS:
        return value
    try:
        number_or_null = parse_yaml(value, "")
    except ConfigError:
        return value
    is_text = not (number_or_null is None or isinstance(number_or_null, int | float))
    return value if is_text else number_or_null
