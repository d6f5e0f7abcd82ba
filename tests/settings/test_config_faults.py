"""Whatever is wrong with the settings, wherever: the key's path in a sentence, and quickly."""

import re
import resource
import sys
import time
import unicodedata

import pytest
import yaml
from faulty import KEYS, KINDS, SECTIONS, SMALL, Fault, as_yaml, swaps, without
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_separation.config import checked_config, load_config
from attention_separation.settings.faults import ConfigError, unencodable_values
from attention_separation.settings.section_files import WrittenSettings
from attention_separation.settings.yaml_file import MOST_DEPTH

SECONDS = 5
"""Most of a core that reading settings may take: hundreds of times what it takes."""

MEGABYTES = 300
"""Most that all of a test's settings together may add to what this process ever took."""


def most_memory():
    # On Linux in KiB, on macOS in bytes.
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


@pytest.fixture(autouse=True)
def thrifty():
    """Faults must not cost gigabytes."""
    before = most_memory()
    yield
    assert most_memory() - before < MEGABYTES


def lines_of(read, settings, overrides=None):
    """The faults that are found, one line each; none where the settings are accepted."""
    start = time.process_time()
    try:
        read(settings, overrides or {})
    except ConfigError as error:
        text = str(error)
    else:
        text = ""
    assert time.process_time() - start < SECONDS
    if not text:
        return []
    # A section that is nowhere is missed in both places.
    heads = r"^config\.yaml(?: or config/\w+\.yaml)?: (\d+) faults?$"
    begin, *parts = re.split(heads, text, flags=re.MULTILINE)
    assert begin == ""
    lines = []
    for count, part in zip(parts[::2], parts[1::2], strict=True):
        below = part.strip("\n").split("\n")
        assert len(below) == int(count)
        lines += below
    assert 1 <= len(lines) < 100
    for line in lines:
        assert line.startswith("  "), lines
        assert line.isprintable(), line
        assert len(line) < 1000, line
    return [line[2:] for line in lines]


def check(fault: Fault, read, settings):
    lines = [line.removeprefix("--config ") for line in lines_of(read, settings, fault.overrides)]
    if fault.is_no_yaml:
        (line,) = lines
        assert line.startswith(f"{settings}, line "), line
        return
    if fault.sure:
        assert lines, "accepted"
    if lines:
        assert any(line.startswith(fault.demanded) for line in lines), lines
        assert all(line.startswith(fault.allowed) for line in lines), lines


def check_in_a_file(fault: Fault, folder):
    path = folder / "config.yaml"
    path.write_text(as_yaml(fault.values), encoding="utf-8")
    check(fault, load_config, path)


def check_as_read(fault: Fault):
    check(fault, checked_config, WrittenSettings("config.yaml", fault.values, {}, []))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("faults")


@settings(max_examples=120)
@given(kind=st.sampled_from([*KINDS]), data=st.data())
def test_a_fault_at_a_random_place_is_named_by_its_path(kind, folder, data):
    check_in_a_file(data.draw(KINDS[kind](over=data.draw(st.booleans()))), folder)


def test_a_key_that_is_taken_away_is_named_or_has_a_default():
    for path in KEYS:
        check_as_read(without(path))


def test_two_settings_in_each_others_place_are_named_or_harmless():
    for path in SECTIONS:
        for fault in swaps(path):
            check_as_read(fault)


TEXT = yaml.safe_dump(SMALL, sort_keys=False)
LINES = TEXT.splitlines(keepends=True)
PIECES = [
    b"\t", b"\n", b" ", b":", b": ", b"-", b"- ", b"#", b"&", b"*", b"!", b"!!int ", b"|", b">",
    b"'", b'"', b"%", b"@", b"`", b"{", b"}", b"[", b"]", b",", b"?", b"? ", b"<<: ", b"---\n",
    b"...\n", b"\x00", b"\x7f", b"\x85", b"\xe9", b"\xff\xfe", b"\xc2\x85", b"\xef\xbb\xbf",
    b"\xed\xa0\x80", b"\\", b"2023-13-45 ", b"0x", b"1_", b"99:99:99", b"[" * 99, b"{" * 99,
]  # fmt: skip


PATH = r"""(\.?([\w/+ -]+|'[^']*'|"[^"]*")|\[[^]]*\])+: """
"""A key's path, some of it in quotes or brackets, at the beginning of a line."""


@st.composite
def spoilt_bytes(draw):
    """config.yaml with bytes put in or taken out, or cut off."""
    raw = bytearray(TEXT.encode())
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(raw)))
        match draw(st.sampled_from(["piece", "bytes", "without", "cut"])):
            case "piece":
                raw[place:place] = draw(st.sampled_from(PIECES))
            case "bytes":
                raw[place:place] = draw(st.binary(min_size=1, max_size=4))
            case "without":
                del raw[place : place + draw(st.integers(1, 20))]
            case "cut":
                del raw[place:]
    return bytes(raw)


@settings(max_examples=80)
@given(spoilt_bytes())
def test_a_file_that_is_no_yaml_is_named_with_its_line(folder, raw):
    path = folder / "config.yaml"
    path.write_bytes(raw)
    for line in lines_of(load_config, path):
        no_yaml = line.startswith(f"{path}, line ")
        no_settings = line == "the file is empty" or line.endswith("is no mapping of settings")
        assert no_yaml or no_settings or re.match(PATH, line), line


@settings(max_examples=20)
@given(st.sampled_from([k for k, line in enumerate(LINES) if ":" in line and "- " not in line]))
def test_a_key_that_stands_twice_is_named_with_both_lines(folder, k):
    lines = LINES.copy()
    key = lines[k].partition(":")[0]
    lines.insert(k, f"{key}: 3\n")
    path = folder / "config.yaml"
    path.write_text("".join(lines))
    found = lines_of(load_config, path)
    words = f"line {k + 2}: key '{key.strip()}' stands twice, first on line {k + 1}"
    assert found == [f"{path}, {words}"]


@given(depth=st.sampled_from([8, MOST_DEPTH - 1, MOST_DEPTH, 5000]))
def test_nesting_has_a_bound(folder, depth):
    """The whole file is a mapping around them."""
    path = folder / "config.yaml"
    path.write_text(TEXT + "deep: " + "[" * depth + "]" * depth)
    (line,) = lines_of(load_config, path)
    said = "deep: unknown key" if depth < MOST_DEPTH else f"line {len(LINES) + 1}, column"
    assert said in line


@given(number=st.sampled_from(["0x" + "f" * 4000, "9" * 5000, "-0b" + "1" * 20000, "9" * 3999]))
def test_a_number_of_thousands_of_digits(folder, number):
    path = folder / "config.yaml"
    path.write_text(TEXT.replace("seed: 2310", f"seed: {number}"))
    (line,) = lines_of(load_config, path)
    assert line.startswith(("seed: ", f"{path}, line 1, column 7: "))


def test_overrides_that_no_yaml_file_can_hold(subtests, folder):
    for overrides, start in [
        ({4: 3}, "--config [4]: key is no text"),
        ({None: 3}, "--config [None]: key is no text"),
        ({"panels": {4: {}}}, "--config panels[4]: key is no text"),
        ({"figures": {True: {}}}, "--config figures[True]: key is no text"),
        ({"panels": {"fig3a": {4: 3}}}, "--config panels.fig3a[4]: key is no text"),
        ({"\udcff": 3}, "--config '\\udcff': key is no Unicode text"),
        ({"scale": "\udcff"}, "--config scale: '\\udcff' is no Unicode text"),
    ]:
        with subtests.test(overrides=overrides, start=start):
            path = folder / "config.yaml"
            path.write_text(TEXT)
            (line,) = lines_of(load_config, path, overrides)
            assert line.startswith(start)


def test_every_control_character_but_tab_and_newline_is_refused():
    """Of the first plane of Unicode, which has them all."""
    characters = [chr(code) for code in range(2**16)]
    refused = {characters[k] for (k,), _ in unencodable_values(characters)}
    controls = {one for one in characters if unicodedata.category(one) in ("Cc", "Cs")}
    assert refused == (controls | {"\ufffe", "\uffff"}) - {"\t", "\n"}


def test_a_control_character_is_named_with_what_is_allowed(subtests, folder):
    """A picture or a report that holds one is opened by no program."""
    for path, overrides in [
        ("figures.fig3.title", {"figures": {"fig3": {"title": "a\x1bz"}}}),
        ("models.regression.notes[1]", {"models": {"regression": {"notes": ["a", "a\x1bz"]}}}),
        (
            "panels.fig3a.contest.silent[0]",
            {"panels": {"fig3a": {"contest": {"fires": "exp", "silent": ["x # \x1b"]}}}},
        ),
        ("any_attention.kernels.k.score", {"any_attention": {"kernels": {"k": {"score": "\x1b"}}}}),
    ]:
        with subtests.test(path=path, overrides=overrides):
            (folder / "config.yaml").write_text(TEXT)
            (line,) = lines_of(load_config, folder / "config.yaml", overrides)
            assert line.startswith(f"--config {path}: '")
            assert "has the character U+001B; allowed: Unicode text, with tabs and newlines" in line


def test_aliases_that_multiply_cost_nothing(folder):
    path = folder / "config.yaml"
    tenfold = [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]" for k in range(1, 20)]
    more = ["a0: &a0 [x]", *tenfold, "loop: &loop [*loop]"]
    path.write_text("\n".join([*more, TEXT.replace("trials: null\n", "trials: *a19\n")]))
    found = lines_of(load_config, path)
    assert any(line.startswith("softmax_vs_linear.trials: [[") for line in found), found
    assert sum("unknown key" in line for line in found) == len(more)
