"""Panels and points for tests, as config.yaml would make them."""

import json
import shutil
from functools import cache
from pathlib import Path

from attention_separation.config import Config, load_config, read_config
from attention_separation.studies.head_rank.study import HeadRank
from attention_separation.studies.softmax_vs_linear.exact.compute import references
from attention_separation.studies.softmax_vs_linear.models import MODELS
from attention_separation.studies.softmax_vs_linear.models.contest import CONTEST_OF_PAPER, Contest
from attention_separation.studies.softmax_vs_linear.models.model import Point
from attention_separation.studies.softmax_vs_linear.settings.panels import Panel
from attention_separation.studies.softmax_vs_linear.settings.sweeps import PANEL_TYPES, Sweep
from attention_separation.studies.softmax_vs_linear.simulation.simulate import trials_at
from attention_separation.studies.softmax_vs_linear.study import SoftmaxVsLinear

ROOT = Path(__file__).parents[2]


def _of_the_paper(config: Config) -> Config:
    """A configuration without panels of one's own: those that no figure lists."""
    section = config.softmax_vs_linear
    listed = {name for figure in section.figures.values() for name in figure.panels}
    panels = {name: own for name, own in section.panels.items() if name in listed}
    section = section.model_copy(update={"panels": panels})
    return config.model_copy(update={"softmax_vs_linear": section})


CONFIG = _of_the_paper(load_config(ROOT / "config.yaml"))
SECTION = CONFIG.softmax_vs_linear
STUDIES = CONFIG.studies()
STUDY = STUDIES["softmax_vs_linear"]
LEMMAS = STUDIES["lemmas"]
CHOICES = STUDIES["open_choices"]


def changed_study(**changes) -> SoftmaxVsLinear:
    """The first study with other settings in its section."""
    section = SECTION.model_copy(update=changes)
    study = CONFIG.model_copy(update={"softmax_vs_linear": section}).studies()["softmax_vs_linear"]
    assert isinstance(study, SoftmaxVsLinear)
    return study


def head_rank(**changes) -> HeadRank:
    """The second study with other settings in its section."""
    return HeadRank(CONFIG.head_rank.model_copy(update=changes), CONFIG.seed, CONFIG.jobs)


def study_of(path: Path, overrides: dict | None = None) -> SoftmaxVsLinear:
    """The first study of another configuration."""
    return load_config(path, overrides).studies()["softmax_vs_linear"]


@cache
def _text_of_values() -> str:
    return json.dumps(read_config(ROOT / "config.yaml").values)


def values() -> dict:
    """The values of config.yaml and of the files of config/, no two of them one object."""
    return json.loads(_text_of_values())


def settings_text() -> str:
    """config.yaml and the files of config/ as one text: a config.yaml that has every section."""
    paths = [ROOT / "config.yaml", *sorted((ROOT / "config").glob("*.yaml"))]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def with_config(folder: Path, text: str) -> Path:
    """A config.yaml of this text in a folder that has the project's config/ too."""
    shutil.copytree(ROOT / "config", folder / "config", dirs_exist_ok=True)
    path = folder / "config.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def spelled_out() -> dict:
    """The same with every panel saying itself what it takes from its figure."""
    whole = values()
    found = whole["softmax_vs_linear"]
    for figure in found["figures"].values():
        model, trials, fixed, marked = (
            figure.pop(key, empty)
            for key, empty in (("model", ""), ("trials", 0), ("fixed", {}), ("reconstructed", []))
        )
        for name in figure["panels"]:
            own = found["panels"][name]
            held = {k: v for k, v in fixed.items() if k not in own["sweep"]} | own.get("fixed", {})
            if not isinstance(held.get("m"), dict):
                held.pop("delta", None)
            known = held.keys() | own["sweep"].keys() | found["models"][model].keys()
            marked_here = [key for key in marked if key in known]
            found["panels"][name] = {
                "model": model, "sweep": own["sweep"], "fixed": held, "trials": trials,
                "reconstructed": marked_here + own.get("reconstructed", []),
            }  # fmt: skip
    return json.loads(json.dumps(whole))


def entry(
    model: str, sweep: dict, trials: int = 10, contest: Contest = CONTEST_OF_PAPER, **fixed
) -> Sweep:
    """A panel of a model as the configuration has it, with config.yaml's defaults."""
    defaults = getattr(SECTION.models, model).model_dump(exclude_none=True)
    own = MODELS[model].parameters.model_fields.keys() - sweep.keys()
    held = {key: value for key, value in defaults.items() if key in own} | fixed
    return PANEL_TYPES[model].model_validate(
        {"model": model, "sweep": sweep, "fixed": held, "trials": trials, "contest": contest}
    )


def panel(model: str, sweep: dict, name: str = "p", trials: int = 10, **values) -> Panel:
    """The same as the job of its trials holds it."""
    own = entry(model, sweep, trials, **values)
    return own.panel(name, trials=trials, seed=1, engine="reduced")


def point(model: str, **values) -> Point:
    """One point, all parameters given but the defaults."""
    n = values.pop("n")
    return panel(model, {"n": [n]}, **values).points()[0]


def contest(fires: str, *silent: str) -> Contest:
    return Contest(fires=fires, silent=silent)


def config_points(name: str) -> list[Point]:
    """The points of a panel of config.yaml at the paper's scale."""
    return STUDY.panels.simulated[name].points()


def model_of(p: Point):
    """The model that has a point's parameters."""
    name = "regression" if p.d is None else "self_attention" if p.b else "cross_attention"
    return MODELS[name]


def run_trials(engine: str, p: Point, streams, trials: int):
    """Which networks are positive at a point, by the engine "reduced" or "dense"."""
    (of_point,) = trials_at(model_of(p), engine, [p])
    return of_point(streams, trials)


def exact_at(p: Point):
    """Reference values of a point."""
    (found,) = references(model_of(p), [p])
    return found
