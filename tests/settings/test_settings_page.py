"""The page of settings and the schema: those of the model, complete, true of the files."""

import copy
import json
import re

from jsonschema import Draft202012Validator
from making import ROOT, values
from pydantic import Field

from attention_separation.config import WITH_FILES, Config
from attention_separation.settings.strict_model import Count, StrictModel
from attention_separation.settings.yaml_file import read_yaml
from attention_separation.settings_page import PAGE, SCHEMA, page, schema

FIRST = "softmax_vs_linear"
VALUES = values()
CHECKED = Draft202012Validator(schema())


def test_the_tracked_files_are_those_of_the_model():
    assert (ROOT / "docs" / PAGE).read_text(encoding="utf-8") == page(), "run `make gallery`"
    assert json.loads((ROOT / "docs" / SCHEMA).read_text(encoding="utf-8")) == schema()


def test_every_setting_has_a_description():
    whole = schema()
    for form in [whole, *whole["$defs"].values()]:
        for key, about in form["properties"].items():
            assert about.get("description"), f"{form['title']}.{key}"


def rows(model=Config) -> dict[tuple[str, str], list[str]]:
    """Of each section's settings what stands beside their names."""
    found = {}
    for section in page(model).split("\n## `")[1:]:
        name, _, table = section.partition("`")
        for line in table.strip().splitlines()[2:]:
            first, *rest = line.strip("| ").split(" | ")
            assert found.setdefault((name, first.strip("`")), rest) is rest, line
    return found


def below(values, *path: str):
    """Names of all settings in a mapping, as the page has them in its section."""
    for key, value in values.items():
        yield ".".join([*path, key])
        if isinstance(value, dict):
            yield from below(value, *path, key)


def test_every_key_of_the_settings_stands_in_the_table_of_its_section():
    table = rows()
    assert all(len(cells) == 3 for cells in table.values())
    assert all((key, key) in table for key in VALUES)
    first = VALUES[FIRST]
    names = {("jobs", key) for key in VALUES["jobs"]}
    for section in ("models", "verdicts"):
        names |= {(FIRST, name) for name in below(first[section], section)}
    names |= {("lemmas", name) for name in below(VALUES["lemmas"]) if "smoke" not in name}
    for section in ("figures", "panels"):
        for each in first[section].values():
            names |= {(FIRST, f"{section}.NAME.{key}") for key in each}
            names |= {(FIRST, f"figures.NAME.fixed.{key}") for key in each.get("fixed", {})}
            names |= {(FIRST, f"panels.NAME.sweep.{key}") for key in each.get("sweep", {})}
    # What stands in a mapping as another's is described with that.
    own = {
        (section, name)
        for section, name in names
        if " as `" not in table.get((section, name.rpartition(".")[0]), [""])[0]
    }
    assert len(own) > 60
    assert own <= table.keys()


def test_what_is_described_elsewhere_is_described_there():
    table = rows()
    for (section, name), (allowed, *_) in table.items():
        for other in re.findall("mapping as `(.*?)`", allowed):
            assert name != other
            places = (f"{section}.{other}.", f"{other}.")
            assert any(f"{s}.{n}".startswith(places) for s, n in table), other


def test_another_section_is_described_without_a_word_here():
    class Heads(StrictModel):
        """Ranks of heads."""

        most: Count = Field(description="largest rank")

    class More(Config):
        heads: dict[str, Heads] = Field(description="heads of transformers")

    found = rows(More)
    assert found["heads", "heads"] == [
        "for each NAME: mapping",
        "required",
        "heads of transformers",
    ]
    assert found["heads", "NAME.most"] == ["whole number ≥ 1", "required", "largest rank"]


FILES = ["config.yaml", *(f"config/{section}.yaml" for section in WITH_FILES)]


def test_the_schema_is_one_and_accepts_each_file_which_names_it():
    Draft202012Validator.check_schema(CHECKED.schema)
    for name in FILES:
        path = ROOT / name
        CHECKED.validate(read_yaml(path, name).value)
        begin, _, named = path.read_text(encoding="utf-8").splitlines()[0].partition("$schema=")
        assert begin == "# yaml-language-server: "
        assert (path.parent / named).resolve() == ROOT / "docs" / SCHEMA


REFUSED = {
    (FIRST, "trials"): 0,
    (FIRST, "engine"): "fast",
    (FIRST, "panels", "fig4a", "model"): "regression",
    (FIRST, "panels", "fig4a", "sweep", "n", "step"): 0,
    (FIRST, "models", "self_attention", "contest", "fires"): 3,
    ("any_attention", "only"): ["expp"],
    (FIRST, "scales", "smoke", "points"): 0.5,
    ("lemmas", "sizes", "regression"): [],
    ("seed",): 10**19,
    ("colour",): 1,
}


def test_the_schema_refuses():
    for path, value in REFUSED.items():
        values = copy.deepcopy(VALUES)
        inner = values
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value
        assert not CHECKED.is_valid(values), path
