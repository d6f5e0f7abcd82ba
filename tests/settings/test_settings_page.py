"""The page of settings and the schema: those of the model, complete, true of config.yaml."""

import json
import re

import pytest
import yaml
from jsonschema import Draft202012Validator
from making import ROOT
from pydantic import Field

from attention_separation.config import Config
from attention_separation.settings.closed import Closed, Count
from attention_separation.settings.yaml_file import read_yaml
from attention_separation.settings_page import PAGE, SCHEMA, page, schema

FIRST = "softmax_vs_linear"
VALUES = read_yaml(ROOT / "config.yaml")


def test_the_tracked_files_are_those_of_the_model():
    assert (ROOT / "docs" / PAGE).read_text(encoding="utf-8") == page(), "run `make gallery`"
    assert json.loads((ROOT / "docs" / SCHEMA).read_text(encoding="utf-8")) == schema()


def test_every_setting_has_a_description():
    whole = schema()
    for form in [whole, *whole["$defs"].values()]:
        for key, about in form["properties"].items():
            assert about.get("description"), f"{form['title']}.{key}"


def test_every_key_of_config_yaml_stands_in_the_table_of_its_section():
    tables = re.split(r"^## ", page(), flags=re.M)
    rows = {table.partition("\n")[0].strip("`"): table for table in tables[1:]} | {"": tables[0]}
    assert all(f"| `{key}` |" in rows[""] for key in VALUES)
    sections = ("verdicts", "claims", "models.regression", "models.self_attention")
    for section in ("jobs", *(f"{FIRST}.{section}" for section in sections)):
        entry = VALUES
        for key in section.split("."):
            entry = entry[key]
        assert all(f"| `{key}` |" in rows[section] for key in entry)
    for panel in VALUES[FIRST]["panels"].values():
        assert all(f"| `{key}` |" in rows[f"{FIRST}.panels.NAME"] for key in panel)
        assert all(f"| `{key}`" in rows[f"{FIRST}.panels.NAME.sweep"] for key in panel["sweep"])
        assert all(
            f"| `{key}`" in rows[f"{FIRST}.models.self_attention"] for key in panel.get("fixed", {})
        )
    for figure in VALUES[FIRST]["figures"].values():
        assert all(f"| `{key}`" in rows[f"{FIRST}.figures.NAME"] for key in figure)
        assert all(
            f"| `{k}`" in rows[f"{FIRST}.models.{figure['model']}"] for k in figure.get("fixed", {})
        )


def test_every_link_leads_to_a_section():
    text = page()
    headings = re.findall(r"^## `(.*)`$", text, re.M)
    assert len(headings) == len(set(headings))
    anchors = [re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings]
    linked = re.findall(r"\]\(#([^)]*)\)", text)
    assert {*linked} == {*anchors}


def test_every_row_of_a_table_has_four_cells():
    rows = [line for line in page().splitlines() if line.startswith("|")]
    assert all(line.count("|") == 5 for line in rows)


def test_another_section_is_described_without_a_word_here():
    class Heads(Closed):
        """Ranks of heads."""

        most: Count = Field(description="largest rank")

    class More(Config):
        heads: dict[str, Heads] = Field(description="heads of transformers")

    assert "| `heads` | [`heads.NAME`](#headsname) for each NAME | required |" in page(More)
    assert "## `heads.NAME`\n\nRanks of heads.\n" in page(More)
    assert "| `most` | whole number ≥ 1 | required | largest rank |" in page(More)


def test_the_schema_is_one_and_accepts_config_yaml():
    Draft202012Validator.check_schema(schema())
    Draft202012Validator(schema()).validate(VALUES)
    first = (ROOT / "config.yaml").read_text(encoding="utf-8").splitlines()[0]
    assert first == f"# yaml-language-server: $schema=docs/{SCHEMA}"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (
            (
                FIRST,
                "trials",
            ),
            0,
        ),
        (("seed",), -1),
        (("seed",), 10**19),
        (
            (
                FIRST,
                "engine",
            ),
            "fast",
        ),
        (("colour",), 1),
        ((FIRST, "panels", "fig4a", "trails"), 1),
        ((FIRST, "panels", "fig4a", "model"), "regression"),
        ((FIRST, "panels", "fig4a", "sweep", "n", "step"), 0),
        ((FIRST, "figures", "fig4", "fixed", "m", "round"), "up"),
        ((FIRST, "figures", "fig4", "fixed", "law"), "low"),
        ((FIRST, "models", "self_attention", "contest", "fires"), "expp"),
        ((FIRST, "scales", "smoke", "points"), 0.5),
        ((FIRST, "claims", "sizes", "regression"), []),
    ],
)
def test_the_schema_refuses(path, value):
    values = yaml.safe_load(json.dumps(VALUES))
    inner = values
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    assert not Draft202012Validator(schema()).is_valid(values)
