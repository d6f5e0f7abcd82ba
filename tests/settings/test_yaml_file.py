"""Numbers in YAML are those that they look like; what multiplies or holds itself costs nothing."""

import math
import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from making import ROOT, values

from attention_separation.__main__ import main
from attention_separation.config import checked_config, overrides_of
from attention_separation.settings.faults import MOST_LINES, ConfigError
from attention_separation.settings.section_files import WrittenSettings
from attention_separation.settings.yaml_file import MOST_DEPTH, MOST_VALUES, parse_yaml

CONFIG = WrittenSettings("config.yaml", values(), {}, [])
SECONDS = 5
"""What one text may take here; 0.1 is usual."""


@given(st.integers(-(10**18), 10**18), st.integers(0, 5), st.sampled_from(["", "+"]))
def test_zeros_before_a_whole_number_change_nothing(number, zeros, sign):
    digits = "0" * zeros + str(abs(number))
    text = f"-{digits}" if number < 0 else f"{sign}{digits}"
    assert parse_yaml(text, "x") == number


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["r", "e", ".3f"]))
def test_a_decimal_is_the_number_that_python_reads(number, form):
    text = repr(number) if form == "r" else format(number, form)
    assert parse_yaml(text, "x") == float(text)


@given(st.lists(st.integers(0, 59), min_size=2, max_size=4), st.sampled_from(["", ".5", ".", "-"]))
def test_numbers_with_colons_are_texts(parts, more):
    """YAML 1.1 has them to the base 60."""
    text = ":".join(map(str, parts))
    text = f"-{text}" if more == "-" else f"{text}{more}"
    assert parse_yaml(text, "x") == text


def test_what_else_looks_like_a_number(subtests):
    for text, value in [
        ("0o17", 15),
        ("0x1F", 31),
        ("0b11", 3),
        ("1_000", 1000),
        ("1e6", 1e6),
        ("12e03", 12000.0),
        (".inf", math.inf),
        ("-.inf", -math.inf),
        ("09", 9),
        ("08.5", 8.5),
        ("'010'", "010"),
        ("1e", "1e"),
        ("0x", "0x"),
        ("..5", "..5"),
        ("~", None),
        ("true", True),
        ("1.2.3", "1.2.3"),
    ]:
        with subtests.test(text=text, value=value):
            assert parse_yaml(text, "x") == value
            assert type(parse_yaml(text, "x")) is type(value)


@given(text=st.sampled_from(["!!int 1:30", "!!float 1:30.5", "!!int 1e3", "!!int ''"]))
def test_what_a_tag_calls_a_number_and_is_none_is_one_sentence(text):
    with pytest.raises(ConfigError, match=r"x, line 1, column 1: .*cannot be read as"):
        parse_yaml(text, "x")


@pytest.mark.parametrize("text", ["1:30", "1:30:00", "-0:5"])
def test_such_a_value_is_named_with_its_key(text):
    for overrides in ({"seed": text}, overrides_of([f"seed={text}"])):
        with pytest.raises(ConfigError, match=f"--config seed: '{text}' is not allowed; should"):
            checked_config(CONFIG, overrides)


def merged(levels: int, width: int) -> str:
    """Mappings, each of which merges the one before many times."""
    lines = ["a0: &a0 {first: 1, second: 2}"]
    for level in range(1, levels):
        places = ", ".join([f"*a{level - 1}"] * width)
        lines.append(f"a{level}: &a{level} {{<<: [{places}], own{level}: {level}}}")
    return "\n".join(lines)


@given(case=st.sampled_from([(9, 8), (40, 8), (5, 1000), (200, 2)]))
def test_merges_of_merges_cost_nothing_and_mean_the_same(case):
    levels, width = case
    start = time.process_time()
    found = parse_yaml(merged(levels, width), "x")
    assert time.process_time() - start < SECONDS
    assert found == parse_yaml(merged(levels, 1), "x")
    assert found[f"a{levels - 1}"].keys() >= {"first", "second", f"own{levels - 1}"}


@pytest.mark.parametrize(
    "text",
    ["{<<: {a: 1, b: 2}, b: 3}", "{<<: [{a: 1, b: 2}, {b: 4, c: 5}], c: 6}", "{b: 3, <<: {b: 2}}"],
)
def test_a_merge_is_the_librarys(text):
    assert parse_yaml(text, "x") == yaml.safe_load(text)


def test_a_mappings_own_key_comes_before_what_it_merges_at_every_depth():
    """PyYAML 6.0.4 has it the other way round where a merged mapping merges."""
    found = parse_yaml("{<<: [{<<: {a: 7, d: 8}, a: 1}, {a: 2, e: 9}]}", "x")
    assert found == {"a": 1, "d": 8, "e": 9}


LOOPS = [
    "seed=&a [*a]", "seed=&a {b: *a}", "panels=&a {fig4a: *a}", "panels=&a {fig4a: {sweep: [*a]}}",
    "head_rank=&a {scales: &b {desk: *a, smoke: *b}}",
]  # fmt: skip


@given(override=st.sampled_from(LOOPS))
def test_an_override_that_holds_itself_is_named(override):
    name = override.partition("=")[0]
    with pytest.raises(ConfigError, match=f"{name}: .* or one in itself"):
        checked_config(CONFIG, overrides_of([override]))
    # As Snakemake hands it over.
    with pytest.raises(ConfigError, match=f"{name}: .* or one in itself"):
        checked_config(CONFIG, {name: yaml.safe_load(override.partition("=")[2])})


@pytest.mark.parametrize("command", ["summary", "rank-summary", "verify"])
def test_every_command_that_takes_overrides_says_so(command, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    folder = [str(tmp_path)] if command == "verify" else []
    assert main([command, *folder, LOOPS[0]]) == 1
    said = capsys.readouterr().err
    assert "seed: more than" in said
    assert said.count("\n") == 2


@pytest.mark.parametrize("depth", [MOST_DEPTH, MOST_DEPTH + 1, 500, 100_000])
def test_depth_has_a_bound_in_overrides_too(depth):
    value: object = 1
    for _ in range(depth):
        value = [value]
    is_too_deep = depth > MOST_DEPTH
    said = f"seed: more than {MOST_DEPTH} lists" if is_too_deep else "seed: .* a valid integer"
    with pytest.raises(ConfigError, match=said):
        checked_config(CONFIG, {"seed": value})


@pytest.mark.parametrize("name", ["seed", "panels", "scale"])
def test_aliases_that_multiply_in_an_override_cost_nothing(name):
    value: object = {"x": 1}
    for _ in range(20):
        value = {"a": value, "b": value, "c": [value] * 9}
    start = time.process_time()
    with pytest.raises(ConfigError, match=f"{name}: more than {MOST_VALUES} values"):
        checked_config(CONFIG, {name: value})
    assert time.process_time() - start < SECONDS


MANY = {f"key{number}": 1 for number in range(2_000)}


def test_a_message_has_an_end(subtests):
    for overrides in [
        MANY,
        {"head_rank": MANY},
        {"panels": {"fig4a": MANY}},
        {"panels": MANY},
        {"scales": MANY},
        {"panels": {f"a {key}": {} for key in MANY}},
        {"needle": {"data": MANY}},
    ]:
        with subtests.test(sections=[*overrides][:3]):
            with pytest.raises(ConfigError) as error:
                checked_config(CONFIG, overrides)
            text = str(error.value)
            assert len(text) < 20_000
            assert text.count("\n") <= MOST_LINES + 1
            assert " more" in text


def test_all_of_few_faults_are_said():
    with pytest.raises(ConfigError) as error:
        checked_config(CONFIG, {f"key{number}": 1 for number in range(15)})
    assert len(error.value.faults) == str(error.value).count("unknown key") == 15


def test_a_message_says_how_many_faults_it_leaves_out():
    faults = [f"fault {number}" for number in range(MOST_LINES + 1)]
    *_, last = str(ConfigError({"file": faults[:-1]})).splitlines()
    assert last == f"  fault {MOST_LINES - 1}"
    *_, last = str(ConfigError({"file": faults})).splitlines()
    assert last == "  and 1 more"
